"""Transcripts: a game as its moves in a row, ``f5d6c3`` or ``4444422``.

So programs of Othello and Connect Four copy games, and Connect Four names positions. Blanks, commas
and move numbers may stand between the moves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from evenmatch.errors import MoveError, UsageError, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenmatch.games.game import Game

BETWEEN = r"[\s,;|-]|\d{1,2}[.):]+"  #: blanks, a hyphen, a move number
SQUARES = re.compile(
    rf"(?P<move>[a-h][1-8])|(?P<passes>--+|\b(?:pass|pa|ps)\b|ps|pass)|{BETWEEN}|\d{{1,2}}(?=\s*[a-h])",
)  #: of Othello; a pass is written by two dashes or a word
COLUMNS = re.compile(r"[\s,;|]|\d{1,2}[.):]+|(?<=[1-7a-g])-(?=[1-7a-g])|(?P<move>[1-7a-g])")
"""Of Connect Four."""
ROWS_OF_MOVES = re.compile(r"[1-7a-g]{2,}[\s,;|]+[1-7a-g]", re.I)
NUMBERED = re.compile(r"\d[.):]")
WORD = re.compile(r"[^\s,;|]{1,20}")
FIRST_LETTER = ord("a")


def read_squares(text: str, size: int) -> list[int]:
    """Return the moves of a transcript of Othello as actions; MoveError names what is not one."""
    return [
        size * size if match["passes"] else _square(match["move"], size)
        for match in _matches(SQUARES, text, f"squares a1 to {chr(FIRST_LETTER + size - 1)}{size}")
    ]


def _square(word: str, size: int) -> int:
    column, row = ord(word[0]) - FIRST_LETTER, int(word[1]) - 1
    if max(column, row) >= size:
        raise MoveError(f"the board of {size}x{size} has no square {word}; correct it")
    return size * row + column


def read_columns(text: str) -> list[int]:
    """Return the moves of a transcript of Connect Four as actions; MoveError names what is none.

    Moves stand in one row, or apart: a number behind a row is the score of a position, as solvers
    write it.
    """
    if not NUMBERED.search(text) and ROWS_OF_MOVES.search(text):
        raise MoveError("moves stand in one row, or each apart; write 4444422 or 4 4 4 4 4 2 2")
    words = [match["move"] for match in _matches(COLUMNS, text, "columns 1 to 7, or a to g")]
    if len({word.isdigit() for word in words}) > 1:
        raise MoveError("columns are digits or letters, not both; write 4444422 or dddddbb")
    return [int(word) - 1 if word.isdigit() else ord(word) - FIRST_LETTER for word in words]


def _matches(tokens: re.Pattern[str], text: str, moves: str) -> list[re.Match[str]]:
    """Return the matches that are moves or passes; MoveError if something else is in a text."""
    found, at, lower = [], 0, text.lower()
    while at < len(lower):
        match = tokens.match(lower, at)
        if match is None:
            word = WORD.match(text, at)
            raise MoveError(
                f"cannot read {quoted(word[0] if word else text[at])} as a move; give {moves}"
            )
        if match.lastgroup:
            found.append(match)
        at = match.end()
    return found


def position(game: Game, actions: list[int]) -> NDArray[np.uint64]:
    """Return the position [S] after moves, with forced passes that were left out put in.

    UsageError names a move that is not legal, and a game that is over.
    """
    state = game.initial()
    passing = game.num_actions - 1
    for number, action in enumerate(actions, start=1):
        legal = game.legal_actions(state)[0].tolist()
        if legal == [passing] != [action] and game.action_text(state[0], passing) == "pass":
            state = game.after(state, np.array([passing]))
            legal = game.legal_actions(state)[0].tolist()
        if action not in legal:
            raise UsageError(
                f"move {number} of the transcript, {game.action_text(state[0], action)}, is not "
                "legal; correct it"
            )
        state = game.after(state, np.array([action]))
    return state[0]
