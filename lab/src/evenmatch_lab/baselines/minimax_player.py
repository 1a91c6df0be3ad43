"""Minimax players, of a fixed depth or of one that a controller decides (Fujita 2022)."""

import math
from collections import defaultdict
from dataclasses import replace

from evenmatch.games.game import Game
from evenmatch.opponents.alphadda import ByValue
from evenmatch.opponents.controller import Controller, Mind, View, require
from evenmatch.opponents.player import Player, decisions, states_of
from evenmatch.opponents.search_player import ControlledPlayer, views_of
from evenmatch.search import Evaluator, Plan
from evenmatch_lab.baselines.minimax import Minimax


class MinimaxPlayer(Player):
    """Depth-limited minimax on a static evaluation (Fujita 2022, eqs. 13-15)."""

    def __init__(self, game: Game, variant: str, depth: int, quirks: bool):
        self._minimax = Minimax(game, variant, depth, worst_leaf=quirks)

    def decide(self, turns):
        """Return the action with the best minimax value, the first of equals."""
        return decisions(turns, self._minimax.choose(states_of(turns)))


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

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return a plan whose simulations are the depth for the mean value."""
        return replace(self.base, simulations=depth_for(self.mean_value(view), *self._constants))


class DepthPlayer(ControlledPlayer):
    """Minimax whose depth a controller decides: ``plan.simulations`` are plies (Fujita 2022)."""

    def __init__(self, game: Game, variant: str, judge: Evaluator, controller: Controller):
        super().__init__(game, judge, controller)
        self._variant = variant

    def decide(self, turns):
        """Search each position as deep as the controller says."""
        views = views_of(self.game, self.judge, [(self.controller, turn) for turn in turns])
        by_depth = defaultdict(list)
        for at, (turn, view) in enumerate(zip(turns, views, strict=True)):
            by_depth[self.controller.plan(view, turn.mind).simulations].append(at)
        found = {}
        for depth, some in by_depth.items():
            alike = [turns[at] for at in some]
            chosen = Minimax(self.game, self._variant, depth).choose(states_of(alike))
            found |= zip(some, decisions(alike, chosen), strict=True)
        return [found[at] for at in range(len(turns))]
