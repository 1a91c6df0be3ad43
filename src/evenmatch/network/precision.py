"""The kinds of number that networks are computed in, and which one players want."""

import os
from typing import Literal, get_args

from evenmatch.errors import UsageError, printable

Precision = Literal["auto", "fast", "int8", "bf16", "f32"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
VARIABLE = "EVENMATCH_PRECISION"  #: the environment variable


def precision() -> Precision:
    """Return the precision of players' networks: EVENMATCH_PRECISION, else ``fast``.

    UsageError for one that there is not.
    """
    asked = os.environ.get(VARIABLE) or "fast"
    for one in PRECISIONS:
        if asked == one:
            return one
    known = ", ".join(PRECISIONS)
    raise UsageError(f"{VARIABLE}={printable(asked)} is not known; set it to one of {known}")
