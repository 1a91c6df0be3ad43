"""Players that search: a controller decides the plan and the action of each turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.games.line import OWN
from evenmatch.opponents.controller import Controller, Reply, Root, View
from evenmatch.opponents.player import Decision, Player, Turn, seeds_of, states_of, turn_seeds
from evenmatch.search import Evaluator, Plan, Request, RootStats, Search

NODES = 64  #: of a tree at first

Floats = NDArray[np.float32]


class ControlledPlayer(Player):
    """A player whose controller sees the game as a network judges it."""

    def __init__(self, game: Game, judge: Evaluator, controller: Controller):
        self.game, self.judge, self.controller = game, judge, controller

    def learn(self, mind, result):
        """Return what the controller learned."""
        return self.controller.learn(mind, result)

    def played_at(self, mind):
        """Return what the controller says."""
        return self.controller.played_at(mind)

    def path(self, mind):
        """Return what the controller says."""
        return self.controller.path(mind)

    def check(self, mind):
        """Let the controller check a stored mind."""
        self.controller.check(mind)


class SearchPlayer(ControlledPlayer):
    """A tree search whose plan and action a controller decides."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        controller: Controller,
        *,
        judge: Evaluator | None = None,
        leaves: int = 1,
        reuse: bool = False,
        seconds: float | None = None,
    ):
        """Search with ``evaluator``; ``judge`` (the same by default) is what controllers see.

        ``seconds`` is the most for a move. With ``reuse`` the search continues in the `SearchTree`
        that a caller keeps with the game.
        """
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds={seconds} is outside (0, inf); choose one inside")
        super().__init__(game, judge or evaluator, controller)
        self.evaluator, self.leaves, self.reuse, self.seconds = evaluator, leaves, reuse, seconds

    @property
    def alike(self) -> tuple:
        """Players with an equal key can search in one forest, whatever their controllers are."""
        return id(self.evaluator), id(self.judge), self.leaves, self.seconds

    def new_tree(self) -> SearchTree | None:
        """Return a tree to keep with one game; None if each move begins a new search."""
        return SearchTree(self) if self.reuse else None

    def decide(self, turns):
        """Decide turns in a forest of their own; an `Engine` keeps one for more calls."""
        return Forest(self).decide([(self.controller, turn) for turn in turns])


class Forest:
    """The trees of turns that are decided together; nothing in them outlives a call."""

    def __init__(self, player: SearchPlayer):
        self._game, self._judge, self._seconds = player.game, player.judge, player.seconds
        self._search = Search(player.game, player.evaluator, nodes=NODES, leaves=player.leaves)

    def decide(
        self,
        turns: Sequence[tuple[Controller, Turn]],
        *,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> list[Decision]:
        """Ask the controllers for plans, search all trees together, ask for actions."""
        count = len(turns)
        if count > self._search.trees:
            self._search.resize(max(count, 2 * self._search.trees))
        alone = [turn for _, turn in turns]
        seeds = seeds_of(alone)
        trees = np.arange(count)

        def search(plans: list[Plan]) -> RootStats:
            self._search.plant(trees, states_of(alone), seeds)
            return self._search.run(
                trees, plans, seconds=least(seconds, self._seconds), stopped=stopped
            )

        return decided(self._game, self._judge, turns, seeds, search)


class SearchTree:
    """One tree that goes along with one game of one opponent (`reuse=on`)."""

    def __init__(self, player: SearchPlayer):
        self._player = player
        self._search = Search(player.game, player.evaluator, nodes=NODES, leaves=player.leaves)
        self._turn: Turn | None = None  # whose position is at the root

    def decide(
        self,
        turn: Turn,
        *,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> Decision:
        """Decide a turn: the search continues if the game continued from the latest turn."""
        player, seeds = self._player, seeds_of([turn])
        tree = np.zeros(1, np.intp)
        since = None if self._turn is None else turn.line.since(self._turn.line)
        if since is None:
            self._search.plant(tree, turn.line.state[None], seeds)
        else:
            for ply, action in enumerate(since, start=turn.line.ply - len(since) + 1):
                self._search.follow(tree, [action], turn.line.states[ply][None])
        self._turn = None  # until the search has ended

        def search(plans: list[Plan]) -> RootStats:
            limit = least(seconds, player.seconds)
            return self._search.run(tree, plans, seconds=limit, stopped=stopped)

        pair = (player.controller, turn)
        (found,) = decided(player.game, player.judge, [pair], seeds, search)
        self._turn = turn
        return found


def least(*limits: float | None) -> float | None:
    """Return the least of some limits; None if there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def decided(
    game: Game,
    judge: Evaluator,
    turns: Sequence[tuple[Controller, Turn]],
    seeds: NDArray[np.uint64],
    search: Callable[[list[Plan]], RootStats],
) -> list[Decision]:
    """Return decisions [n]: observe, plan, ``search``, choose.

    ``seeds`` [n] are of the turns. ``search(plans)`` searches all positions.
    """
    views = views_of(game, judge, turns)
    minds = [c.observe(view, t.mind) for (c, t), view in zip(turns, views, strict=True)]
    controllers = [controller for controller, _ in turns]
    every = list(zip(controllers, views, minds, strict=True))
    stats = search([controller.plan(view, mind) for controller, view, mind in every])
    roots = root_rows(stats)
    found = []
    for (controller, view, mind), root, seed in zip(every, roots, seeds, strict=True):
        action, mind = controller.choose(root, view, mind, np.random.default_rng(int(seed)))
        found.append(Decision(action, mind, (1 + float(root.means[root.best])) / 2, root))
    return found


def root_rows(stats: RootStats) -> list[Root]:
    """Return the statistics of each tree by itself."""
    best = stats.best()
    return [
        Root(
            stats.visits[i],
            stats.means[i],
            stats.priors[i],
            stats.legal[i],
            float(stats.values[i]),
            int(best[i]),
        )
        for i in range(len(best))
    ]


# -- what controllers see --------------------------------------------------------------------


class _Seen(NamedTuple):
    """What a network says of one game's latest positions."""

    values: Floats  # [k] for the controller's side, newest first
    logits: Floats  # [A] one ply ago; empty if not requested


def views_of(game: Game, judge: Evaluator, turns: Sequence[tuple[Controller, Turn]]) -> list[View]:
    """Return what each controller may see before it plans."""
    seen = _judged(game, judge, turns)
    by_rating = _by_rating(game, judge, turns)
    views = []
    for (controller, turn), judged, policies in zip(turns, seen, by_rating, strict=True):
        line, reply = turn.line, None
        if controller.reads_replies and line.ply and line.marks[-1] == OWN:
            action = line.actions[-1]
            if game.action_cells(line.states[-2], action):  # a pass is of no style
                reply = Reply(judged.logits, action, policies)
        values = judged.values[: controller.value_history]
        views.append(View(line.ply, turn.side, values, reply))
    return views


def _judged(game: Game, judge: Evaluator, turns: Sequence[tuple[Controller, Turn]]) -> list[_Seen]:
    """Judge as many of each game's latest positions as its controller wants."""
    counts = [
        min(max(controller.value_history, 2 * controller.reads_replies), turn.line.ply + 1)
        for controller, turn in turns
    ]
    nothing = np.empty(0, np.float32)
    if not any(counts):
        return [_Seen(nothing, nothing)] * len(counts)
    rows = [
        (pair, back) for pair, count in zip(turns, counts, strict=True) for back in range(count)
    ]
    states = np.array([turn.line.states[turn.line.ply - back] for (_, turn), back in rows])
    sides = np.array([turn.side for (_, turn), _ in rows], np.int8)
    dropout = np.array([controller.value_dropout(turn.mind) for (controller, turn), _ in rows])
    seeds = turn_seeds(
        np.array([turn.seed for (_, turn), _ in rows], np.uint64),
        np.array([turn.line.ply + 1000 * (1 + back) for (_, turn), back in rows]),
    )
    damaged = dropout if dropout.any() else None
    said = judge.evaluate(states, Request(dropout=damaged, seeds=seeds))
    values = np.clip(said.values, -1, 1)
    values *= game.to_play(states) * sides
    logits = np.where(game.legal_mask(states), said.logits, -np.inf).astype(np.float32)
    at = np.cumsum(counts)[:-1]
    return [
        _Seen(some, row[1] if len(row) > 1 else nothing)
        for some, row in zip(np.split(values, at), np.split(logits, at), strict=True)
    ]


def _by_rating(
    game: Game, judge: Evaluator, turns: Sequence[tuple[Controller, Turn]]
) -> list[Floats | None]:
    """Return the logits one ply ago, [K, A], of people of the ratings that controllers name."""
    found: list[Floats | None] = [None] * len(turns)
    some = [i for i, (c, turn) in enumerate(turns) if c.reply_ratings and turn.line.ply]
    if not some:
        return found
    counts = [len(turns[i][0].reply_ratings) for i in some]
    rows = np.repeat(some, counts)
    states = np.array([turns[i][1].line.states[-2] for i in rows])
    request = Request(
        ratings=np.concatenate([turns[i][0].reply_ratings for i in some]),
        scales=np.array([turns[i][0].reply_scale for i in rows], np.int32),
    )
    said = judge.evaluate(states, request).logits
    logits = np.where(game.legal_mask(states), said, -np.inf).astype(np.float32)
    for i, policies in zip(some, np.split(logits, np.cumsum(counts)[:-1]), strict=True):
        found[i] = policies
    return found
