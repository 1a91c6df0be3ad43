"""Whose move a policy is to foretell: the condition input of networks trained on rated games.

A rating is a row of weights [K] over knots, 200 Elo apart, that a rating lies between: at most two
are not 0, and all add up to 1. Ratings of different sources are of different scales, so every
scale has knots of its own. The first weight stands for a rating that is not known.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import UsageError, quoted

KNOTS = np.arange(600, 2801, 200)  #: Elo


def condition_count(scales: int) -> int:
    """Return K for so many scales; 0 for none."""
    return 1 + scales * len(KNOTS) if scales else 0


def conditions(ratings: ArrayLike, scale: ArrayLike, scales: int) -> NDArray[np.float32]:
    """Return rows [n, K] for ``ratings`` [n] of scale number ``scale``, one or [n].

    A rating of 0 stands for not known. Ratings beyond the knots count as the last of them.
    """
    rating = np.atleast_1d(np.asarray(ratings, np.float64))
    out = np.zeros((len(rating), condition_count(scales)), np.float32)
    known = np.nonzero(rating > 0)[0]
    out[rating <= 0, :1] = 1
    at = np.interp(rating[known], KNOTS, np.arange(len(KNOTS)))
    low = np.minimum(at.astype(np.intp), len(KNOTS) - 2)
    first = 1 + np.broadcast_to(scale, rating.shape)[known] * len(KNOTS) + low
    out[known, first + 1] = at - low
    out[known, first] = 1 - (at - low)
    return out


def scale_number(name: str | None, scales: list[str]) -> int:
    """Return the number of a scale; the first if ``name`` is None. UsageError lists the known."""
    if not scales:
        raise UsageError("this network knows no ratings; use one trained on rated games")
    if name is None:
        return 0
    if name not in scales:
        known = ", ".join(scales)
        raise UsageError(
            f"no rating scale {quoted(name)}; this network knows: {known} (the scale of a dataset "
            "is its folder's name)"
        )
    return scales.index(name)


class Asked(NamedTuple):
    """Whose moves a policy is asked for: fields of a plan, or of a request's rows."""

    rating: float
    scale: int  #: its number among the network's


def asked_rating(rating: float, name: str | None, scales: list[str]) -> Asked:
    """Return a rating of a scale, the first of ``scales`` if ``name`` is None.

    UsageError if the network, which knows ``scales``, does not know the rating.
    """
    number = scale_number(name, scales)
    if not KNOTS[0] <= rating <= KNOTS[-1]:
        raise UsageError(f"elo={rating:g} is outside [{KNOTS[0]}, {KNOTS[-1]}]; choose one inside")
    return Asked(float(rating), number)
