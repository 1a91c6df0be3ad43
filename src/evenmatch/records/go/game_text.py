"""One game of Go as SGF text, read and written whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.go.text import point_letters
from evenmatch.games.line import OWN
from evenmatch.records.go.sgf_text import SPACE, escaped
from evenmatch.records.go.tokens import ADDED
from evenmatch.records.go.values import DEFAULT_SIZE, MOST_SIZE

if TYPE_CHECKING:
    from evenmatch.games.go import Go


Move = tuple[int, int]  #: side, 1 Black and -1 White, and action: row * size + column, or the pass
COLOURS = {1: "B", -1: "W"}
BLACK, WHITE, EMPTY = ADDED
ROW = 10  #: moves in a line of a file


@dataclass(frozen=True, kw_only=True)
class SgfGame:
    """The main line of a game, and properties of its root. What is missing is 0, None or empty."""

    size: int = DEFAULT_SIZE
    moves: tuple[Move, ...] = ()
    komi: float | None = None
    rules: str = ""
    handicap: int = 0  #: how many stones
    black: tuple[int, ...] = ()  #: points set up before the first move, in order
    white: tuple[int, ...] = ()
    to_play: int = 0  #: 1 or -1, if the file says who begins
    result: str = ""  #: such as B+3.5, W+R, Draw
    players: tuple[str, str] = ("", "")  #: Black's name and White's
    ranks: tuple[str, str] = ("", "")  #: such as 5k
    date: str = ""
    event: str = ""
    place: str = ""
    time: str = ""  #: seconds of main time
    overtime: str = ""
    comment: str = ""  #: on the game (GC); the only text of several lines

    @property
    def to_move(self) -> int:
        """1 if Black moves first, -1 if White does: by PL, by the first move, or by handicap."""
        if self.to_play or self.moves:
            return self.to_play or self.moves[0][0]
        return -1 if self.handicap > 1 and self.black else 1


def write_sgf(game: SgfGame, one_line: bool = False, marks: Sequence[str] = ()) -> str:
    """Return a game as SGF with a line break behind it; in ``one_line``, as `.sgfs` files have it.

    ``marks`` [moves] are keys of `records.record.MARKS`, or empty; a comment behind the move has
    them in PGN's form, ``[%evenmatch hint]``. No comment is written if no move is marked.
    UsageError if a stone, a move or the size cannot be written.
    """
    if not 1 <= game.size <= MOST_SIZE:
        raise UsageError(f"SGF has no board of size {game.size}; the largest is {MOST_SIZE}")
    root = "".join(f"{name}{values}" for name, values in _root(game, one_line))
    moves = [
        f";{COLOURS[side]}[{_point(game.size, action, True)}]{_comment(mark)}"
        for (side, action), mark in zip(game.moves, marks or [OWN] * len(game.moves), strict=True)
    ]
    if one_line:
        return f"(;{root}{''.join(moves)})\n"
    rows = ["".join(moves[at : at + ROW]) for at in range(0, len(moves), ROW)]
    return "\n".join([f"(;{root}", *rows]) + ")\n"


def _root(game: SgfGame, one_line: bool) -> Iterator[tuple[str, str]]:
    """Yield the names and bracketed values of the root's properties."""
    yield "FF", "[4]"
    yield "GM", "[1]"
    yield "CA", "[UTF-8]"
    yield "SZ", f"[{game.size}]"
    texts = {
        "PB": game.players[0], "BR": game.ranks[0], "PW": game.players[1], "WR": game.ranks[1],
        "KM": "" if game.komi is None else f"{game.komi:g}", "RU": game.rules,
        "HA": str(game.handicap or ""), "RE": game.result, "DT": game.date, "EV": game.event,
        "PC": game.place, "TM": game.time, "OT": game.overtime,
    }  # fmt: skip
    for name, value in texts.items():
        if line := _line(value):
            yield name, f"[{escaped(line)}]"
    if comment := _line(game.comment) if one_line else game.comment.replace("\r", "\n"):
        yield "GC", f"[{escaped(comment)}]"
    for name, points in (("AB", game.black), ("AW", game.white)):
        if points:
            yield name, "".join(f"[{_point(game.size, point, False)}]" for point in points)
    if game.to_play:
        yield "PL", f"[{COLOURS[game.to_play]}]"


def _comment(mark: str) -> str:
    return f"C[{escaped(f'[%evenmatch {mark}]')}]" if mark else ""


def _line(value: str) -> str:
    """Return a text as one line."""
    return SPACE.sub(" ", value).strip()


def _point(size: int, action: int, passes: bool) -> str:
    """Return a point as two letters, a pass as none."""
    if passes and action == size * size:
        return ""
    if not 0 <= action < size * size:
        raise UsageError(f"no point {action} on a board of {size}x{size}")
    return point_letters(action, size)


def set_up(
    entries: Sequence[int], size: int, black: Iterable[int] = (), white: Iterable[int] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the points of Black's stones and White's after ``entries`` of a token's setup.

    ``black`` and ``white`` are those before it. None if an entry is off the board.
    """
    stones = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
    for entry in entries:
        corners = entry >> 12 & 0xFFF, entry & 0xFFF
        columns, rows = sorted(c >> 6 for c in corners), sorted(c & 63 for c in corners)
        if columns[1] >= size or rows[1] >= size:
            return None
        for row in range(rows[0], rows[1] + 1):
            for column in range(columns[0], columns[1] + 1):
                stones[row * size + column] = entry >> 24
    black, white = (
        tuple(sorted(point for point, stone in stones.items() if stone == kind))
        for kind in (BLACK, WHITE)
    )
    return black, white


def result_text(winner: int, by: float | str = "") -> str:
    """Return a result as SGF writes it: ``winner`` 1, -1 or 0, ``by`` points, ``R`` or ``T``."""
    if winner == 0:
        return "Draw"
    return f"{COLOURS[winner]}+{by if isinstance(by, str) else format(abs(by), 'g')}"


def is_sgf(head: bytes) -> bool:
    """Tell whether a text may be SGF, by its beginning."""
    return re.search(rb"\(\s*;\s*[A-Z]", head) is not None


RULES = "Tromp-Taylor"  #: all games have area scoring, superko, and no points for handicap stones


def recorded(game: Go, start: NDArray[np.uint64], actions: Sequence[int], **told: Any) -> SgfGame:
    """Return a game from its ``start`` [S] and its actions; ``told`` are other fields of SgfGame.

    Komi has in it what White gets for handicap stones, so the rules give nothing more for them.
    """
    stones = game.stones(start[None])[0]
    black, white = (tuple(np.flatnonzero(stones == side).tolist()) for side in (1, -1))
    first = int(game.to_play(start[None])[0])
    given = len(black) if first < 0 and len(black) > 1 and not white else 0
    return SgfGame(
        size=game.size,
        moves=tuple((first * (-1) ** ply, int(action)) for ply, action in enumerate(actions)),
        komi=float(game.komi_of(start[None])[0]),
        rules=RULES,
        handicap=given,
        black=black,
        white=white,
        to_play=first if black or white or first < 0 else 0,
        **told,
    )
