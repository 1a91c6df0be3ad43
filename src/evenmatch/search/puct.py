"""The lockstep driver: positions and plans in, root statistics and best lines out."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError, UsageError
from evenmatch.games.bits import allocating
from evenmatch.games.game import Game, States
from evenmatch.search import kernels
from evenmatch.search.evaluator import Evaluation, Evaluator, Request
from evenmatch.search.forest import (
    FRESH,
    OPEN,
    SLACK,
    TERMINAL,
    UNSEEN,
    Forest,
    allocate,
    enlarge,
    reroot,
    with_choices,
    with_edges,
    with_trees,
)
from evenmatch.search.plan import Plan, Rule, as_records
from evenmatch.search.root_noise import disturb_roots, halving_choice, halving_turns
from evenmatch.search.solver import add_known_children, known_children, read_known

MOST_LEAVES = 1024  # of one tree in one call
NO_BETAS = np.empty(0, np.float32)
PROVEN, NEVER = 1e9, -1e12  # scores of actions: more than all visits, less than all proven losses


@dataclass(frozen=True)
class RootStats:
    """What a search found at the roots of n trees. Values are for the side to move."""

    visits: NDArray[np.int32]  #: [n, A] N(s, a)
    means: NDArray[np.float64]  #: [n, A] Q(s, a), 0 without visits
    priors: NDArray[np.float32]  #: [n, A] P(s, a), root noise included
    legal: NDArray[np.bool_]  #: [n, A]
    values: NDArray[np.float32]  #: [n] the evaluator's own value of the root
    scores: NDArray[np.float64]  #: [n, A] log prior + Gumbel noise, where the plan uses it
    gumbel: NDArray[np.bool_]  #: [n] whether the plan searched the root by sequential halving
    known: NDArray[np.float64] | None = None
    """[n, A] values that are proven, NaN for others; None where no plan asked for proofs."""

    def best(self) -> NDArray[np.intp]:
        """Return the most visited action of each tree, [n]; ties go to the higher mean, prior.

        Trees searched by sequential halving return the action that survived. A proven win is
        better than all else, a proven loss worse, and a proven draw better than a negative mean.
        """
        order = np.where(self.legal, self.visits + (self.means + 1) / 4 + self.priors * 1e-6, NEVER)
        choice = order.argmax(1)
        if self.gumbel.any():
            halved = halving_choice(self.visits, self.means, self.scores, self.legal)
            choice = np.where(self.gumbel, halved, choice)
        if self.known is not None:
            choice = self._by_proofs(order)
        return choice

    def _by_proofs(self, order: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the best actions [n] where some are proven; others go by ``order`` [n, A]."""
        assert self.known is not None, "a plan asked for proofs"
        proofs = np.nan_to_num(self.known)
        choice = np.where(proofs, np.sign(proofs) * PROVEN + proofs, order).argmax(1)
        drawn = np.where(self.known == 0, order, NEVER)
        better = (drawn.max(1) > NEVER) & (self.means[np.arange(len(choice)), choice] < 0)
        return np.where(better, drawn.argmax(1), choice)


class Search:
    """A forest of search trees over one game and one evaluator.

    Trees are numbered from 0 and independent: each has its own position, plan and random
    numbers, and is searched exactly as it would be alone.
    """

    def __init__(
        self, game: Game, evaluator: Evaluator, *, trees: int = 1, nodes: int = 256, leaves: int = 1
    ):
        """Make room for ``trees`` trees of at first ``nodes`` nodes; UsageError for bad ``leaves``.

        ``leaves`` is how many leaves of one tree are evaluated in one call, spread by virtual
        loss: 1 searches as the papers do, more is faster for a few trees.
        """
        if not 1 <= leaves <= MOST_LEAVES:
            raise UsageError(f"leaves={leaves} is outside [1, {MOST_LEAVES}]; choose one inside")
        self.game = game
        self.evaluator = evaluator
        self.leaves = leaves
        self.trees = trees
        self._forest = allocate(trees, nodes, game.search_words, game.max_legal)
        self._plans = as_records([Plan()] * trees)
        self._turns = np.zeros((trees, 1), np.int32)
        self._need = nodes
        self._spare_edges = self._spare_choices = 0  # that every tree surely has room for
        self._damaged = self._mixed = self._weighing = self._rated = self._solving = False
        self._buffers = _Buffers(game, trees * leaves)

    @property
    def forest(self) -> Forest:
        """The trees themselves, for those who want to look inside."""
        return self._forest

    def resize(self, trees: int) -> None:
        """Make room for ``trees`` trees, at least as many as there are; those stay as they are."""
        self._forest = with_trees(self._forest, trees)
        plans = as_records([Plan()] * trees)
        plans[: self.trees] = self._plans
        turns = np.zeros((trees, self._turns.shape[1]), np.int32)
        turns[: self.trees] = self._turns
        self._plans, self._turns, self.trees = plans, turns, trees
        self._buffers = _Buffers(self.game, trees * self.leaves)

    def plant(self, trees, states: States, seeds) -> None:
        """Put new roots ``states`` [n, S] into ``trees`` [n]; ``seeds`` [n] must not be 0."""
        self._plant(np.asarray(trees, np.int32), self.game.as_roots(states), seeds)

    def _plant(self, trees: NDArray[np.int32], roots: States, seeds) -> None:
        kernels.plant(self._forest, trees, roots, np.asarray(seeds, np.uint64))

    def follow(self, trees, actions, states: States | None = None) -> None:
        """Play ``actions`` [n] in ``trees`` [n], keeping what was searched below them.

        ``states`` [n, S] are the positions that they lead to. Without them the trees' own are
        taken, which in Go remember fewer positions than the game.
        """
        trees, actions = np.asarray(trees, np.int32), np.asarray(actions, np.int32)
        if states is None:
            states = self.game.after(self._forest.states[trees, 0], actions)
        after = self.game.as_roots(states)
        kept = np.empty(len(trees), np.bool_)
        reroot(self._forest, trees, actions, kept)
        self._forest.states[trees[kept], 0] = after[kept]
        kept &= ~self._revived(trees, after) & ~self._bereft(trees, after)
        lost = trees[~kept]
        self._plant(lost, after[~kept], self._forest.trees["seed"][lost])

    def _revived(self, trees: NDArray[np.int32], roots: States) -> NDArray[np.bool_]:
        """Tell which trees' roots [n, S] ended the game within the search, and do not as roots."""
        ended = self._forest.nodes["status"][trees, 0] == TERMINAL
        if ended.any():
            ended[ended] = ~self.game.outcome(roots[ended])[0]
        return ended

    def _bereft(self, trees: NDArray[np.int32], roots: States) -> NDArray[np.bool_]:
        """Tell which trees' roots [n, S] lack actions that they have within the search."""
        if self.game.search_words == self.game.state_words:
            return np.zeros(len(trees), np.bool_)
        nodes = self._forest.nodes[trees, 0]
        has = np.where(nodes["choice_count"], nodes["choice_count"], nodes["edge_count"])
        return (nodes["status"] == OPEN) & (self.game.examine(roots)[1] != has)

    def run(
        self,
        trees,
        plans: Plan | list[Plan],
        *,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> RootStats:
        """Search ``trees`` [n] until each plan's simulations, or ``seconds``, are spent.

        Or until ``stopped()``. Roots must not be terminal. Every tree gets at least one simulation.
        """
        trees = np.asarray(trees, np.int32)
        listed = [plans] * len(trees) if isinstance(plans, Plan) else list(plans)
        deadline = None if seconds is None else time.perf_counter() + seconds
        self._plans[trees] = as_records(listed)
        self._damaged = bool(self._plans["head_dropout"][trees].any())
        self._rated = bool(self._plans["rating"][trees].any())
        self._solving = bool(self._plans["solve"][trees].any())
        self._replant_halving(trees)
        self._replant_unweighed(trees)
        self._open_roots(trees)
        if self._solving:
            self._look_around(trees)
        left = self._budget(trees)
        self._schedule(trees)
        going = bool(left.any())
        while going:
            self._make_room(left)
            going = self._step(left) or bool(left.any())  # any() costs as much as a small kernel
            if deadline is not None and time.perf_counter() >= deadline:
                break
            if stopped is not None and stopped():
                break
        return self.read(trees)

    def read(self, trees) -> RootStats:
        """Return the statistics at the roots of ``trees`` [n] as they stand."""
        trees = np.asarray(trees, np.int32)
        shape = (len(trees), self.game.num_actions)
        visits, sums = np.zeros(shape, np.int32), np.zeros(shape)
        priors, scores = np.zeros(shape, np.float32), np.zeros(shape)
        legal = np.zeros(shape, np.bool_)
        kernels.read_roots(self._forest, trees, visits, sums, priors, scores, legal)
        means = np.divide(sums, visits, out=np.zeros(shape), where=visits > 0)
        values = self._forest.nodes["value"][trees, 0]
        gumbel = self._plans["considered"][trees] > 0
        known = self._read_known(trees, means)
        return RootStats(visits, means, priors, legal, values, scores, gumbel, known)

    def _read_known(self, trees: NDArray[np.int32], means: NDArray) -> NDArray[np.float64] | None:
        """Return what is proven of the roots' actions [n, A], and write it to their means."""
        solving = self._plans["solve"][trees] > 0
        if not solving.any():
            return None
        known = np.full(means.shape, np.nan)
        read_known(self._forest, trees, known)
        known[~solving] = np.nan
        proven = ~np.isnan(known)
        means[proven] = known[proven]
        return known

    # -- the phases ------------------------------------------------------------------------

    def keep(self, trees, actions: NDArray[np.bool_], plan: Plan) -> None:
        """Let newly planted roots of ``trees`` [n] have only those ``actions`` [A] of theirs.

        UsageError if a root is left without any.
        """
        trees = np.asarray(trees, np.int32)
        self._plans[trees] = as_records([plan] * len(trees))
        self._rated = plan.rating > 0
        self._replant_unweighed(trees)
        self._open_roots(trees)
        kernels.keep_edges(self._forest, trees, actions)
        if not self._forest.nodes["edge_count"][trees, 0].all():
            raise UsageError("none of the actions to search is legal; name others")

    def _replant_halving(self, trees: NDArray[np.int32]) -> None:
        """Empty trees that halve at the root: its schedule starts from no visits."""
        roots = self._forest.nodes[trees, 0]
        used = (roots["visits"] > 0) & (roots["status"] != TERMINAL)
        again = trees[used & (self._plans["considered"][trees] > 0)]
        if len(again):
            seeds = self._forest.trees["seed"][again]
            self._plant(again, self._forest.states[again, 0], seeds)

    def _replant_unweighed(self, trees: NDArray[np.int32]) -> None:
        """Empty trees that are to go by strength, and were begun without keeping it so."""
        plans = self._plans[trees]
        wanted = np.where(plans["rule"] == Rule.STRENGTH, 1 + plans["own_actions"], 0)
        self._weighing = bool(wanted.any())
        kept = self._forest.trees["weighed"][trees] == wanted
        begun = self._forest.nodes["visits"][trees, 0] > 0
        again = trees[(wanted > 0) & ~kept & begun]
        if len(again):
            seeds = self._forest.trees["seed"][again]
            self._plant(again, self._forest.states[again, 0], seeds)
        self._forest.trees["weighed"][trees] = wanted

    def _open_roots(self, trees: NDArray[np.int32]) -> None:
        """Evaluate roots that have no edges yet, and prepare the noise of all of them."""
        fresh = trees[self._forest.nodes["status"][trees, 0] == FRESH]
        if len(fresh):
            self._forest.nodes["visits"][fresh, 0] += 1
            leaves = self._buffers.first(len(fresh))
            leaves.trees[:] = fresh
            leaves.nodes[:] = 0
            leaves.states[:] = self._forest.states[fresh, 0]
            leaves.seeds[:] = self._forest.trees["seed"][fresh]
            self._finish(leaves)
        self._make_room_for_edges()
        kernels.open_roots(self._forest, self._plans, trees)
        disturb_roots(self._forest, self._plans, trees)

    def _look_around(self, trees: NDArray[np.int32]) -> None:
        """Find what is known of the children of roots that no search with proofs has begun from."""
        new = self._forest.trees["decided_by"][trees] == UNSEEN
        new &= self._forest.nodes["status"][trees, 0] == OPEN
        for tree in trees[new & (self._plans["solve"][trees] > 0)]:
            found = known_children(self.game, self._forest.states[tree, :1])
            self._make_room_for_nodes(len(found.actions))
            add_known_children(self._forest, tree, *found)

    def _make_room_for_nodes(self, nodes: int) -> None:
        """Let there be room for so many nodes more in each tree."""
        needed = int(self._forest.trees["nodes"].max()) + nodes
        if needed > self._forest.capacity:
            self._forest = enlarge(self._forest, max(needed, 2 * self._forest.capacity))

    def _budget(self, trees: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the simulations each tree of the forest is still to run, [B]."""
        done = self._forest.nodes["visits"][trees, 0] - 1
        left = np.zeros(self.trees, np.int32)
        left[trees] = np.maximum(self._plans["simulations"][trees] - done, 1)
        left[trees[self._forest.nodes["status"][trees, 0] == TERMINAL]] = 0
        self._need = int((self._forest.trees["nodes"] + left).max(initial=0)) + 1
        return left

    def _make_room(self, left: NDArray[np.int32]) -> None:
        """Let the forest grow by doubling while it is smaller than the search may need.

        It grows by half at least, because searches also continue in small steps.
        """
        if self._forest.capacity >= self._need:
            return
        used = int(self._forest.trees["nodes"][left > 0].max(initial=0))
        if used + self.leaves >= self._forest.capacity:
            capacity = self._forest.capacity
            room = max(2 * capacity, used + self.leaves + 1)
            self._forest = enlarge(self._forest, min(max(self._need, 3 * capacity // 2), room))

    def _make_room_for_edges(self) -> None:
        """Let the room for edges double when the next descents of a tree might not find any."""
        needed = (2 * self.leaves + 1) * self.game.max_legal
        if self._spare_edges < needed:
            used, room = int(self._forest.trees["edges"].max()), self._forest.edges.shape[1]
            if room - used < needed:
                room = max(2 * room, used + needed)
                self._forest = with_edges(self._forest, room)
            self._spare_edges = room - used
        self._spare_edges -= needed

    def _make_room_for_choices(self) -> None:
        """Let there be room for the choices of the next leaves of each tree.

        Where there is not, it is made for all nodes to come, as if they had as many choices as
        those so far.
        """
        needed = self.leaves * self.game.max_legal
        if self._spare_choices < needed:
            trees, room = self._forest.trees, self._forest.priors.shape[1]
            used, nodes = int(trees["choices"].max()), max(int(trees["nodes"].max()), 1)
            if room - used < needed:
                expected = int(SLACK * used * max(self._forest.capacity, nodes) / nodes)
                room = max(expected, room, used) + needed
                self._forest = with_choices(self._forest, room)
            self._spare_choices = room - used
        self._spare_choices -= needed

    def _schedule(self, trees: NDArray[np.int32]) -> None:
        """Lay out the turns of sequential halving, [B, simulations], where plans ask for it."""
        halving = trees[self._plans["considered"][trees] > 0]
        if not len(halving):
            return
        width = int(self._plans["simulations"][halving].max())
        if width > self._turns.shape[1]:
            self._turns = np.zeros((self.trees, width), np.int32)
        most = np.minimum(
            self._plans["considered"][halving], self._forest.nodes["edge_count"][halving, 0]
        )
        for tree, considered in zip(halving, most, strict=True):
            simulations = int(self._plans["simulations"][tree])
            self._turns[tree, :simulations] = halving_turns(int(considered), simulations)

    def _step(self, left: NDArray[np.int32]) -> bool:
        """Run one simulation (``leaves`` of them) in every tree with some left.

        Returns whether any leaf had to be judged.
        """
        self._make_room_for_edges()
        room = self._buffers.all
        count = kernels.select(
            self._forest,
            self._plans,
            self._turns,
            left,
            self.leaves,
            room.trees,
            room.nodes,
            room.states,
            room.actions,
            room.seeds,
        )
        if count:
            leaves = self._buffers.first(count)
            self.game.advance(leaves.states, leaves.actions, leaves.states)
            self._finish(leaves)
        return count > 0

    def _finish(self, leaves: "_Leaves") -> None:
        """Judge leaves and add them to their trees."""
        self._make_room_for_choices()
        self.game.generate(leaves.states, leaves.legal, leaves.counts, leaves.outcomes)
        if self._solving:
            self._settle(leaves)
        evaluation = self.evaluator.evaluate(leaves.states, self._request(leaves))
        kernels.expand(
            self._forest,
            self._plans,
            leaves.trees,
            leaves.nodes,
            leaves.states,
            leaves.legal,
            leaves.counts,
            leaves.outcomes,
            evaluation.logits,
            evaluation.values,
            self._betas(evaluation, leaves),
            kernels.VIRTUAL_LOSS if self.leaves > 1 else 0.0,
        )

    def _settle(self, leaves: "_Leaves") -> None:
        """Find what is known of leaves in trees with proofs; roots are searched in any case."""
        rows = np.flatnonzero((self._plans["solve"][leaves.trees] > 0) & (leaves.nodes > 0))
        if not len(rows):
            return
        counts, outcomes = leaves.counts[rows], leaves.outcomes[rows]
        self.game.settle(leaves.states[rows], leaves.legal[rows], counts, outcomes)
        leaves.counts[rows], leaves.outcomes[rows] = counts, outcomes

    def _request(self, leaves: "_Leaves") -> Request:
        """Return what the leaves' trees ask of the evaluator."""
        plans, trees = self._plans, leaves.trees
        rated = (plans["rating"][trees], plans["scale"][trees]) if self._rated else (None, None)
        dropout = plans["head_dropout"][trees] if self._damaged else None
        return Request(dropout, leaves.seeds, *rated)

    def _betas(self, evaluation: Evaluation, leaves: "_Leaves") -> NDArray[np.float32]:
        """Return the strength scores [n] where a tree's rule uses them, otherwise [0]."""
        if not self._weighing:
            return NO_BETAS
        if evaluation.scores is None:
            raise NetworkError(
                "this network has no strength score; search with one trained on rated games"
            )
        columns = self._plans["score"][leaves.trees]
        return evaluation.scores[np.arange(len(columns)), columns]


class _Leaves(NamedTuple):
    """The n leaves of one step."""

    trees: NDArray[np.int32]  # [n]
    nodes: NDArray[np.int32]  # [n]
    states: States  # [n, S]
    actions: NDArray[np.int32]  # [n] from the parent to the leaf
    seeds: NDArray[np.uint64]  # [n]
    legal: NDArray[np.int16]  # [n, E]
    counts: NDArray[np.int32]  # [n] of legal actions
    outcomes: NDArray[np.float32]  # [n] where the game is over


class _Buffers:
    """Room for the leaves of one step."""

    def __init__(self, game: Game, leaves: int):
        self.all = _Leaves(
            np.empty(leaves, np.int32),
            np.empty(leaves, np.int32),
            np.empty((leaves, game.search_words), np.uint64),
            np.empty(leaves, np.int32),
            np.empty(leaves, np.uint64),
            np.empty((leaves, game.max_legal), np.int16),
            np.empty(leaves, np.int32),
            np.empty(leaves, np.float32),
        )
        self._views: dict[int, _Leaves] = {}

    def first(self, count: int) -> _Leaves:
        """Return room for ``count`` leaves: views made once, for slicing takes longer."""
        views = self._views.get(count)
        if views is None:
            views = self._views[count] = _Leaves._make(array[:count] for array in self.all)
        return views


def best_line(forest: Forest, t: int, first: int) -> list[int]:
    """Return the actions of tree ``t`` from ``first`` at the root on, each time the most visited.

    Where an outcome is proven it is the action that proves it; a line ends where a table or a look
    ahead knows the rest. Empty if the root has no such action.
    """
    nodes, edges = forest.nodes[t], forest.edges[t]
    line: list[int] = []
    n = 0
    while n >= 0 and nodes[n]["edge_count"]:
        begin = int(nodes[n]["first_edge"])
        own = edges[begin : begin + int(nodes[n]["edge_count"])]
        chosen = _best_of(own, nodes) if line else _edge_of(own, first)
        if chosen is None:
            break
        line.append(int(chosen["action"]))
        n = int(chosen["child"])
    return line


def _best_of(edges: np.ndarray, nodes: np.ndarray) -> np.void | None:
    """Return the edge that proves its node's value, otherwise the most visited one, if any."""
    below = nodes[edges["child"]]
    known = (edges["child"] >= 0) & (below["status"] == TERMINAL)
    if known.all() or (known & (below["value"] < 0)).any():
        return edges[np.where(known, below["value"], 2).argmin()]
    best = edges[edges["visits"].argmax()]
    return best if best["visits"] else None


def _edge_of(edges: np.ndarray, action: int) -> np.void | None:
    edges_of = edges[edges["action"] == action]
    return edges_of[0] if len(edges_of) else None


def depths(forest: Forest, t: int) -> tuple[float, int]:
    """Return the mean and the greatest depth of a tree's nodes below the root."""
    used = int(forest.trees[t]["nodes"])
    if used < 2:
        return 0.0, 0
    return _depths(forest.nodes[t, :used])


@allocating
def _depths(nodes):  # [n] NODE
    depth = np.zeros(len(nodes), np.int32)
    for n in range(1, len(nodes)):  # parents come before their children
        depth[n] = depth[nodes[n].parent] + 1
    return depth[1:].mean(), depth.max()
