"""Minimax players, of a fixed depth or of one that a controller decides (Fujita 2022)."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evenmatch.games.game import Game
from evenmatch.players.player import Player
from evenmatch.players.search_player import ControlledPlayer
from evenmatch.search import Evaluator, Plan
from evenmatch.strength import Controller, View
from evenmatch.strength.alphadda import ByValue
from evenmatch.strength.controller import require
from evenmatch_lab.baselines.minimax import Minimax


class MinimaxPlayer(Player):
    """Depth-limited minimax on a static evaluation (Fujita 2022, eqs. 13-15)."""

    def __init__(self, game: Game, variant: str, depth: int, quirks: bool):
        self._minimax = Minimax(game, variant, depth, worst_leaf=quirks)

    def choose(self, turns):
        """Return the action with the best minimax value, the first of equals."""
        return self._minimax.choose(turns.states)


def depth_for(mean_value: float, a: float, x0: float, most: int) -> int:
    """Return plies to search, ceil(-A (v + X0)) within [1, ``most``].

    The paper's outlook wants minimax that searches as deep as the value says, without a formula;
    this one is eq. 2 without its power of ten, since work grows by powers with depth.
    """
    return max(1, min(math.ceil(-a * (mean_value + x0)), most))


class DepthByValue(ByValue):
    """Fewer plies of minimax the better it stands: ``plan.simulations`` counts plies."""

    def __init__(self, n_h: int, a: float, x0: float, most: int):
        require("nh", n_h, 1, 1000)
        require("a", a, 0, 1000)
        require("x0", x0, -1000, 1000)
        require("depth", most, 1, 12)
        super().__init__(n_h, Plan(), quirks=False)
        self._constants = a, x0, most

    def plan(self, view: View) -> Plan:
        """Return a plan whose simulations are the depth for the mean value."""
        return replace(self.base, simulations=depth_for(self.mean_value(view), *self._constants))


class DepthPlayer(ControlledPlayer):
    """Minimax whose depth a controller decides: ``plan.simulations`` are plies (Fujita 2022)."""

    def __init__(
        self,
        game: Game,
        games: int,
        variant: str,
        judge: Evaluator,
        make_controller: Callable[[], Controller],
    ):
        super().__init__(game, games, judge, make_controller)
        self._variant = variant
        self._searches: dict[int, Minimax] = {}

    def choose(self, turns):
        """Search each position as deep as its controller says."""
        views = zip(turns.games, self.views(turns), strict=True)
        plans = [self._controllers[int(game)].plan(view) for game, view in views]
        depths = np.array([plan.simulations for plan in plans])
        actions = np.empty(len(depths), np.intp)
        for depth in np.unique(depths):
            rows = depths == depth
            actions[rows] = self._minimax(int(depth)).choose(turns.states[rows])
        return actions

    def _minimax(self, depth: int) -> Minimax:
        if depth not in self._searches:
            self._searches[depth] = Minimax(self._game, self._variant, depth)
        return self._searches[depth]
