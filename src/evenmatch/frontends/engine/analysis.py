"""What a search reports: its moves as rows, and the points of the positions in its tree.

`uci` and `gtp` write the same rows: as ``info multipv``, ``lz-analyze`` and ``kata-analyze``.

A tree search plays its most visited move, and a move with fewer visits can have a higher mean.
Go programs show rows by visits. Chess programs expect them in the order of their scores, with the
move that is played first (`by_score`). There means are compared only between moves with at least
half as many visits as the most visited one, and the best of these is first. A move with fewer
visits and a higher mean is shown with the score of the first as a lower bound. With a single row it
is the most visited move.

Proven outcomes need no visits: wins come first, the quickest in front, and losses last.

The lead after a move is the average of the leads of the positions that the search has reached after
it, and so is ownership. Deviations are how far these lie apart: how much the search still disagrees
with itself, not how far final scores will lie apart. Only a sample of the positions is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.line import Line
from evenmatch.play.tree import LEAVES, Tree, best_actions
from evenmatch.search import RootStats
from evenmatch.search.evaluator import Evaluation
from evenmatch.search.forest import Forest
from evenmatch.search.solver import plies_to_end

TRUSTED = 0.5  #: share of the most visits from which a mean is compared with others
SAMPLED = 32  #: positions of a tree that are evaluated, in addition to one per move
WHOLE = -1  #: among actions: the whole tree


class Row(NamedTuple):
    """A move at the root of a search."""

    action: int
    value: float  #: for the side to move, in [-1, 1]
    visits: int = 0
    prior: float = 0.0
    mate: int | None = None  #: moves to a proven mate, negative if the side to move is mated
    bound: bool = False  #: whether ``value`` is a lower bound


def by_visits(stats: RootStats, most: int, value: float) -> list[Row]:
    """Return the ``most`` most visited actions; ``value`` stands for those without visits."""
    visits, means, priors = stats.visits[0], stats.means[0], stats.priors[0]
    return [
        Row(a, float(means[a]) if visits[a] else value, int(visits[a]), float(priors[a]))
        for a in best_actions(stats, most)
    ]


def by_score(stats: RootStats, most: int, value: float, mates: Callable[[int], bool]) -> list[Row]:
    """Return the ``most`` most visited actions in the order of their scores.

    ``value`` is the network's value of the position. Actions without visits come after those with
    some, and get at most the value of the row before them. ``mates`` says whether an action is
    checkmate, which is known without visits.
    """
    proven, others = [], []
    for row in by_visits(stats, most, value):
        known = _proven(stats, row, mates(row.action))
        others.append(row) if known is None else proven.append(known)
    searched = [row for row in others if row.visits]
    trusted = [row.value for row in searched if row.visits >= TRUSTED * searched[0].visits]
    highest = max(trusted, default=-1.0)
    shown = [
        row._replace(value=min(row.value, highest), bound=row.value > highest) for row in searched
    ]
    proven.sort(key=lambda row: -row.value)
    shown += [row for row in proven if row.value == 0]
    rows = [row for row in proven if row.value > 0]
    rows += sorted(shown, key=lambda row: (-row.value, row.bound))
    for row in others:
        if not row.visits:
            rows.append(row._replace(value=min(value, rows[-1].value)) if rows else row)
    return rows + [row for row in proven if row.value < 0]


def _proven(stats: RootStats, row: Row, mates: bool) -> Row | None:
    """Return the row of an action whose outcome is certain, None for another."""
    if mates:
        return row._replace(value=1.0, mate=1)
    known = np.nan if stats.known is None else float(stats.known[0, row.action])
    if np.isnan(known):
        return None
    plies = plies_to_end(known) if known else 0
    mate = (plies + 1) // 2 if known > 0 else -(plies // 2)
    return row._replace(value=known, mate=mate if known else None)


# -- points ---------------------------------------------------------------------------------------


class Spread(NamedTuple):
    """The network's points at some positions: averages and deviations, for one side."""

    lead: float  #: points
    deviation: float  #: of the leads
    owned: NDArray | None  #: [P] expected owner of each point, 1 this side
    owned_deviation: NDArray | None  #: [P]


class Points:
    """The network's leads and ownership at the positions of a tree, each evaluated once."""

    def __init__(self, line: Line, judge: Callable[[NDArray[np.uint64]], Evaluation | None]):
        """``line`` ends at the root of the tree; ``judge`` evaluates positions [n, S]."""
        self._line, self._judge = line, judge
        self._leads: dict[int, float] = {}  # by node, for the side to move at the root
        self._owned: dict[int, NDArray] = {}

    def spreads(self, tree: Tree, actions: Sequence[int]) -> dict[int, Spread]:
        """Return the points after each action that was visited, those of the whole tree for WHOLE.

        Empty if the network does not know points.
        """
        forest = tree.forest
        used = int(forest.trees[0]["nodes"])
        below: dict[int, NDArray] = {}
        top = _children_of_root(forest.nodes[0, :used]["parent"])
        for action in actions:
            edge = None if action == WHOLE else _edge(forest, 0, action)
            if action == WHOLE:
                below[action] = np.arange(used)
            elif edge is not None and edge["child"] >= 0:
                below[action] = np.flatnonzero(top == edge["child"])
        samples = {
            action: _some(nodes, max(SAMPLED * len(nodes) // used, 1)).tolist()
            for action, nodes in below.items()
        }
        wanted = {node for sample in samples.values() for node in sample}
        if not samples or not self._evaluate(forest, sorted(wanted - self._leads.keys())):
            return {}
        return {action: self._spread(nodes) for action, nodes in samples.items()}

    def _evaluate(self, forest: Forest, nodes: Sequence[int]) -> bool:
        """Evaluate nodes that are not known yet; return whether the network knows points.

        In batches as large as those of a search: the network is compiled for each other size.
        """
        game = self._line.game
        for at in range(0, len(nodes), LEAVES):
            some = list(nodes[at : at + LEAVES])
            states = forest.states[0, some]
            judged = self._judge(states)
            if judged is None or judged.leads is None:
                return False
            signs = game.to_play(states) * self._line.side
            self._leads |= zip(some, (judged.leads * signs).tolist(), strict=True)
            if judged.ownership is not None:
                self._owned |= zip(some, judged.ownership * signs[:, None], strict=True)
        return True

    def _spread(self, nodes: Sequence[int]) -> Spread:
        leads = np.array([self._leads[node] for node in nodes])
        owned = [self._owned[node] for node in nodes if node in self._owned]
        both = (np.mean(owned, 0), np.std(owned, 0)) if owned else (None, None)
        return Spread(float(leads.mean()), float(leads.std()), *both)


def _children_of_root(parents: NDArray) -> NDArray:
    """Return the child of the root that each node [N] is or lies below; 0 for the root itself."""
    top = np.where(parents > 0, parents, np.arange(len(parents)))
    while not np.array_equal(up := top[top], top):
        top = up
    return top


def _some(nodes: NDArray, most: int) -> NDArray:
    """Return every first, second, fourth or eighth ... of the nodes, at most ``most``.

    So evaluations stay useful when the tree grows.
    """
    return nodes[:: 1 << (-(-len(nodes) // most) - 1).bit_length()]


def _edge(forest: Forest, node: int, action: int) -> np.void | None:
    begin, count = (int(forest.nodes[0, node][name]) for name in ("first_edge", "edge_count"))
    edges = forest.edges[0, begin : begin + count]
    found = edges[edges["action"] == action]
    return found[0] if len(found) else None


def visits_along(forest: Forest, actions: Sequence[int]) -> list[int]:
    """Return the number of visits of each action of a line from the root."""
    node, visits = 0, []
    for action in actions:
        edge = _edge(forest, node, action)
        assert edge is not None  # the line is of this tree
        visits.append(int(edge["visits"]))
        node = int(edge["child"])
    return visits
