"""Coordinates as Go players write them: D4, columns without I, rows from the bottom; or pass.

And as SGF files have them: ``dp``, letters of the column and of the row from the top.
"""

import re

from evenmatch.errors import MoveError, quoted
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
