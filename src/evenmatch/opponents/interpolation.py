"""Numbers fitted to some ratings, for all ratings in between.

(ACE leaves that to the future, in its section 5.)
"""

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, TypeVar

import numpy as np

Numbers = TypeVar("Numbers")  #: a dataclass of positive numbers


def number_at(table: Mapping[float, float], rating: float, *, logs: bool = False) -> float:
    """Return the number of a rating, in a line between the nearest two, or their logarithms.

    Below the lowest rating and above the highest it is as there.
    """
    ratings = sorted(table)
    numbers = [table[known] for known in ratings]
    rating = min(max(rating, ratings[0]), ratings[-1])
    if rating in table or not logs:
        return float(np.interp(rating, ratings, numbers))
    return float(np.exp(np.interp(rating, ratings, np.log(numbers))))


def row_at(table: Mapping[float, Numbers], rating: float) -> Numbers:
    """Return the row of a rating, whose numbers' logarithms lie between those of the nearest."""
    rows: list[Any] = list(table.values())
    columns = zip(*map(astuple, rows), strict=True)
    numbers = [
        number_at(dict(zip(table, column, strict=True)), rating, logs=True) for column in columns
    ]
    return type(rows[0])(*numbers)
