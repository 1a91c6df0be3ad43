"""Positions with known answers: rated puzzles as CSV, test suites with points for moves as EPD.

A puzzle file has the columns ``fen,moves,rating``: the position before the last move played, the
moves from there on in UCI (the opponent's first), and the puzzle's rating. A suite has a position a
line, with the moves' names in ``c9`` (UCI) and their points in ``c8``.
"""

import csv
import re
from pathlib import Path
from typing import NamedTuple

from evenmatch.errors import RecordError, UsageError
from evenmatch.games.chess.text import read_fen

COLUMNS = ["fen", "moves", "rating"]


class Puzzle(NamedTuple):
    """A puzzle: the solver answers the first move."""

    fen: str
    moves: tuple[str, ...]  #: UCI; the solver's are the second, fourth, ...
    rating: int


class Exercise(NamedTuple):
    """A position of a suite."""

    fen: str
    points: dict[str, int]  #: of some moves, UCI; others have none


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a CSV file of puzzles. RecordError names the line that is none."""
    rows = list(csv.reader(_lines(path)))
    if not rows or rows[0] != COLUMNS:
        raise RecordError(f"{path} has not the columns {','.join(COLUMNS)}; give a file of puzzles")
    puzzles = []
    for line, row in enumerate(rows[1:], start=2):
        try:
            fen, moves, rating = row
            puzzles.append(Puzzle(fen, tuple(moves.split()), int(rating)))
            _check(puzzles[-1])
        except (ValueError, UsageError) as error:
            raise RecordError(f"{path}:{line}: no puzzle ({error}); correct the line") from None
    return puzzles


def _check(puzzle: Puzzle) -> None:
    if len(puzzle.moves) < 2 or len(puzzle.moves) % 2:
        raise ValueError("every move needs an answer")
    board = read_fen(puzzle.fen).position
    for move in puzzle.moves:
        board.push_uci(move)


def read_suite(path: Path) -> list[Exercise]:
    """Read an EPD file whose moves have points. RecordError names the line that is none."""
    puzzles = []
    for line, text in enumerate(_lines(path), start=1):
        if not text.strip():
            continue
        names, points = (re.search(rf'{op} "([^"]*)"', text) for op in ("c9", "c8"))
        words = text.split()[:4]
        try:
            if names is None or points is None:
                raise ValueError("no c8 and c9")
            fen = " ".join([*words, "0 1"])
            board = read_fen(fen).position
            scores = dict(zip(names[1].split(), map(int, points[1].split()), strict=True))
            for name in scores:
                board.parse_uci(name)
        except (ValueError, UsageError) as error:
            raise RecordError(f"{path}:{line}: no exercise ({error}); correct the line") from None
        puzzles.append(Exercise(fen, scores))
    return puzzles


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not text"
        raise RecordError(f"cannot read {path} ({why}); check the path") from None
