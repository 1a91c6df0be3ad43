"""Elo ratings with a Gaussian prior: for players that are known to be related.

Model: ratings are normal before any game, with mean m [E] and precision P [E, E]; a game's expected
score is eq. 16 of Fujita 2022, half a win and half a loss for a draw. The log posterior is concave;
the inverse of its curvature at the maximum is the covariance (Laplace).

The prior is where knowledge of the players goes: an anchor has a rating. Ratings may be linear in
fewer parameters (a design matrix [E, C]), as those of the settings of one dial are, which grow
smoothly. `bradley_terry.py` rates players without a prior.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.score import ELO_PER_LOGIT, log_likelihood

Floats = NDArray[np.float64]

LENGTH = 1000.0  #: of a step at most, in Elo
# Nodes and weights of Gauss and Hermite for the mean over a standard normal variable.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class Ratings(NamedTuple):
    """Ratings of E players after their games: a normal distribution."""

    mean: Floats  #: [E], Elo
    covariance: Floats  #: [E, E], Elo^2

    @property
    def deviations(self) -> Floats:
        """Standard deviations, [E]."""
        return np.sqrt(np.diag(self.covariance))

    def draws(self, count: int, seed: int) -> Floats:
        """Return so many draws, [count, E]."""
        rng = np.random.default_rng(seed)
        return rng.multivariate_normal(self.mean, self.covariance, count, method="cholesky")

    def through(self, design: Floats) -> Ratings:
        """Return the ratings of players that are linear in these, by their weights [E, C]."""
        return Ratings(design @ self.mean, design @ self.covariance @ design.T)


def rate(
    prior_mean: Floats, precision: Floats, points: Floats, design: Floats | None = None
) -> Ratings:
    """Return ratings by a prior and ``points`` [E, E], those of each player against each other.

    With a ``design`` [E, C] the prior and what is returned are of C parameters, and the ratings are
    the design times these.
    """
    from scipy.optimize import minimize

    design = np.eye(len(points)) if design is None else design
    known = prior_mean, precision, points, design
    best = minimize(
        lambda theta: -_height(theta, *known),
        prior_mean.astype(float),
        jac=lambda theta: -_derivatives(theta, *known)[0],
        hess=lambda theta: _derivatives(theta, *known)[1],
        method="trust-exact",
        options={"initial_trust_radius": LENGTH / 2, "max_trust_radius": LENGTH, "gtol": 1e-6},
    ).x
    gradient, curvature = _derivatives(best, *known)
    theta = best + np.linalg.solve(curvature, gradient)  # rounding hides the last step
    return Ratings(theta, np.linalg.inv(_derivatives(theta, *known)[1]).astype(np.float64))


def _height(
    theta: Floats, mean: Floats, precision: Floats, points: Floats, design: Floats
) -> float:
    """Return the log posterior of parameters [C], up to a constant."""
    away, elo = theta - mean, design @ theta
    won = points * log_likelihood(elo[:, None] - elo, 1.0)
    return float(won.sum() - away @ precision @ away / 2)


def _derivatives(
    theta: Floats, mean: Floats, precision: Floats, points: Floats, design: Floats
) -> tuple[Floats, Floats]:
    """Return the gradient [C] of the log posterior, and minus its second derivatives [C, C]."""
    games, elo = points + points.T, design @ theta
    expected = 1 / (1 + np.exp(-(elo[:, None] - elo) / ELO_PER_LOGIT))
    gradient = precision @ (mean - theta)
    gradient += (points - games * expected).sum(1) @ design / ELO_PER_LOGIT
    weights = games * expected * (1 - expected) / ELO_PER_LOGIT**2
    curvature = np.diag(weights.sum(1)) - weights
    return gradient, precision + design.T @ curvature @ design


def learned(ratings: Ratings, wanted: NDArray[np.intp]) -> Floats:
    """Return what one more game of each two players is expected to teach, [E, E], Elo^2.

    It is by how much the summed variances of the ``wanted`` players' ratings shrink (A-optimality),
    for small gains: a game between two whose difference is open, whose result is open, and whose
    difference goes with many others' teaches most. 0 on the diagonal.
    """
    covariance = ratings.covariance
    spread = np.sqrt(_of_differences(covariance))
    means = ratings.mean[:, None] - ratings.mean
    drawn = (means[..., None] + spread[..., None] * _NODES) / ELO_PER_LOGIT
    openness = (1 / (4 * np.cosh(drawn / 2) ** 2)) @ _WEIGHTS / ELO_PER_LOGIT**2
    rows = covariance[wanted]  # [W, E]
    moved = ((rows[:, :, None] - rows[:, None, :]) ** 2).sum(0)
    return openness * moved / (1 + openness * spread**2)


def _of_differences(covariance: Floats) -> Floats:
    """Return the variance of the difference of each two, [E, E]."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, 0.0)
