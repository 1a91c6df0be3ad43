"""Proofs: positions whose outcome is known for certain, and what follows above them.

This is MCTS-Solver (Winands, Björnsson and Saito 2008). Where the game is over, the outcome is
known. A position from which an action leads to a lost one is won; it is lost, or drawn, once all
its actions are known. A known position counts as finished: descents end there, and its action
has that value however often it was visited.

By the conventions of the search a repetition is a draw, and so is what follows from one. Wins and
losses need no convention.

A known value contains the distance: a win in p plies is 1 - p / 1024 and a loss in p plies
-1 + p / 1024, so that short wins and long losses are preferred. The first win that is found need
not be the shortest.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.game import ONE_PLY, Game, States, expand
from evenmatch.search.forest import TERMINAL, UNDECIDED, clear_node

MOST_ANSWERS = 20_000  #: to the moves at a root that are looked at before the search


class KnownChildren(NamedTuple):
    """The n children of a position whose outcomes are known; values are for their side to move."""

    states: States  # [n, S]
    actions: NDArray[np.int32]  # [n] that lead to them
    values: NDArray[np.float32]  # [n]


def known_children(game: Game, root: States) -> KnownChildren:
    """Find which children of a position [1, S] are known, by looking at all answers to them.

    So a win in two moves of one's own is seen however unlikely the network thinks it. Where there
    are more than ``MOST_ANSWERS``, answers are not looked at.
    """
    children, _, actions = expand(game, root)
    counts, values = _settled(game, children)
    going = np.flatnonzero(counts)
    if 0 < counts.sum() <= MOST_ANSWERS:
        answered, parents, _ = expand(game, children[going])
        open_after, after = _settled(game, answered)
        least = np.full(len(going), np.inf, np.float32)
        np.minimum.at(least, parents, np.where(open_after > 0, 0, after))
        lost = least > 0
        counts[going[lost]], values[going[lost]] = 0, ONE_PLY - least[lost]
    known = counts == 0
    return KnownChildren(children[known], actions[known], values[known])


def _settled(game: Game, states: States) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return counts [n] of legal actions and values [n], 0 and the outcome where it is known."""
    actions, counts, values = game.examine(states)
    game.settle(states, actions, counts, values)
    return counts, values


def settled_line(game: Game, state: NDArray[np.uint64]) -> list[int]:
    """Return how a position [S] ends whose winner is known without a search: best play of both.

    The winner takes the shortest way, the loser the longest. Empty if nobody is known to win.
    """
    line: list[int] = []
    while True:
        _, counts, _ = game.examine(state[None])
        known = known_children(game, state[None])
        values = known.values
        if not counts[0] or not len(values):
            return line
        best = int(values.argmin())
        if not (values[best] < 0 or (values[best] > 0 and len(values) == counts[0])):
            return line
        line.append(int(known.actions[best]))
        state = known.states[best]


class WinSearch:
    """Looks for a win in few moves of the side to move, through all moves of both sides.

    Where it finds none there is none.
    """

    def __init__(self, game: Game, most: int, stopped: Callable[[], bool]):
        """It looks at ``most`` positions about, and gives up once ``stopped``."""
        self.positions = 0  #: looked at
        self.without = 0  #: moves in which there is no win
        self._game = game
        self._most = most
        self._stopped = stopped
        self._refuting: dict[int, int] = {}  # by moves: the answer that refuted the last try

    def shortest(
        self, state: NDArray[np.uint64], moves: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[int]:
        """Return the shortest win from ``state`` [S] in at most ``moves`` moves, as a line.

        It takes ``without`` + 1 moves, and the loser takes the longest way. The line is empty
        without a win, or if it gave up: then ``without`` is less than ``moves``. The first action
        is one of those ``allowed`` [A].
        """
        line: list[int] = []
        with suppress(_GivenUpError):
            while self.without < moves:
                action = self._win(state, self.without + 1, allowed)
                if action is not None:
                    line.append(action)
                    line += self._answered(state, action, self.without)
                    break
                self.without += 1
        return line

    def _answered(self, state: NDArray[np.uint64], action: int, moves: int) -> list[int]:
        """Return the rest of a win after ``action``, which takes ``moves`` moves more."""
        line: list[int] = []
        for more in range(moves, 0, -1):
            state = self._game.after(state[None], np.array([action]))[0]
            answers, _, actions = expand(self._game, state[None])
            slow = next(i for i, one in enumerate(answers) if self._win(one, more - 1) is None)
            state, found = answers[slow], self._win(answers[slow], more)
            assert found is not None, "every answer loses in time"
            action = found
            line += [int(actions[slow]), action]
        return line

    def _win(
        self, state: NDArray[np.uint64], moves: int, allowed: NDArray[np.bool_] | None = None
    ) -> int | None:
        """Return an action that wins in at most ``moves`` moves; None if there is none."""
        if not moves:
            return None
        children, actions, counts, values = self._children(state)
        tried = np.ones(len(actions), np.bool_) if allowed is None else allowed[actions]
        won = np.flatnonzero(tried & (counts == 0) & (values < 0))
        if len(won) or moves == 1:
            return int(actions[won[0]]) if len(won) else None
        for i in np.argsort(counts, kind="stable"):  # those with few answers are soon looked at
            if tried[i] and counts[i] and self._loses(children[i], moves - 1):
                return int(actions[i])
        return None

    def _loses(self, state: NDArray[np.uint64], moves: int) -> bool:
        """Tell whether every action leads to a win of the other side in ``moves`` moves."""
        answers, actions, counts, _ = self._children(state)
        if not counts.all():
            return False
        if moves == 1:
            legal = self._game.examine(answers)
            self._game.settle(answers, *legal)
            return bool((legal[2] > 1 - 1.5 * ONE_PLY).all())
        first = actions == self._refuting.get(moves, -1)
        for i in np.argsort(~first, kind="stable"):
            if self._win(answers[i], moves) is None:
                self._refuting[moves] = int(actions[i])
                return False
        return True

    def _children(
        self, state: NDArray[np.uint64]
    ) -> tuple[States, NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return a position's children, the actions, and their counts of actions and values."""
        children, _, actions = expand(self._game, state[None])
        self.positions += len(children)
        if self.positions > self._most or self._stopped():
            raise _GivenUpError
        _, counts, values = self._game.examine(children)
        return children, actions, counts, values


class _GivenUpError(Exception):
    """More positions than were allowed, or no more time."""


def plies_to_end(value: float) -> int:
    """Return after how many plies a known win or loss of that value is over."""
    return round((1 - abs(value)) / ONE_PLY)


@inlined
def is_known(nodes, edge):  # [N], EDGE
    """Tell whether an edge leads to a position whose outcome is known."""
    return edge.child >= 0 and nodes[edge.child].status == TERMINAL


@inlined
def known_mean(nodes, edge):  # [N], EDGE
    """Return what a known edge is worth to the side that moves along it; a ply is added."""
    value = np.float64(nodes[edge.child].value)
    if value < 0:
        return max(-value - ONE_PLY, ONE_PLY)
    if value > 0:
        return min(-value + ONE_PLY, -ONE_PLY)
    return 0.0


@inlined
def best_known(nodes, edges, node):  # [N], [M], NODE
    """Return the edge that decides a node: a win, or the best once all are known; otherwise -1.

    The shorter of two wins is the better one.
    """
    best, best_mean, all_known = -1, -2.0, node.next_choice < 0
    for e in range(node.first_edge, node.first_edge + node.edge_count):
        if is_known(nodes, edges[e]):
            mean = known_mean(nodes, edges[e])
            if mean > best_mean:
                best, best_mean = e, mean
        else:
            all_known = False
    return best if all_known or best_mean > 0 else -1


@inlined
def prove(nodes, edges, trees, t, n):  # [N], [M], [B], int, int
    """Find what follows above a node that has just become known, up to the root."""
    while n != 0:
        n = nodes[n].parent
        decisive = best_known(nodes, edges, nodes[n])
        if decisive < 0:
            return
        if n == 0:
            trees[t].decided_by = decisive
            return
        nodes[n].value = known_mean(nodes, edges[decisive])
        nodes[n].status = TERMINAL


@inlined
def settle_root(forest, t, simulations):  # Forest, int, int
    """Spend simulations of a tree whose root is known on the edge that decides it.

    All would follow it, and end where it leads.
    """
    nodes, edge = forest.nodes[t], forest.edges[t, forest.trees[t].decided_by]
    nodes[0].visits += simulations
    nodes[edge.child].visits += simulations
    edge.visits += simulations
    edge.value_sum += simulations * known_mean(nodes, edge)


@kernel
def add_known_children(forest, t, states, actions, values):  # Forest, int, [n, S], [n], [n]
    """Make the children of a root known whose outcomes are, with or without visits so far."""
    nodes, edges, root = forest.nodes[t], forest.edges[t], forest.nodes[t, 0]
    forest.trees[t].decided_by = UNDECIDED
    for i in range(len(actions)):
        for e in range(root.first_edge, root.first_edge + root.edge_count):
            if edges[e].action == actions[i] and not is_known(nodes, edges[e]):
                if edges[e].child < 0:
                    add_child(forest, t, e, states[i])
                nodes[edges[e].child].value = values[i]
                nodes[edges[e].child].status = TERMINAL
    decisive = best_known(nodes, edges, root)
    if decisive >= 0:
        forest.trees[t].decided_by = decisive


@inlined
def add_child(forest, t, e, state):  # Forest, int, int, [S]
    """Make the node below an edge of the root, without a visit."""
    n = forest.trees[t].nodes
    forest.trees[t].nodes += 1
    forest.edges[t, e].child = n
    clear_node(forest.nodes[t, n], 0, e)
    for word in range(len(state)):
        forest.states[t, n, word] = state[word]


@kernel
def read_known(forest, trees, known):  # [n], [n, A]
    """Write what root actions are known to be worth, spread over all actions."""
    for i in range(len(trees)):
        t = trees[i]
        root = forest.nodes[t, 0]
        for e in range(root.first_edge, root.first_edge + root.edge_count):
            if is_known(forest.nodes[t], forest.edges[t, e]):
                known[i, forest.edges[t, e].action] = known_mean(
                    forest.nodes[t], forest.edges[t, e]
                )
