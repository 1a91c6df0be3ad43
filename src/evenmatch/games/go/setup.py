"""Starts of games of Go as text: the properties that the root of an SGF file has.

``KM[0.5]HA[2]AB[pd][dp]PL[W]`` is a komi, two handicap stones, and White to move. A point is its
column and its row from the top, as letters.
"""

import re
from collections.abc import Iterable
from typing import Any

from evenmatch.errors import UsageError, quoted

PROPERTY = re.compile(r"\s*(KM|HA|AB|AW|PL)((?:\s*\[[^]]*\])+)\s*")
EXAMPLE = "KM[6.5]AB[dd][pp]PL[W]"
SIDES = {"B": 1, "W": -1}


def setup_text(size: int, komi: float, black: Iterable[int], to_play: int) -> str:
    """Write a start with Black's handicap stones on some points."""
    stones = [f"[{chr(97 + p % size)}{chr(97 + p // size)}]" for p in black]
    handicap = f"HA[{len(stones)}]AB{''.join(stones)}" if stones else ""
    return f"KM[{komi:g}]{handicap}" + ("PL[W]" if to_play < 0 else "")


def read_setup(text: str, size: int) -> dict[str, Any]:
    """Return the arguments of ``Go.start`` that a text stands for; UsageError if it is none."""
    found: dict[str, Any] = {}
    at = 0
    while at < len(text):
        match = PROPERTY.match(text, at)
        if match is None:
            raise _unreadable(text)
        values = [value.strip() for value in re.findall(r"\[([^]]*)\]", match[2])]
        at = match.end()
        if match[1] in ("AB", "AW"):
            name = "black" if match[1] == "AB" else "white"
            found[name] = [_point(value, size) for value in values]
        elif match[1] == "PL":
            found["to_play"] = SIDES.get(values[0][:1].upper())
        elif match[1] == "KM":
            found["komi"] = _number(values[0])
    if None in found.values():
        raise _unreadable(text)
    return found


def _point(letters: str, size: int) -> int:
    column, row = (ord(letter) - 97 for letter in letters) if len(letters) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise UsageError(f"the board of {size}x{size} has no point {quoted(letters)}; use aa to ss")
    return row * size + column


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unreadable(text: str) -> UsageError:
    return UsageError(
        f"{quoted(text)} is no start of a game of Go; write properties of SGF, such as {EXAMPLE}"
    )
