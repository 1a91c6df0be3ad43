"""Strength adjustment (Wu et al. 2019): visit-count softmax, and its inter- and intra-game forms.

A move is drawn with probability pi_i(z) = N_i^z / sum_j N_j^z (not numbered, used from eq. 5 on)
among the candidates, the moves with N_i >= R_th N_1, where N_1 is the most visits of any (section
"Our approach"; 0.1). z = inf plays the most visited move, 0 any
candidate, -inf the least visited candidate. Sephton et al. 2015 have no threshold (R_th = 0)
and may keep only the ``top`` most visited moves. Moves without visits are never candidates: for
z < 0 nothing would weigh against them.

``InterGame`` changes z between games by their results, ``IntraGame`` between moves by the search's
view of the game.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.opponents.controller import Controller, Mind, Root, State, View, require
from evenmatch.search.plan import Plan

#: The paper cools down within 150 moves, about 0.65 of a game of Go (230 plies); for shorter
#: games this share of the board's cells is taken instead, if it is less.
PAPER_COOL_DOWN, COOL_DOWN_SHARE = 150, 0.65
Z = -1e6, 1e6  #: between which z stays


def candidates(visits: NDArray, legal: NDArray[np.bool_], r_th: float, top: int = 0) -> NDArray:
    """Return which actions [A] may be played: N_i >= R_th N_1, and the ``top`` of them if given.

    Actions with as many visits as the last of the top are all candidates; without any visits,
    all legal ones.
    """
    most = visits[legal].max()
    allowed = legal & (visits >= max(r_th * most, min(most, 1)))
    if 0 < top < allowed.sum():
        allowed &= visits >= np.sort(visits[allowed])[-top]
    return allowed


def probabilities(visits: NDArray, allowed: NDArray[np.bool_], z: float) -> NDArray[np.float64]:
    """Return pi_i(z) = N_i^z / sum_j N_j^z over the allowed actions, [A]; exact at z = +-inf.

    Moves without visits are the limit of ever fewer visits: never played for z > 0, as likely as
    any for z = 0, always preferred for z < 0.
    """
    if math.isnan(z):
        raise UsageError("z is not a number; give one from -inf to inf")
    counts = visits[allowed]
    favoured = counts.max() if z > 0 else counts.min()
    if math.isinf(z) or (z and favoured == 0):
        weights = (counts == favoured).astype(float)
    else:
        with np.errstate(divide="ignore", over="ignore"):
            powers = z * np.log(counts / favoured) if z else np.zeros(len(counts))
        weights = np.exp(powers)  # at most 1, whatever z
    pi = np.zeros(len(visits))
    pi[allowed] = weights / weights.sum()
    return pi


class VisitSoftmax(Controller):
    """Draws its move by visits: a dial of strength, from the search's best (z = inf) downwards."""

    def __init__(self, z: float, r_th: float = 0.1, top: int = 0, base: Plan | None = None):
        if math.isnan(z):
            raise UsageError("z=nan is not a number; give one from -inf to inf")
        require("r_th", r_th, 0, 1)
        require("top", top, 0, 10**6)
        self.z = z
        self.r_th = r_th
        self.top = top
        self.base = base or Plan()

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan, whatever z: strength is lost in the choice, not in the search."""
        return self.base

    def choose(self, root, view, mind, rng):
        """Return an action drawn with pi(z)."""
        return self.draw(root, self.z, rng), mind

    def draw(self, root: Root, z: float, rng: np.random.Generator) -> int:
        """Return an action drawn with pi(z) among the candidates of a root."""
        allowed = candidates(root.visits, root.legal, self.r_th, self.top)
        pi = probabilities(root.visits, allowed, z)
        return int(rng.choice(len(pi), p=pi))


class InterGame(VisitSoftmax):
    """z falls after a win and rises after a loss, by steps that shrink from game to game.

    z starts at 0; the step is ``delta`` (Delta z_init) at first, shrinks by the factor ``r`` per
    game, and stays at least ``floor`` (Delta z_low). The defaults are those of the section on
    inter-game adjustment, which has no equation. It does not mention draws: they leave z as it is.
    """

    def __init__(self, delta: float = 0.375, r: float = 0.95, floor: float = 0.03, **softmax: Any):
        """``softmax`` are the other numbers of `VisitSoftmax`."""
        super().__init__(0.0, **softmax)
        require("delta", delta, 0, 100)
        require("r", r, 0, 1)
        require("floor", floor, 0, 100)
        self.delta, self.r, self.floor = delta, r, floor
        self.memory_bounds = {"z": Z, "games": (0, 1e9)}

    def step(self, games: int) -> float:
        """Return Delta z after so many results."""
        return max(self.delta * self.r**games, self.floor)

    def choose(self, root, view, mind, rng):
        """Return an action drawn with pi(z), by the z that earlier games led to."""
        return self.draw(root, mind.memory.get("z", self.z), rng), mind

    def learn(self, mind: Mind, result: float | None) -> State:
        """Move z against the result, by a share of the step if it is a fraction."""
        z, games = mind.memory.get("z", self.z), mind.memory.get("games", 0)
        if result is None:
            return {"z": z, "games": games}
        return {"z": z - self.step(games) * result, "games": games + 1}


class IntraGame(VisitSoftmax):
    """z falls while it wins and rises while it loses, within one game; eq. 18.

    ``delta`` is Delta Z at the first move (the paper tries 0.1 and 0.2); it falls linearly to 0 by
    ply ``cool_down`` of the game. ``epsilon`` is the half-width of the range of win rates with
    smaller steps.
    """

    def __init__(self, cool_down: int, delta: float = 0.2, epsilon: float = 0.1, **softmax: Any):
        """``softmax`` are the other numbers of `VisitSoftmax`."""
        super().__init__(0.0, **softmax)
        require("delta", delta, 0, 100)
        require("epsilon", epsilon, 1e-6, 0.5)
        require("cool_down", cool_down, 1, 10**6)
        self.delta, self.epsilon, self.cool_down = delta, epsilon, cool_down
        self.game_bounds = {"z": Z}

    def choose(self, root, view, mind, rng):
        """Move z by the win rate of the most visited action, then draw with pi(z)."""
        win_rate = (1 + float(root.means[root.best])) / 2
        z = mind.game.get("z", self.z) - self.step(win_rate, view.ply)
        return self.draw(root, z, rng), mind.in_game(z=z)

    def step(self, win_rate: float, ply: int) -> float:
        """Return how far z falls: Delta z of eq. 18 with the sign of W - 50%."""
        warmth = max(0.0, 1 - ply / self.cool_down)
        share = (win_rate - 0.5) / self.epsilon
        return self.delta * warmth * max(-1.0, min(share, 1.0))


def cool_down_plies(cells: int) -> int:
    """Return the ply by which a game on a board of so many cells has cooled down."""
    return max(1, min(round(COOL_DOWN_SHARE * cells), PAPER_COOL_DOWN))
