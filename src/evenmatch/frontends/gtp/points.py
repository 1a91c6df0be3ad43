"""What the network says of the positions of a tree: points, and whose they will be.

The lead after a move is the average of the leads of the positions that the search has reached after
it, and so is ownership. Deviations are how far these lie apart: they say how much the search still
disagrees with itself, not how far final scores will lie apart. A sample of the positions is looked
at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.frontends.gtp.thinking import Thinker
from evenmatch.search.forest import Forest
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.tree import LEAVES, Tree

SAMPLED = 32  #: positions of a tree that are looked at, beside one a move at least
WHOLE = -1  #: among actions: the whole tree


class Spread(NamedTuple):
    """What the network says of some positions, on average and how far apart, for one side."""

    lead: float  #: points
    deviation: float  #: of the leads
    owned: NDArray | None  #: [P] whose points will be, 1 own ones
    owned_deviation: NDArray | None  #: [P]


class Points:
    """What the network says of the positions of a tree, each asked about once."""

    def __init__(self, line: GameLine, thinker: Thinker):
        """``line`` ends at the root of the tree; ``thinker`` asks the network."""
        self._line, self._thinker = line, thinker
        self._leads: dict[int, float] = {}  # by node, for the side to move at the root
        self._owned: dict[int, NDArray] = {}

    def spreads(self, tree: Tree, actions: Sequence[int]) -> dict[int, Spread]:
        """Return what is said after each action that was visited, of the whole tree for WHOLE.

        Empty if the network does not know points.
        """
        forest = tree.forest
        used = int(forest.trees[0]["nodes"])
        below: dict[int, NDArray] = {}
        top = _children_of_root(forest.nodes[0, :used]["parent"])
        for action in actions:
            child = 0 if action == WHOLE else _child(forest, 0, action)
            if child >= 0:
                below[action] = np.flatnonzero(top == child) if child else np.arange(used)
        samples = {
            key: _some(nodes, max(SAMPLED * len(nodes) // used, 1)) for key, nodes in below.items()
        }
        nodes = {node for sample in samples.values() for node in sample.tolist()}
        if not samples or not self._ask(forest, sorted(nodes - self._leads.keys())):
            return {}
        return {key: self._spread(nodes.tolist()) for key, nodes in samples.items()}

    def _ask(self, forest: Forest, nodes: Sequence[int]) -> bool:
        """Ask about nodes that are not known yet; tell whether the network knows points.

        As many at once as a search asks about: for another number the network would be compiled.
        """
        game = self._line.game
        for at in range(0, len(nodes), LEAVES):
            some = list(nodes[at : at + LEAVES])
            states = forest.states[0, some]
            said = self._thinker.judge(game, states)
            if said is None or said.leads is None:
                return False
            signs = game.to_play(states) * self._line.side
            self._leads |= zip(some, (said.leads * signs).tolist(), strict=True)
            if said.ownership is not None:
                self._owned |= zip(some, said.ownership * signs[:, None], strict=True)
        return True

    def _spread(self, nodes: Sequence[int]) -> Spread:
        leads = np.array([self._leads[node] for node in nodes])
        owned = [self._owned[node] for node in nodes if node in self._owned]
        if not owned:
            return Spread(float(leads.mean()), float(leads.std()), None, None)
        return Spread(float(leads.mean()), float(leads.std()), np.mean(owned, 0), np.std(owned, 0))


def _children_of_root(parents: NDArray) -> NDArray:
    """Return the child of the root that each node [N] is or lies below; 0 of the root itself."""
    top = np.where(parents > 0, parents, np.arange(len(parents)))
    while not np.array_equal(up := top[top], top):
        top = up
    return top


def _some(nodes: NDArray, most: int) -> NDArray:
    """Return each first, second, fourth or eighth ... of the nodes, ``most`` at the most.

    So what was looked at stays of use when the tree grows.
    """
    return nodes[:: 1 << (-(-len(nodes) // most) - 1).bit_length()]


def _child(forest: Forest, node: int, action: int) -> int:
    """Return the node that an action leads to, -1 if it was not visited."""
    edge = _edge(forest, node, action)
    return -1 if edge is None else int(edge["child"])


def _edge(forest: Forest, node: int, action: int) -> np.void | None:
    begin, count = (int(forest.nodes[0, node][name]) for name in ("first_edge", "edge_count"))
    edges = forest.edges[0, begin : begin + count]
    found = edges[edges["action"] == action]
    return found[0] if len(found) else None


def visits_along(forest: Forest, actions: Sequence[int]) -> list[int]:
    """Return how often each action of a line from the root was visited."""
    node, visits = 0, []
    for action in actions:
        edge = _edge(forest, node, action)
        assert edge is not None  # the line is of this tree
        visits.append(int(edge["visits"]))
        node = int(edge["child"])
    return visits
