"""Dynamic strength adjustment (Wu et al. 2019): a dial of strength turned by results or values.

``InterGame`` turns it between games by their results, ``IntraGame`` between moves by the
search's view of the game. Both wrap a controller with a strength index ``z`` that, like
``VisitSoftmax``, plans and chooses by that alone: what else it might want to see is not passed on.
"""

from typing import Any, Protocol

import numpy as np

from evenmatch.search.plan import Plan
from evenmatch.strength.controller import (
    VERSION,
    Controller,
    Root,
    View,
    learned,
    numbers_in,
    require,
)

#: The paper cools down within 150 moves, about 0.65 of a game of Go (230 plies); for shorter
#: games this share of the board's cells is taken instead.
COOL_DOWN_SHARE = 0.65


class Dial(Protocol):
    """A controller with a strength index: more is stronger."""

    z: float

    def plan(self, view: View) -> Plan:
        """Return how the next search runs."""

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return the action to play."""


class InterGame(Controller):
    """z falls after a win and rises after a loss, by steps that shrink from game to game.

    z starts at 0; the step is ``delta`` (Delta z_init) at first, shrinks by the factor ``r`` a
    game, and stays at least ``floor`` (Delta z_low). A draw leaves z as it is.
    """

    def __init__(self, dial: Dial, delta: float = 0.375, r: float = 0.95, floor: float = 0.03):
        require("delta", delta, 0, 100)
        require("r", r, 0, 1)
        require("floor", floor, 0, 100)
        self.dial = dial
        self.dial.z = 0.0
        self.delta = delta
        self.r = r
        self.floor = floor
        self.games = 0

    @property
    def step(self) -> float:
        """Delta z of the next result."""
        return max(self.delta * self.r**self.games, self.floor)

    def plan(self, view: View) -> Plan:
        """Return the dial's plan."""
        return self.dial.plan(view)

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Return the dial's choice."""
        return self.dial.choose(root, rng)

    def finish(self, result: float | None) -> None:
        """Turn the dial against the result, by a share of the step if it is a fraction."""
        if result is not None:
            self.dial.z -= self.step * result
            self.games += 1

    def remember(self) -> dict[str, Any]:
        """Return z and the number of games."""
        return {"kind": "inter", "version": VERSION, "z": self.dial.z, "games": self.games}

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from such a state."""
        z, games = learned(state, "inter", {"z": (-1e6, 1e6), "games": (0, 1e9)})
        self.dial.z, self.games = float(z), int(games)


class IntraGame(Controller):
    """z falls while it wins and rises while it loses, within one game; eq. 18.

    ``delta`` is Delta Z at the first move; it falls linearly to 0 by ply ``cool_down`` of the
    game. ``epsilon`` is the half-width of the range of win rates with smaller steps.
    """

    def __init__(self, dial: Dial, cool_down: int, delta: float = 0.2, epsilon: float = 0.1):
        require("delta", delta, 0, 100)
        require("epsilon", epsilon, 1e-6, 0.5)
        require("cool_down", cool_down, 1, 10**6)
        self.dial = dial
        self.dial.z = 0.0
        self.delta = delta
        self.epsilon = epsilon
        self.cool_down = cool_down
        self._ply = 0

    def plan(self, view: View) -> Plan:
        """Return the dial's plan."""
        self._ply = view.ply
        return self.dial.plan(view)

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Turn the dial by the win rate of the most visited action, then let it choose."""
        win_rate = (1 + float(root.means[root.best])) / 2
        self.dial.z -= self.step(win_rate)
        return self.dial.choose(root, rng)

    def snapshot(self) -> dict[str, Any]:
        """Return z."""
        return {"z": self.dial.z}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to such a z."""
        (z,) = numbers_in(state, {"z": (-1e6, 1e6)})
        self.dial.z = float(z)

    def step(self, win_rate: float) -> float:
        """Return how far z falls: Delta z of eq. 18 with the sign of W - 50%."""
        warmth = max(0.0, 1 - self._ply / self.cool_down)
        share = (win_rate - 0.5) / self.epsilon
        return self.delta * warmth * max(-1.0, min(share, 1.0))


def cool_down_plies(cells: int) -> int:
    """Return the ply by which a game on a board of so many cells has cooled down."""
    return max(1, round(COOL_DOWN_SHARE * cells))
