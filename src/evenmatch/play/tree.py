"""One tree that thinks about a game, kept from move to move: for front ends at full strength."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.search import Evaluator, Plan, RootStats, Search, Solve, Unvisited
from evenmatch.search.forest import Forest, node_bytes, seeds_from
from evenmatch.search.puct import best_line
from evenmatch.search.solver import settled_line

LEAVES = 8  #: of the tree judged at once
ROOM = 1 << 16  #: nodes of a tree before it is copied to more room; not used, it costs no memory
ROUND = 32  #: simulations between looks at what was reached; the clock is looked at after LEAVES
MOST_SIMULATIONS = 10**7
EXHAUSTED = 4  #: simulations a node from which a tree has little left to find...
LEAST_NODES = 250  #: ...where it has some nodes
FOLLOWED = 8  #: most plies since the latest search for which the tree is kept
PLAN = Plan(c_puct=1.75, unvisited=Unvisited.REDUCTION, unvisited_value=0.33)


class Tree:
    """The one tree of a search at full strength, kept from move to move."""

    def __init__(self, game: Game, network: Evaluator, megabytes: int):
        """Make a tree that takes up to ``megabytes`` of memory."""
        self.hash = megabytes
        each = node_bytes(game.search_words, game_info(game.id).branching)
        self._most = max(1000, megabytes * 10**6 // each)
        room = min(self._most, ROOM)
        self._search = Search(game, network, trees=1, nodes=room, leaves=LEAVES)
        self._solve = Solve.SETTLE if game_info(game.id).solves else Solve.NEVER
        self.lines = 1  #: how many are asked for; with several a proven one does not end it
        self._line: Line | None = None
        self._limited = False  # whether only some of the root's actions are searched

    def root(self, line: Line, seed: int, allowed: NDArray[np.bool_] | None = None) -> None:
        """Go to a position, and keep the tree if the game continues from the last position.

        Only the actions ``allowed`` [A] are searched, if given.
        """
        anew = self._line is None or self._limited or allowed is not None
        since = None if anew or self._line is None else line.since(self._line)
        if since is None or len(since) > FOLLOWED:
            self._search.plant([0], line.state[None], seeds_from(seed, 1))
        else:
            for ply, action in enumerate(since, start=line.ply - len(since) + 1):
                self._search.follow([0], [action], line.states[ply][None])
        self._line, self._limited = line, allowed is not None
        if allowed is not None:
            self._search.keep([0], allowed, PLAN)

    def grow(self, simulations: int, stopped: Callable[[], bool]) -> None:
        """Run more simulations, fewer if ``stopped`` after some of them."""
        solve = Solve.ANALYSE if self._solve and self.lines > 1 else self._solve
        plan = replace(PLAN, simulations=self.visits + simulations, solve=solve)
        self._search.run([0], plan, stopped=stopped)

    def stats(self) -> RootStats:
        """Return what is known of the root's actions."""
        return self._search.read([0])

    def line(self, action: int) -> list[int]:
        """Return the best line of a root action; of a proven win or loss up to the end."""
        actions = best_line(self.forest, 0, action)
        known = self.stats().known
        if self._line is not None and known is not None and np.nan_to_num(known[0, action]):
            state = self._line.state[None]
            for one in actions:
                state = self._search.game.after(state, np.array([one]))
            actions += settled_line(self._search.game, state[0])
        return actions

    @property
    def forest(self) -> Forest:
        """The arrays."""
        return self._search.forest

    @property
    def visits(self) -> int:
        """Simulations below the root so far."""
        return max(int(self.forest.nodes[0, 0]["visits"]) - 1, 0)

    @property
    def full(self) -> bool:
        """Whether the memory given is used."""
        return int(self.forest.trees[0]["nodes"]) + ROUND >= self._most

    @property
    def exhausted(self) -> bool:
        """Whether simulations hardly find positions that are new: what is left to play is short."""
        return self.visits > EXHAUSTED * (int(self.forest.trees[0]["nodes"]) + LEAST_NODES)

    @property
    def decided(self) -> bool:
        """Whether nothing is left to search: the root's outcome is proven.

        With several lines every action has to be proven.
        """
        if not self._solve or self.forest.trees[0]["decided_by"] < 0:
            return False
        known, legal = self.stats().known, self.stats().legal[0]
        return self.lines == 1 or known is None or not np.isnan(known[0, legal]).any()

    @property
    def hashfull(self) -> int:
        """Share of that memory in use, of a thousand."""
        return min(1000, 1000 * int(self.forest.trees[0]["nodes"]) // self._most)

    @property
    def depth(self) -> int:
        """How many actions the best line has."""
        return len(best_line(self.forest, 0, int(self.stats().best()[0])))


def best_actions(stats: RootStats, most: int) -> Iterator[int]:
    """Yield the root's actions by visits, then by value, then by prior, the highest first.

    Proven wins come before all others, proven losses after them.
    """
    known = np.zeros(len(stats.visits[0])) if stats.known is None else np.nan_to_num(stats.known[0])
    visits = np.where(known, np.sign(known) * MOST_SIMULATIONS * 10 + known, stats.visits[0])
    order = np.lexsort((-stats.priors[0], -stats.means[0], -visits))
    legal: NDArray[np.bool_] = stats.legal[0]
    yield from (int(action) for action in order[legal[order]][:most])
