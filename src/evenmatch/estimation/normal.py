"""A rating from rows of features that are normal about a curve: the model behind ``pooled``.

Given rating r, a game of n moves has the row x ~ N(m(r), s(n) W): m is a cubic in r,
s(n) = a + b/n falls with the game's length, W is one covariance for all. What a game says is then
the log-likelihood of every rating, up to a constant,

    l(r) = (x - m(r)/2)^T W^-1 m(r) / s(n),

which is linear in x, and adds up over games. Games of one person are alike beyond their rating;
with the intraclass correlation k, of what two of them say, N are worth N / (1 + k (N - 1)).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError

Floats = NDArray[np.float64]

DEGREE = 3
RIDGE = 1e-3  #: added to the variance of features, which are standardized
LEAST_RATINGS = 2 * (DEGREE + 1)  #: different ones, that a curve is fitted to
ROUNDS = 3  #: of fitting means and lengths in turn
LEAST_SPREAD = 0.05  #: s(n) is at least this


class RatedGames(NamedTuple):
    """Games of known ratings."""

    rows: Floats  # [G, F] standardized features
    ratings: Floats  # [G] scaled, about -1 to 1; see `Ranks.scaled`
    moves: NDArray[np.int64]  # [G]
    weights: Floats  # [G] how much each counts; they add up to 1
    players: NDArray[np.int64]  # [G] who played, -1: nobody else's game


class NormalCurve(NamedTuple):
    """The fitted model."""

    curve: Floats  # [DEGREE + 1, F] coefficients of m
    precision: Floats  # [F, F] inverse of W
    spread: Floats  # [2] a and b of s(n)
    correlation: float  # intraclass, of what two games of one person say

    def logs(self, rows: Floats, moves: NDArray[np.int64], ratings: Floats) -> Floats:
        """Return what each game says of each scaled rating, [G, len(ratings)]."""
        means = _powers(ratings) @ self.curve
        pulled = self.precision @ means.T  # [F, R]
        said = rows @ pulled - 0.5 * np.einsum("fr,rf->r", pulled, means)
        return said / spread_of(self.spread, moves)[:, None]


def fit(sample: RatedGames) -> NormalCurve:
    """Fit the model to games of known ratings; UsageError if too few of those are different."""
    if len(np.unique(sample.ratings)) < LEAST_RATINGS:
        raise UsageError(
            f"fewer than {LEAST_RATINGS} different ratings to learn from; add games of others"
        )
    spread = np.array([1.0, 0.0])
    for _ in range(ROUNDS):
        curve, precision, residuals = _fit_curve(sample, spread_of(spread, sample.moves))
        spread = _fit_spread(sample, (residuals @ (precision @ curve[1])) ** 2)
    said = residuals @ (precision @ curve[1]) / np.sqrt(spread_of(spread, sample.moves))
    return NormalCurve(curve, precision, spread, intraclass_correlation(said, sample.players))


def _fit_curve(sample: RatedGames, spread: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the curve's coefficients, the precision, and the residuals [G, F]."""
    weights = sample.weights / spread  # W is the weighted mean of r r^T / s: no division by a sum
    powers = _powers(sample.ratings)
    heavy = powers * weights[:, None]
    curve = np.asarray(np.linalg.solve(heavy.T @ powers, heavy.T @ sample.rows), np.float64)
    residuals = sample.rows - powers @ curve
    within = (residuals * weights[:, None]).T @ residuals
    precision = np.linalg.inv(within + RIDGE * np.eye(len(within)))
    return curve, np.asarray(precision, np.float64), residuals


def _fit_spread(sample: RatedGames, squares: Floats) -> Floats:
    """Return a and b of s(n), for squared residuals along the curve; their mean becomes 1."""
    root = np.sqrt(sample.weights)
    terms = np.stack([np.ones(len(squares)), 1 / np.maximum(sample.moves, 1)], 1)
    coefficients = np.linalg.lstsq(terms * root[:, None], squares * root, rcond=None)[0]
    return coefficients / (sample.weights @ (terms @ coefficients))


def spread_of(spread: Floats, moves: NDArray[np.int64]) -> Floats:
    """Return s(n) of games of so many moves."""
    return np.maximum(spread[0] + spread[1] / np.maximum(moves, 1), LEAST_SPREAD)


def intraclass_correlation(said: Floats, players: NDArray[np.int64]) -> float:
    """Return the correlation of two games of one player in ``said`` [G]; 0 if nobody has two."""
    known = players >= 0
    _, of, counts = np.unique(players[known], return_inverse=True, return_counts=True)
    values = said[known]
    sums, squares = np.bincount(of, values), np.bincount(of, values**2)
    pairs = (counts * (counts - 1)).astype(float)
    some = counts > 1
    if not some.any():
        return 0.0
    # players weigh by their games, not by pairs: few have hundreds
    products = (sums**2 - squares)[some] / pairs[some]
    variance = (squares[some] / counts[some]).mean()
    return float(np.clip(products.mean() / variance, 0.0, 1.0))


def _powers(ratings: Floats) -> Floats:
    """Return the powers 0 to DEGREE of scaled ratings, [n, DEGREE + 1]."""
    return np.vander(np.asarray(ratings), DEGREE + 1, increasing=True)
