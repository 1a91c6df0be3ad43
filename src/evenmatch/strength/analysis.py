"""Strength analysis (Wu et al. 2019, eqs. 12-17): how strength follows from visits and z.

The hypothesis: a move's strength is proportional to N_i^H. Then a player that draws its moves
with pi_i(z) is H E_norm(z) nats weaker than one that plays the most visited move, where E_norm
comes from root visits alone. One nat is 400 log10(e) = 173.7 Elo.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from evenmatch.errors import UsageError

ELO_PER_NAT = 400 * math.log10(math.e)


def relative_strengths(visits: NDArray, z: float, r_th: float) -> NDArray[np.float64]:
    """Return sum_i pi_i(z) ln R_i of each position, [P], R_i = N_i / N_1; eq. 6 over H.

    ``visits`` are root visits [P, A], 0 where an action is illegal. From 0 (z = inf) down to no
    less than ln R_th, which is eq. 7. Moves without visits never count.
    """
    most = visits.max(1, keepdims=True)
    allowed = (visits >= r_th * most) & (visits > 0)
    with np.errstate(divide="ignore"):
        ratios = np.where(allowed, np.log(visits / most), -np.inf)
    worst = np.where(allowed, ratios, 0.0).min(1)
    if math.isinf(z):
        return np.zeros(len(visits)) if z > 0 else worst
    powers = np.where(allowed, z * np.where(allowed, ratios, 0.0), -np.inf)
    pi = np.exp(powers - powers.max(1, keepdims=True))
    return (pi * np.where(allowed, ratios, 0.0)).sum(1) / pi.sum(1)


def normalized_strength(visits: NDArray, z: float, r_th: float) -> float:
    """Return E_norm(z), the mean over positions [P, A]; eq. 14."""
    if not len(visits):
        raise UsageError("no positions to analyse; play some games first")
    return float(relative_strengths(np.asarray(visits), z, r_th).mean())


def mean_candidates(visits: NDArray, r_th: float) -> float:
    """Return the average number of moves with visits at or above the threshold, of [P, A]."""
    visits = np.asarray(visits)
    allowed = (visits >= r_th * visits.max(1, keepdims=True)) & (visits > 0)
    return float(allowed.sum(1).mean())


def strength_index(elo_gap: float, e_norm_at_minus_infinity: float) -> float:
    """Return H = (E(-inf) - E(inf)) / E_norm(-inf); eq. 17. ``elo_gap`` is below 0."""
    return elo_gap / ELO_PER_NAT / e_norm_at_minus_infinity


@dataclass(frozen=True)
class Fit:
    """A curve through Elo against z, and its mean absolute error in Elo.

    (The paper's 'regression error' is the mean absolute one: its table 1 gives 48.1 so, and
    56.6 by mean squares; the text says 47.95.)
    """

    parameters: tuple[float, float]
    error: float


def linear_fit(z: NDArray, elo: NDArray) -> Fit:
    """Fit elo = slope z + intercept by least squares; parameters (slope, intercept)."""
    slope, intercept = np.polyfit(z, elo, 1)
    return Fit((float(slope), float(intercept)), _error(elo, slope * z + intercept))


def logistic_fit(z: NDArray, elo: NDArray, lowest: float, highest: float) -> Fit:
    """Fit the curve from ``lowest`` (z = -inf) to ``highest`` (z = inf); parameters (b0, b1).

    elo = lowest + (highest - lowest) / (1 + exp(-(b0 + b1 z))), by least squares.
    """

    def curve(x, b0, b1):
        return lowest + (highest - lowest) / (1 + np.exp(-(b0 + b1 * x)))

    (b0, b1), _ = curve_fit(curve, z, elo, p0=(0.0, 1.0), maxfev=10_000)
    return Fit((float(b0), float(b1)), _error(elo, curve(z, b0, b1)))


def _error(elo: NDArray, fitted: NDArray) -> float:
    return float(np.abs(np.asarray(elo) - fitted).mean())
