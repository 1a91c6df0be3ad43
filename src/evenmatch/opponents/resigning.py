"""When people of a rating resign, and when a game is so even that a draw is fair.

Fitted to people of lichess-rapid (docs/results/resignation.md). A *chance* is an expected
score from 0 (lost) to 1 (won), as the network's value v of a position says: (1 + v) / 2. It is
always that of the side that resigns or agrees, when it is to move.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError

MOST = 0.1  #: the chance above which nobody resigns here
CUT = 0.003, 0.5  #: between which a chance counts
RATINGS = 800.0, 2400.0  #: between which a rating counts
MIDDLE, STEP = 1600.0, 400.0  #: the rating in units of 400 from here
TURNS = 3  #: own turns that count: this one and two before
PATIENCE = 20  #: own turns at which nobody resigns here: the data has too few such short games


@dataclass(frozen=True)
class Habit:
    """Weights of the logit of the chance that a person resigns at a turn."""

    constant: float
    rating: float  #: of 400 Elo above 1600
    now: float  #: of the logit of the chance at this turn
    before: float  #: one own turn before
    earlier: float  #: two own turns before


PEOPLE = Habit(-6.4117, 0.4814, -1.6854, 0.406, 0.3483)

EVEN = 0.1  #: how far from 1/2 a chance is at most in a dead even game...
EVEN_TURNS = 4  #: ...at so many own turns in a row...
EVEN_PLIES = 80  #: ...after so many plies


def resign_chance(rating: float, chances: Sequence[float]) -> float:
    """Return the probability that a person of a rating of lichess-rapid resigns now.

    ``chances`` are the own chances at all own turns so far, the latest last. The probability is 0
    where the latest is above ``MOST``, and at the first ``PATIENCE`` turns. Ratings outside the
    data count as at its nearest end. Raises UsageError for a chance outside [0, 1].
    """
    _check(chances)
    if len(chances) <= PATIENCE or chances[-1] > MOST:
        return 0.0
    row = features(np.array([rating]), np.array([chances[: -TURNS - 1 : -1]]))
    return float(probabilities(PEOPLE, row)[0])


def accepts_draw(chances: Sequence[float], plies: int) -> bool:
    """Return whether the game is dead even, so that an offer of a draw is accepted.

    ``chances`` as in ``resign_chance``, ``plies`` the moves of both sides so far. Raises UsageError
    for a chance outside [0, 1].
    """
    _check(chances)
    latest = chances[-EVEN_TURNS:]
    even = all(abs(chance - 0.5) <= EVEN for chance in latest)
    return plies >= EVEN_PLIES and len(latest) == EVEN_TURNS and even


def features(ratings: NDArray, latest: NDArray) -> NDArray[np.float64]:
    """Return what the weights of a Habit are multiplied by, [n, 5].

    ``ratings`` [n]; ``latest`` [n, TURNS] chances, this turn's first.
    """
    x = (np.clip(ratings, *RATINGS) - MIDDLE) / STEP
    cut = np.clip(latest, *CUT)
    return np.column_stack([np.ones(len(x)), x, np.log(cut / (1 - cut))])


def probabilities(habit: Habit, rows: NDArray) -> NDArray[np.float64]:
    """Return the probability [n] of resigning at turns with features ``rows`` [n, 5]."""
    weights = (habit.constant, habit.rating, habit.now, habit.before, habit.earlier)
    return 1 / (1 + np.exp(-(rows @ np.array(weights))))


def _check(chances: Sequence[float]) -> None:
    if not all(0 <= chance <= 1 for chance in chances):  # NaN is neither
        bad = next(chance for chance in chances if not 0 <= chance <= 1 or math.isnan(chance))
        raise UsageError(f"a chance of {bad} is outside [0, 1]; pass expected scores")
