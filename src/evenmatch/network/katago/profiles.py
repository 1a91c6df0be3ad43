"""Profiles of people for KataGo's human networks: their names, and the inputs that stand for them.

A profile names players: ``rank_8k``, ``rank_8k_2d`` (Black, White), ``preaz_8k`` (before AlphaZero
changed how people open), ``proyear_1990`` (professionals of a year). A network has 192 inputs for
it (PROFILE of `net`). Conditions of players name a profile by a scale and a rating on it: a rank as
records have it (8k: 2300), or a year. Source: lightvector/KataGo, cpp/neuralnet/sgfmetadata.cpp.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from math import log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError, quoted
from evenmatch.network.katago.net import PROFILE

SCALES = ("kgs", "preaz", "proyear")
"""What a rating is: a rank of KGS today, one of 2016, or the year of a professional game."""
YEAR_SCALE = SCALES[2]
KNOTS = (1100, 3900)  #: the weakest and the strongest rank, 20k and 9d
ONE_KYU, STEP = 3000, 100  #: as `ratings.scale.RANKS` has ranks
YEARS = (1800, 2023)
KINDS = {"rank": SCALES[0], "preaz": SCALES[1], "proyear": YEAR_SCALE}  #: by beginnings of names
TODAY, BEFORE = date(2020, 3, 1), date(2016, 9, 1)  #: of a game among people, by scale
KGS, GOGOD, GO4GO = 2, 5, 6  #: sources of records
GO4GO_SINCE = 2021
MAIN, PERIOD, PERIODS = 1200.0, 30.0, 5  #: seconds and periods of a game among people
WEEK, LONGEST, WAVES = 7.0, 80_000.0, 32  #: of the waves that encode the date: days, a factor
FORMS = "rank_8k, rank_8k_2d, preaz_8k or proyear_1990"


class Profile(NamedTuple):
    """The two players of a game, as people of a rank or a year."""

    scale: str  #: one of SCALES
    black: float  #: rating on it
    white: float


def read_profile(name: str) -> Profile:
    """Return the profile of a name. UsageError if there is none such."""
    found = re.fullmatch(r"(rank|preaz|proyear)_(\w+?)(?:_(\w+))?", name, re.ASCII)
    try:
        if found is None:
            raise UsageError("")
        scale = KINDS[found[1]]
        black = rating_of(found[2], scale)
        white = black if found[3] is None else rating_of(found[3], scale)
        if scale == YEAR_SCALE and found[3] is not None:
            raise UsageError("")
    except UsageError:
        raise UsageError(
            f"no profile {quoted(name)}; write {FORMS}: ranks from 20k to 9d, years from "
            f"{YEARS[0]} to {YEARS[1]}"
        ) from None
    return Profile(scale, black, white)


def rating_of(text: str, scale: str) -> float:
    """Return the rating on a scale that a rank or a year says. UsageError if it is none."""
    if scale == YEAR_SCALE:
        year = int(text) if re.fullmatch(r"\d{4}", text, re.ASCII) else 0
        if not YEARS[0] <= year <= YEARS[1]:
            raise UsageError(f"{quoted(text)} is not a year from {YEARS[0]} to {YEARS[1]}")
        return float(year)
    found = re.fullmatch(r"([1-9]\d?)([kd])", text, re.ASCII)
    number = int(found[1]) if found else 0
    rating = ONE_KYU + STEP * (1 - number if found and found[2] == "k" else number)
    if not found or not KNOTS[0] <= rating <= KNOTS[1]:
        raise UsageError(f"{quoted(text)} is not a rank from 20k to 9d")
    return float(rating)


def profile_inputs(profile: Profile | None, points: int, black: bool) -> NDArray[np.float32]:
    """Return the inputs [192] of a profile, for a board of so many points.

    ``black``: whether Black is to move. None stands for people of whom nothing is known.
    """
    out = np.zeros(PROFILE)
    out[:2] = 1  # people, both of them
    out[74] = 0.5  # whether the game was rated is not known
    day, seconds, source = TODAY, (0.0, 0.0, 0), 0
    if profile is None:
        out[4:6] = out[75] = 1
    elif profile.scale == YEAR_SCALE:
        out[[6, 40, 75]] = 1
        out[74] = 0
        day = date(int(profile.black), 6, 1)
        source = GO4GO if day.year >= GO4GO_SINCE else GOGOD
    else:
        sides = (profile.black, profile.white)[:: 1 if black else -1]
        for start, rating in zip((6, 40), sides, strict=True):
            out[start : start + round((KNOTS[1] - rating) / STEP) + 1] = 1
        out[79] = 1  # byo-yomi
        day = TODAY if profile.scale == SCALES[0] else BEFORE
        seconds, source = (MAIN, PERIOD, PERIODS), KGS
    main, period, periods = seconds
    out[82:87] = (
        0.4 * (log(main + 60) - 6.5),
        0.3 * (log(period + 1) - 3),
        0.5 * (log(periods + 2) - 1.5),
        0.25 * (log(2) - 1.5),  # of Canadian overtime, which there is none
        0.5 * log(points / 361),
    )
    angles = 2 * pi * (day - date(1970, 1, 1)).days / _periods()
    out[87:151:2], out[88:151:2] = np.cos(angles), np.sin(angles)
    out[151 + source] = 1
    return out.astype(np.float32)


def _periods() -> NDArray[np.float64]:
    """Return the periods [WAVES] of the waves that encode the date, in days."""
    return WEEK * LONGEST ** (np.arange(WAVES) / (WAVES - 1))


@lru_cache(maxsize=4096)
def _inputs(rating: float, scale: int, points: int) -> NDArray[np.float32]:
    named = Profile(SCALES[scale], rating, rating) if rating > 0 else None
    return profile_inputs(named, points, black=True)


def profile_rows(ratings: NDArray, scales: NDArray, points: int) -> NDArray[np.float32]:
    """Return rows [n, 192] for both sides of ratings [n] on scales [n], numbers of SCALES.

    A rating of 0 stands for not known. One beyond what a network knows counts as the nearest.
    """
    rows = np.empty((len(ratings), PROFILE), np.float32)
    for row, (rating, scale) in enumerate(zip(ratings, scales, strict=True)):
        least, most = YEARS if scale == 2 else KNOTS
        known = float(min(max(round(rating), least), most)) if rating > 0 else 0.0
        rows[row] = _inputs(known, int(scale), points)
    return rows
