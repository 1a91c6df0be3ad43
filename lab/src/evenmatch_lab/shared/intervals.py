"""Intervals: from what was drawn again, and in words."""

import math

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import Interval
from evenmatch.ratings.score import normal_quantile


def quantiles(drawn: NDArray[np.float64], confidence: float = 0.95) -> Interval:
    """Return the middle of what was drawn [B]; ends may be infinite.

    A draw that says nothing (nan) may lie anywhere: it widens both ends.
    """
    tail = (1 - confidence) / 2
    unknown = np.isnan(drawn)
    least, most = np.where(unknown, -math.inf, drawn), np.where(unknown, math.inf, drawn)
    low = np.quantile(least, tail, method="inverted_cdf")
    high = np.quantile(most, 1 - tail, method="inverted_cdf")
    return Interval(float(low), float(high))


def wilson(share: float, trials: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share (Wilson 1927)."""
    z2 = normal_quantile(confidence) ** 2
    middle = share + z2 / (2 * trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    return Interval((middle - half) / (1 + z2 / trials), (middle + half) / (1 + z2 / trials))


def share_text(share: float, interval: tuple[float, float]) -> str:
    """Write a share with its interval."""
    low, high = interval
    return f"{share:.1%} ({max(low, 0):.1%} to {min(high, 1):.1%})"


def elo_text(value: float, interval: Interval) -> str:
    """Write an Elo with its interval, or its bound."""
    low, high = interval
    if not math.isfinite(value):
        return f"below {high:+.0f}" if value < 0 else f"above {low:+.0f}"
    return f"{value:+.0f} ({low:+.0f} to {high:+.0f})"


def number_text(value: float, interval: Interval, digits: int = 2) -> str:
    """Write a number above 0 with its interval, or its lower bound."""
    low, high = interval
    if not math.isfinite(value):
        return f"above {low:.{digits}f}"
    ends = (
        f"{low:.{digits}f} to {high:.{digits}f}"
        if math.isfinite(high)
        else f"from {low:.{digits}f}, no upper end"
    )
    return f"{value:.{digits}f} ({ends})"
