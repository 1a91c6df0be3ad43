"""Whether what was read of a game can be used: the type of each value, and its bounds."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from evenmatch.records.marks import MARKS, OWN
from evenmatch.sessions.saved import Saved

EARLIEST, LATEST = -3.1e10, 2.5e11  #: seconds since 1970 that are a moment of a calendar
MOST = 1 << 63  #: that a number in a database stays below

Fits = Callable[[Any], bool]


def saved_of(told: Mapping[str, Any]) -> Saved | None:
    """Return the game that values by the fields of `Saved` are, None if they cannot be one."""
    if not fits(told, FIELDS):
        return None
    lists = {name: tuple(map(tuple, told[name])) for name in ("hints", "snapshots")}
    saved = Saved(**{name: told[name] for name in FIELDS} | lists)
    return saved if len(saved.marks) in (0, len(saved.actions)) else None


def fits(told: Mapping[str, Any], fields: Mapping[str, Fits]) -> bool:
    """Tell whether each field has a value that can be used."""
    return all(good(told[name]) for name, good in fields.items())


def is_a(kind: type) -> Fits:
    """Return what tells whether something is of a type, and of no other."""
    return lambda value: type(value) is kind


def is_number(value: Any) -> bool:
    """Tell whether something is a finite number."""
    return (type(value) is int and abs(value) < MOST) or (
        type(value) is float and math.isfinite(value)
    )


def is_number_or_none(value: Any) -> bool:
    """Tell whether something is a finite number, or missing."""
    return value is None or is_number(value)


def is_moment(value: Any) -> bool:
    """Tell whether something is a time in seconds since 1970."""
    return is_number(value) and EARLIEST < value < LATEST


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST


def _each(good: Fits) -> Fits:
    return lambda values: type(values) is tuple and all(map(good, values))


def _is_snapshot(value: Any) -> bool:
    """Tell whether something is a ply and what a player was like before it."""
    pair = type(value) in (list, tuple) and len(value) == 2
    return pair and _count(value[0]) and type(value[1]) is dict


FIELDS: dict[str, Fits] = {
    "game": is_a(str),
    "opponent": is_a(str),
    "side": lambda value: type(value) is int and value in (1, -1),
    "seed": _count,
    "actions": _each(_count),
    "person": is_a(str),
    "start": is_a(str),
    "marks": _each(lambda value: type(value) is str and (value == OWN or value in MARKS)),
    "seen": _count,
    "hints": _each(lambda value: type(value) in (list, tuple) and all(map(_count, value))),
    "forgets": is_a(bool),
    "plays_on": is_a(bool),
    "disputed": is_a(bool),
    "pace": lambda value: is_number_or_none(value) and (value or 0) >= 0,
    "clock": lambda value: _each(is_number)(value) and len(value) in (0, 4),
    "snapshots": lambda value: _each(_is_snapshot)(value) and (not value or value[0][0] == 0),
}
