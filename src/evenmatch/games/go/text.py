"""Go as text: points, names of rules, and starts as the root of an SGF file has them.

``KM[0.5]HA[2]AB[pd][dp]PL[W]`` is a komi, two handicap stones, and White to move. ``RU`` names the
rules, which say what White gets for handicap stones beyond komi.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from evenmatch.errors import MoveError, UsageError, quoted
from evenmatch.games.game import PASS

ROW = re.compile("[0-9]{1,4}")  #: of a point
COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def point_text(point: int, size: int) -> str:
    """Write a point, or the pass ``size * size``."""
    if point == size * size:
        return PASS
    return f"{COLUMNS[point % size]}{size - point // size}"


def read_point(text: str, size: int) -> int:
    """Read a point or a pass, in any case; MoveError if it is neither."""
    word = text.strip().upper()
    if word == PASS.upper():
        return size * size
    column = COLUMNS.find(word[:1]) if word else -1
    row = int(word[1:]) if ROW.fullmatch(word[1:]) else 0
    if 0 <= column < size and 1 <= row <= size:
        return (size - row) * size + column
    last = point_text(size - 1, size)
    raise MoveError(
        f"cannot read {quoted(text.strip())} as a move; type a point A1 to {last} "
        "(there is no column I), or pass"
    )


def point_letters(point: int, size: int) -> str:
    """Write a point as SGF has it."""
    return SGF_LETTERS[point % size] + SGF_LETTERS[point // size]


def read_letters(letters: str, size: int) -> int | None:
    """Return the point that two letters of SGF name, None if they name none of the board."""
    column, row = map(SGF_LETTERS.find, letters) if len(letters) == 2 else (-1, -1)
    return row * size + column if 0 <= column < size and 0 <= row < size else None


def star_points(size: int) -> tuple[int, ...]:
    """Return the points that boards mark, in the order in which handicap stones take them.

    The corners first, as in the rules of GTP for fixed handicap; none on boards under 7.
    """
    if size < 7:
        return ()
    edge = 3 if size > 12 else 2
    low, high, middle = edge, size - 1 - edge, size // 2
    spots = [(high, low), (low, high), (low, low), (high, high)]  # row from the top, column
    if size % 2 and size > 7:
        spots += [(middle, low), (middle, high), (high, middle), (low, middle), (middle, middle)]
    return tuple(row * size + column for row, column in spots)


def fixed_handicap(size: int, stones: int) -> tuple[int, ...]:
    """Return the points of a handicap of 2 to 9 stones, after GTP 2, section 4.1.1.

    Raises ValueError with the numbers that the board has room for.
    """
    spots = star_points(size)
    if not 2 <= stones <= len(spots):
        raise ValueError(f"from 2 to {len(spots)}" if spots else "none")
    corners, sides, centre = spots[:4], spots[4:8], spots[8:]
    if stones <= 4:
        return corners[:stones]
    chosen = corners + sides[: (stones - 4) // 2 * 2]
    return chosen + centre if stones % 2 else chosen


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


RULES = {
    "japanese": "japanese", "jp": "japanese", "日本": "japanese", "korean": "korean",
    "chinese": "chinese", "cn": "chinese", "中国": "chinese", "aga": "aga", "bga": "aga",
    "french": "aga", "nz": "new-zealand", "new zealand": "new-zealand", "ing": "ing",
    "goe": "ing", "tromp-taylor": "tromp-taylor", "tromp taylor": "tromp-taylor",
}  # fmt: skip


@lru_cache(maxsize=1000)
def rules_of(text: str) -> str:
    """Return the name of the rules, empty if they are not known."""
    return RULES.get(text.strip().lower().removesuffix(" rules"), "")


def bonus_of(rules: str, stones: int) -> int:
    """Return the points that White gets for so many handicap stones, by the rules' name.

    OGS writes a handicap of one where Black plays first with a komi of 0.5; by its Chinese rules
    White gets a point for that too, as the results of its games show.
    """
    return {"chinese": stones, "aga": max(stones - 1, 0)}.get(rules, 0)
