"""Moves by GTP's settings, and what the network says of the positions of a tree.

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

from evenmatch.frontends.engine.loop import Search
from evenmatch.frontends.engine.thinking import Over, Setup, Thinker, Watch, grow, unwatched
from evenmatch.frontends.gtp.dialects import IMPLIED
from evenmatch.frontends.gtp.protocol import Settings
from evenmatch.games.catalog import game_info
from evenmatch.games.line import Line
from evenmatch.opponents import parse_spec
from evenmatch.play.tree import LEAVES, MOST_SIMULATIONS, ROUND, Tree
from evenmatch.search.evaluator import Evaluation
from evenmatch.search.forest import Forest

WATCHED = 0.8  #: share of the time of a move that is searched where what it finds is reported, too
SAMPLED = 32  #: positions of a tree that are evaluated, beside one for each move at least
WHOLE = -1  #: among actions: the whole tree


class Chosen(NamedTuple):
    """A move, and the value of the position."""

    action: int | None  #: None: the player resigns
    value: float | None  #: for the side to move, in [-1, 1]; None: not known


class GtpThinker(Thinker):
    """Finds moves by the settings of a Go program."""

    def __init__(self, settings: Settings):
        self._settings = settings
        super().__init__()

    def setup(self) -> Setup:
        """Return what is set; a network that the player's spec names judges positions, too."""
        player = self._settings.player
        own = parse_spec(player)[1].get("net") if player else None
        return Setup(weights=self._settings.weights or own, seed=self._settings.seed)

    def opponent(self) -> tuple[str, str | None] | None:
        """Return the player's spec, and its network where the spec names none."""
        player = self._settings.player
        return None if player is None else (player, self._settings.weights)

    def ready(self, line: Line) -> None:
        """Load and compile what a move needs, so that none is late on the clock."""
        if line.legal:
            self.prepare(line)

    def choose(
        self,
        line: Line,
        seconds: float,
        watch: Watch | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> Chosen:
        """Return what to play at the end of a line that goes on, within ``seconds``.

        ``watch`` sees the tree of a search at full strength, again and again; of a player it sees
        what a short search finds. If only some actions are ``allowed`` [A], a tree search chooses
        among them.
        """
        search = Search(seconds * (1.0 if watch is None else WATCHED))
        search.start_clock()
        line = _standing(line)
        if len(line.legal) == 1 and watch is None:
            return Chosen(line.legal[0], None)
        if self._settings.player is None or allowed is not None:
            return self._search(line, seconds, search, watch or unwatched, allowed)
        chosen = Chosen(self.ask_opponent(line, lambda: search.over).action, self.value(line))
        if watch is not None:
            grow(self.rooted(line), lambda: False, ROUND, watch=watch)
        return chosen

    def _search(
        self,
        line: Line,
        seconds: float,
        search: Search,
        watch: Watch,
        allowed: NDArray[np.bool_] | None,
    ) -> Chosen:
        most = MOST_SIMULATIONS if np.isfinite(seconds) else game_info(line.game.id).simulations
        tree = self.rooted(line, allowed)
        grow(tree, lambda: search.over, self._settings.max_visits or most, watch=watch)
        stats = tree.stats()
        action = int(stats.best()[0])
        known = stats.visits[0, action]
        return Chosen(action, float(stats.means[0, action] if known else stats.values[0]))

    def analyse(
        self, line: Line, over: Over, watch: Watch, allowed: NDArray[np.bool_] | None = None
    ) -> None:
        """Grow the tree of a position until it is ``over``; ``watch`` sees it as long."""

        def look(tree: Tree, ended: bool) -> None:
            if not over():
                watch(tree, ended)

        grow(self.rooted(_standing(line), allowed), over, watch=look)

    def judged(self, line: Line) -> Evaluation | None:
        """Return the network's evaluation of the end of a line; None without a network."""
        return self.judge(line.game, line.state[None])

    def value(self, line: Line) -> float | None:
        """Return the network's value for the side to move."""
        judged = self.judged(line)
        return None if judged is None else float(judged.values[0])


def _standing(line: Line) -> Line:
    """Return a line that ends with an implied pass as one that begins after it.

    A tree that goes along the game would take that pass for a real one, which the next pass ends.
    """
    return Line(line.game, line.state) if line.marks[-1:] == [IMPLIED] else line


# -- points ---------------------------------------------------------------------------------------


class Spread(NamedTuple):
    """The network's points at some positions: averages and deviations, for one side."""

    lead: float  #: points
    deviation: float  #: of the leads
    owned: NDArray | None  #: [P] whose points will be, 1 own ones
    owned_deviation: NDArray | None  #: [P]


class Points:
    """What the network says of the positions of a tree, each evaluated once."""

    def __init__(self, line: Line, thinker: GtpThinker):
        """``line`` ends at the root of the tree; ``thinker`` has the network."""
        self._line, self._thinker = line, thinker
        self._leads: dict[int, float] = {}  # by node, for the side to move at the root
        self._owned: dict[int, NDArray] = {}

    def spreads(self, tree: Tree, actions: Sequence[int]) -> dict[int, Spread]:
        """Return the points after each action that was visited, of the whole tree for WHOLE.

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
        if not samples or not self._evaluate(forest, sorted(nodes - self._leads.keys())):
            return {}
        return {key: self._spread(nodes.tolist()) for key, nodes in samples.items()}

    def _evaluate(self, forest: Forest, nodes: Sequence[int]) -> bool:
        """Evaluate nodes that are not known yet; return whether the network knows points.

        As many at once as a search does: for another number the network would be compiled.
        """
        game = self._line.game
        for at in range(0, len(nodes), LEAVES):
            some = list(nodes[at : at + LEAVES])
            states = forest.states[0, some]
            judged = self._thinker.judge(game, states)
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
