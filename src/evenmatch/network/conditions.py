"""The rating on which a policy is conditioned: an input of networks trained on rated games.

A rating is a row of weights [K] over knots, the ratings that it lies between: at most two are not
0, and all add up to 1. The knots are the network's own (``Card.condition_knots``). Ratings of
different sources are of different scales, so every scale has knots of its own. The first weight
stands for a rating that is not known. Networks of KataGo's have other rows, of people's profiles
(`network.katago.profiles`).

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
from evenmatch.network.katago.profiles import (
    YEAR_SCALE,
    YEARS,
    Profile,
    profile_inputs,
    profile_rows,
)

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
    card: Card,
    ratings: ArrayLike,
    scales: ArrayLike,
    points: int,
    opponents: ArrayLike | None = None,
) -> NDArray[np.float32]:
    """Return the inputs [n, K] of a network's policy for ``ratings`` [n] on ``scales``, one or [n].

    ``points`` is the area of the board, ``opponents`` [n] are the ratings of the other side. A
    rating of 0 is not known; an opponent that is not known counts as strong as the mover.
    """
    known = np.atleast_1d(np.asarray(ratings, np.float64))
    if card.profiles:
        return profile_rows(known, np.broadcast_to(scales, known.shape), points)
    count, knots = len(card.scales), card.condition_knots
    rows = conditions(known, scales, count, knots)
    if not card.both_ratings:
        return rows
    others = np.zeros_like(known) if opponents is None else np.asarray(opponents, np.float64)
    others = np.where(others > 0, others, known)
    return np.hstack([rows, conditions(others, scales, count, knots)])


def profile_row(profile: Profile, card: Card, points: int, *, black: bool) -> NDArray[np.float32]:
    """Return the input [K] of a network's policy that a profile names, on a board of ``points``.

    ``black``: whether Black is to move. A network that knows no profiles, but ranks of KGS, is
    asked about the mover's. UsageError if it knows neither.
    """
    if card.profiles:
        return profile_inputs(profile, points, black)
    if profile.scale not in card.scales:
        raise UsageError(
            f"this network knows no profiles of the kind {quoted(profile.scale)}; use KataGo's "
            "human network"
        )
    rating = profile.black if black else profile.white
    number = card.scales.index(profile.scale)
    return conditions([rating], number, len(card.scales), card.condition_knots)[0]


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
    if card.profiles and name == YEAR_SCALE:
        knots = YEARS
    if card.profiles and not knots[0] <= rating <= knots[-1]:
        raise UsageError(
            f"KataGo's human network knows ranks from 20k to 9d, and years from {YEARS[0]} to "
            f"{YEARS[1]}; choose one inside"
        )
    if not knots[0] <= rating <= knots[-1]:
        level = f"{info.level}={rating:g}"
        raise UsageError(f"{level} is outside [{knots[0]}, {knots[-1]}]; choose one inside")
    return RatingCondition(float(rating), number)


def profile_condition(profile: Profile, card: Card) -> RatingCondition | None:
    """Return the condition of a network that knows profiles; None for others.

    None, too, if the two sides of the profile differ: a search plays both as one.
    """
    if not card.profiles or profile.black != profile.white:
        return None
    return RatingCondition(profile.black, card.scales.index(profile.scale))
