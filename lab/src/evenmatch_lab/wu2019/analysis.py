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


def relative_strengths(visits: NDArray, z: float, r_th: float, top: int = 0) -> NDArray[np.float64]:
    """Return sum_i pi_i(z) ln R_i of each position, [P], R_i = N_i / N_1; eq. 6 over H.

    ``visits`` are root visits [P, A], 0 where an action is illegal. From 0 (z = inf) down to no
    less than ln R_th, which is eq. 7. Moves without visits never count.
    """
    pi, log_ratios = _choices(visits, z, r_th, top)
    return (pi * log_ratios).sum(1)


def normalized_strength(visits: NDArray, z: float, r_th: float, top: int = 0) -> float:
    """Return E_norm(z), the mean over positions [P, A]; eq. 14."""
    if not len(visits):
        raise UsageError("no positions to analyse; play some games first")
    return float(relative_strengths(np.asarray(visits), z, r_th, top).mean())


def mean_power(visits: NDArray, z: float, r_th: float, power: float) -> float:
    """Return the mean over positions [P, A] of sum_i pi_i(z) R_i^power.

    Its logarithm over ``power`` is a mean of ln R_i that tends to E_norm as the power tends to 0.
    Below 0 the worst moves decide, above 0 the best: what eq. 3 takes for granted can be tried.
    """
    pi, log_ratios = _choices(visits, z, r_th)
    return float((pi * np.exp(power * log_ratios)).sum(1).mean())


def mean_candidates(visits: NDArray, r_th: float, top: int = 0) -> float:
    """Return the average number of candidates, of root visits [P, A]."""
    return float(candidates_of(np.asarray(visits), r_th, top).sum(1).mean())


def candidates_of(visits: NDArray, r_th: float, top: int = 0) -> NDArray[np.bool_]:
    """Return which actions may be played in positions with root visits [P, A], [P, A].

    As ``visit_softmax.candidates`` has it for one position.
    """
    allowed = (visits >= r_th * visits.max(1, keepdims=True)) & (visits > 0)
    if 0 < top < visits.shape[1]:
        allowed &= visits >= np.sort(visits, 1)[:, -top, None]
    return allowed


def _choices(
    visits: NDArray, z: float, r_th: float, top: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return pi_i(z) and ln R_i, both [P, A] and 0 for moves that are not candidates."""
    allowed = candidates_of(visits, r_th, top)
    log_ratios = np.log(np.where(allowed, visits / visits.max(1, keepdims=True), 1.0))
    if math.isinf(z):
        favoured = log_ratios.min(1, keepdims=True) if z < 0 else 0.0
        weights = (allowed & (log_ratios == favoured)).astype(float)
    else:
        powers = np.where(allowed, z * log_ratios, -np.inf)
        weights = np.exp(powers - powers.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True), log_ratios


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
