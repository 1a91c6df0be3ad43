"""Strength analysis (Wu et al. 2019, eqs. 12-17): how strength follows from visits and z.

The hypothesis: a move's strength is proportional to N_i^H. Then a player that draws its moves
with pi_i(z) is H E_norm(z) nats weaker than one that plays the most visited move, where E_norm
comes from root visits alone. One nat is 400 log10(e) = 173.7 Elo.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

from evenmatch.errors import UsageError
from evenmatch.strength.visit_softmax import candidates, probabilities

ELO_PER_NAT = 400 * math.log10(math.e)


def relative_strength(visits: NDArray, z: float, r_th: float) -> float:
    """Return sum_i pi_i(z) ln R_i of one position's root visits [A], R_i = N_i / N_1; eq. 6 / H.

    From 0 (z = inf) down to no less than ln R_th, which is eq. 7. Moves without visits, which
    only R_th = 0 lets in, count as having half a visit.
    """
    allowed = candidates(visits, visits >= 0, r_th)
    pi = probabilities(visits, allowed, z)[allowed]
    ratios = np.maximum(visits[allowed], 0.5) / visits.max()
    return float(pi @ np.log(ratios))


def normalized_strength(visits: Sequence[NDArray], z: float, r_th: float) -> float:
    """Return E_norm(z), the mean over positions; eq. 14. ``visits`` are root visits, each [A]."""
    if not len(visits):
        raise UsageError("no positions to analyse; play some games first")
    return float(np.mean([relative_strength(row, z, r_th) for row in visits]))


def mean_candidates(visits: Sequence[NDArray], r_th: float) -> float:
    """Return the average number of moves at or above the threshold."""
    return float(np.mean([candidates(row, row > 0, r_th).sum() for row in visits]))


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
