"""How far scores are from 1/2, without what chance adds: a debiased root mean square.

A mean of abs(score - 1/2) over opponents is above 0 between equals, the more so the fewer games
there are. Here each squared difference is reduced by the sampling variance of its score, which
makes it unbiased whatever the number of games:

    d_k = (s_k - 1/2)^2 - v_k

where s_k is the mean over the independent units of opponent k (pairs of games from one opening, or
series) and v_k the variance of that mean, from the units' own scores: draws make it smaller, games
that depend on each other within a unit may make it smaller or larger. The mean of d_k may be below
0 by chance; it is set to 0 only where its root is shown.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import Interval

DRAWS = 2000  #: of a bootstrap or a simulation
CONFIDENCE = 0.95
Floats = NDArray[np.float64]


class Rms(NamedTuple):
    """The root mean square of (score - 1/2) over opponents, with its intervals at 95%."""

    square: float  #: its square, unbiased: below 0 by chance if all scores are near 1/2
    squares: Interval  #: of ``square`` for these opponents: units are drawn with replacement
    spread: Interval  #: the same for opponents of this kind: opponents are drawn

    @property
    def value(self) -> float:
        """The root; 0 where its square is below 0."""
        return root(self.square)

    @property
    def interval(self) -> Interval:
        """Ends for these opponents."""
        return Interval(root(self.squares.low), root(self.squares.high))

    @property
    def over_opponents(self) -> Interval:
        """Ends for opponents of this kind."""
        return Interval(root(self.spread.low), root(self.spread.high))

    def text(self) -> str:
        """Write the root with the interval for these opponents, and a square below 0 as such."""
        low, high = self.interval
        below = "" if self.square >= 0 else f", its square {self.square:.3f}"
        return f"{self.value:.2f} ({low:.2f} to {high:.2f}{below})"


def root(square: float) -> float:
    """Return the root of a square that chance may have made negative, which counts as 0."""
    return math.sqrt(max(square, 0.0))


def differences(units: Sequence[Floats]) -> Floats:
    """Return d_k [K] of opponents, by the scores (0 to 1) of their units, each [m >= 2]."""
    means = np.array([some.mean() for some in units])
    variances = np.array([some.var(ddof=1) / len(some) for some in units])
    return (means - 0.5) ** 2 - variances


def rms(units: Sequence[Floats], seed: int = 0) -> Rms:
    """Return the debiased root mean square over opponents, by the scores of their units.

    The interval for these opponents is a basic bootstrap (Davison and Hinkley 1997, 5.2): units of
    each opponent are drawn with replacement, and what an estimate then errs by is taken to be what
    this one errs by. Deviations are widened by sqrt(m / (m - 1)), so that a few units vary as they
    should. The interval over opponents draws the d_k.
    """
    rng = np.random.default_rng(seed)
    known = differences(units)
    errors = np.mean([_errors(some, rng) for some in units], 0)
    low, high = np.quantile(errors, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    square, count = float(known.mean()), len(known)
    if count > 1:
        wide = square + (known - square) * math.sqrt(count / (count - 1))
        drawn = wide[rng.integers(0, count, (DRAWS, count))].mean(1)
        ends = np.quantile(drawn, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
        spread = Interval(float(ends[0]), float(ends[1]))
    else:
        spread = Interval(-math.inf, math.inf)
    return Rms(square, Interval(float(square - high), float(square - low)), spread)


def _errors(units: Floats, rng: np.random.Generator) -> Floats:
    """Return by how much d of units drawn with replacement differs from its truth, [DRAWS]."""
    m, mean = len(units), units.mean()
    wide = mean + (units - mean) * math.sqrt(m / (m - 1))
    drawn = wide[rng.integers(0, m, (DRAWS, m))]
    return (drawn.mean(1) - 0.5) ** 2 - drawn.var(1, ddof=1) / m - (mean - 0.5) ** 2


class Floor(NamedTuple):
    """What games of equals show."""

    imbalance: float  #: the mean of abs(W - L), which chance fills
    rms: float  #: what the debiased root mean square stays below in 95% of such tables


def equals(shapes: Sequence[tuple[int, int]], drawn: Sequence[float], seed: int = 0) -> Floor:
    """Simulate tables of equals who draw as often as the games that were played.

    ``shapes`` has for each opponent the units and the games of each, ``drawn`` the share of draws.
    Games are independent of each other here.
    """
    rng = np.random.default_rng(seed)
    squares, imbalances = np.zeros(DRAWS), np.zeros(DRAWS)
    for (units, games), share in zip(shapes, drawn, strict=True):
        decided = rng.binomial(games, 1 - share, (DRAWS, units))
        scores = 0.5 + (rng.binomial(decided, 0.5) - decided / 2) / games  # [DRAWS, units]
        means = scores.mean(1)
        squares += (means - 0.5) ** 2 - scores.var(1, ddof=1) / units
        imbalances += np.abs(2 * means - 1)
    most = float(np.quantile(squares / len(shapes), CONFIDENCE))
    return Floor(float(imbalances.mean()) / len(shapes), root(most))
