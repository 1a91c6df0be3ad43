"""Starts of games of Go as text: the properties that the root of an SGF file has.

``KM[0.5]HA[2]AB[pd][dp]PL[W]`` is a komi, two handicap stones, and White to move. ``RU`` names the
rules, which say what White gets for handicap stones besides komi.
"""

import re
from collections.abc import Iterable
from typing import Any

from evenmatch.errors import UsageError, quoted
from evenmatch.games.go.rule_sets import bonus_of, rules_of
from evenmatch.games.go.text import point_letters, read_letters

PROPERTY = re.compile(r"\s*(KM|RU|HA|AB|AW|PL)((?:\s*\[[^]]*\])+)\s*")
HANDICAP = re.compile("[0-9]{1,4}")  #: stones
EXAMPLE = "KM[6.5]AB[dd][pp]PL[W]"
HANDICAP_KOMI = 0.5  #: where Black has handicap stones and no komi is named
LETTERS = {1: "B", -1: "W"}  #: of the sides
SIDES = {letter: side for side, letter in LETTERS.items()}


def setup_text(
    size: int,
    *,
    komi: float | None = None,
    rules: str = "",
    handicap: int = 0,
    black: Iterable[int] = (),
    white: Iterable[int] = (),
    to_play: int = 0,
) -> str:
    """Write a start; what is None, 0 or empty is left out.

    ``rules`` is a name of `rules_of`, ``black`` and ``white`` are points.
    """
    words = [
        "" if komi is None else f"KM[{komi:g}]",
        f"RU[{rules}]" if rules else "",
        f"HA[{handicap}]" if handicap else "",
    ]
    for name, points in (("AB", black), ("AW", white)):
        stones = "".join(f"[{point_letters(point, size)}]" for point in points)
        words.append(name + stones if stones else "")
    return "".join(words) + (f"PL[{LETTERS[to_play]}]" if to_play else "")


def is_setup(text: str) -> bool:
    """Tell whether a text begins as a start does."""
    return PROPERTY.match(text) is not None


def end_of(start: str, size: int, black: Iterable[int], white: Iterable[int], to_play: int) -> str:
    """Write the position at the end of a game that began from ``start``, with its komi.

    What White gets for handicap stones by the rules goes with it.
    """
    told = properties(start)
    stones = int(told.get("HA", ["0"])[0])
    rules = told.get("RU", [""])[0]
    given = stones if bonus_of(rules_of(rules), stones) else 0
    return setup_text(
        size,
        komi=float(told["KM"][0]) if "KM" in told else None,
        rules=rules if given else "",
        handicap=given,
        black=black,
        white=white,
        to_play=to_play,
    )


def read_setup(text: str, size: int) -> dict[str, Any]:
    """Return the arguments of ``Go.start`` that a text stands for; UsageError if it is none.

    Where it does not say who moves first, White does after handicap stones.
    """
    told = properties(text)
    found: dict[str, Any] = {}
    for name, key in (("AB", "black"), ("AW", "white")):
        if name in told:
            found[key] = [_point(value, size) for value in told[name]]
    if "KM" in told:
        found["komi"] = _number(told["KM"][0])
    stones = told.get("HA", ["0"])[0]
    handicap = int(stones) if HANDICAP.fullmatch(stones) else None
    if "PL" in told:
        found["to_play"] = SIDES.get(told["PL"][0][:1].upper())
    elif handicap and handicap > 1 and found.get("black"):
        found["to_play"] = SIDES["W"]
    if handicap is None or handicap > size * size or None in found.values():
        raise _unreadable(text)
    if bonus := bonus_of(rules_of(told.get("RU", [""])[0]), handicap):
        found["bonus"] = bonus
    return found


def properties(text: str) -> dict[str, list[str]]:
    """Return the values of each property of a text; UsageError for anything else in it."""
    told: dict[str, list[str]] = {}
    at = 0
    while at < len(text):
        match = PROPERTY.match(text, at)
        if match is None:
            raise _unreadable(text)
        told[match[1]] = [value.strip() for value in re.findall(r"\[([^]]*)\]", match[2])]
        at = match.end()
    return told


def _point(letters: str, size: int) -> int:
    point = read_letters(letters, size)
    if point is None:
        raise UsageError(f"the board of {size}x{size} has no point {quoted(letters)}; use aa to ss")
    return point


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unreadable(text: str) -> UsageError:
    return UsageError(
        f"{quoted(text)} is no start of a game of Go; write properties of SGF, such as {EXAMPLE}"
    )
