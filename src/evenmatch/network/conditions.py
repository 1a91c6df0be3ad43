"""The rating on which a policy is conditioned: an input of networks trained on rated games.

A rating is a row of weights [K] over knots, the ratings that it lies between: at most two are not
0, and all add up to 1. The knots are the network's own (``Card.condition_knots``). Ratings of
different sources are of different scales, so every scale has knots of its own. The first weight
stands for a rating that is not known.

A network may be conditioned on both players' ratings (``Card.both_ratings``). Its row is two such
rows, the mover's and then the opponent's.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import UsageError, quoted
from evenmatch.games.catalog import game_info
from evenmatch.network.card import Card

Knots = Sequence[int]  #: increasing


def condition_count(scales: int, knots: Knots) -> int:
    """Return K for so many scales; 0 for none."""
    return 1 + scales * len(knots) if scales else 0


def conditions(
    ratings: ArrayLike, scale: ArrayLike, scales: int, knots: Knots
) -> NDArray[np.float32]:
    """Return rows [n, K] for ``ratings`` [n] of scale number ``scale``, one or [n].

    A rating of 0 stands for not known. Ratings beyond the knots count as the last of them.
    """
    rating = np.atleast_1d(np.asarray(ratings, np.float64))
    out = np.zeros((len(rating), condition_count(scales, knots)), np.float32)
    known = np.nonzero(rating > 0)[0]
    out[rating <= 0, :1] = 1
    at = np.interp(rating[known], knots, np.arange(len(knots)))
    low = np.minimum(at.astype(np.intp), len(knots) - 2)
    first = 1 + np.broadcast_to(scale, rating.shape)[known] * len(knots) + low
    out[known, first + 1] = at - low
    out[known, first] = 1 - (at - low)
    return out


def condition_rows(
    card: Card, ratings: ArrayLike, scales: ArrayLike, opponents: ArrayLike | None = None
) -> NDArray[np.float32]:
    """Return the inputs [n, K] of a network for ``ratings`` [n] on ``scales``, one or [n].

    ``opponents`` [n] are those of the other side. A rating of 0 is not known; an opponent that is
    not known counts as strong as the mover.
    """
    count, knots, known = len(card.scales), card.condition_knots, np.asarray(ratings, np.float64)
    rows = conditions(known, scales, count, knots)
    if not card.both_ratings:
        return rows
    others = np.zeros_like(known) if opponents is None else np.asarray(opponents, np.float64)
    others = np.where(others > 0, others, known)
    return np.hstack([rows, conditions(others, scales, count, knots)])


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


class RatingCondition(NamedTuple):
    """Whose moves a policy is asked for: fields of a plan, or of a request's rows."""

    rating: float
    scale: int  #: its number among the network's


def rating_condition(rating: float, name: str | None, card: Card) -> RatingCondition:
    """Return a rating of a scale that a network knows.

    If ``name`` is None it is the scale that the catalog has for the rating, or the network's
    first. UsageError if the network, which ``card`` is of, does not know the rating.
    """
    info, knots = game_info(card.game), card.condition_knots
    own = info.scale_of(rating)
    number = scale_number(own if name is None and own in card.scales else name, card.scales)
    if not knots[0] <= rating <= knots[-1]:
        level = f"{info.level}={rating:g}"
        raise UsageError(f"{level} is outside [{knots[0]}, {knots[-1]}]; choose one inside")
    return RatingCondition(float(rating), number)
