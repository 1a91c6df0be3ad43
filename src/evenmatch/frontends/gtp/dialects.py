"""What GTP says differently of each game: coordinates, sizes of board, passes, scores.

`GtpDialect` serves any game of ``GAMES``; Othello and Connect Four have their own here, Go in
``go.py``. `Record` is the game in progress.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError
from evenmatch.frontends.gtp.protocol import BLACK, PASS, GtpError
from evenmatch.games import GAMES
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.games.othello import Othello
from evenmatch.play.scoring import result_text
from evenmatch.search.evaluator import Evaluation

Judge = Callable[[Line], Evaluation | None]

SIGNS = {1: "X", -1: "O", 0: "."}
IMPLIED = "implied"  #: mark of a pass that was not played: the other side moved twice in a row


class GtpDialect:
    """A game that has neither komi nor handicaps, as most games."""

    upward = False  #: whether rows are numbered from the bottom
    letters = "abcdefghijklmnopqrstuvwxyz"  #: of columns

    def __init__(self, game: Game):
        self.game = game

    def sized(self, size: int) -> GtpDialect:
        """Return the dialect of the same game on a board of another size; GtpError if none is."""
        if size != self.game.width:
            raise GtpError("unacceptable size")
        return self

    def cleared(self) -> GtpDialect:
        """Return the dialect for the next game."""
        return self

    def begin(self) -> Line:
        """Return a game that begins."""
        return Line(self.game)

    def read(self, line: Line, word: str) -> int:
        """Return the legal action that a word names; GtpError if it is none."""
        try:
            return self.game.read_action(line.state, word)
        except MoveError:
            raise GtpError("illegal move") from None

    def text(self, line: Line, action: int) -> str:
        """Write an action that is legal at the end of a line: D4, or pass."""
        word = self.game.action_text(line.state, action)
        return word if word == PASS else word.upper()

    def passing(self, line: Line) -> int | None:
        """Return the action that passes, if the side to move may."""
        named = (action for action in line.legal if self.text(line, action) == PASS)
        return next(named, None)

    def turned(self, line: Line, side: int) -> Line:
        """Return the game with ``side`` to move, after a pass of the other if it may pass.

        So a program may send a forced pass or leave it out.
        """
        action = self.passing(line) if line.side != side else None
        if action is None:
            return line
        after = line.first(line.ply)
        after.push(action)
        return after

    def resumed(self, line: Line) -> Line:
        """Return the game to go on with after its end; most games do not."""
        return line

    def off_turn(self, line: Line, side: int) -> str | None:
        """Return what ``genmove`` answers once the game is over; None while it goes on.

        GtpError for a side that is not to move.
        """
        if line.legal and line.side != side:
            raise GtpError("cannot move; it is the other side's turn")
        return None if line.legal else PASS

    def score(self, line: Line, judge: Judge) -> str:
        """Return the result of a game that has ended; GtpError while it goes on.

        ``judge`` returns the network's evaluation of a position, for games whose score needs it.
        """
        over, values = self.game.outcome(line.state[None])
        if not over[0]:
            raise GtpError("cannot score")
        return result_text(self.lead(line, float(values[0]) * line.side))

    def lead(self, line: Line, value: float) -> float:
        """Return by how much Black has won; ``value`` is the outcome for Black."""
        return value

    def drawn(self, line: Line) -> str:
        """Draw the board with coordinates: X is Black, O White; the latest move in brackets."""
        game, board = self.game, self.game.board(line.state[None])[0]
        latest = game.action_cell(line.states[-2], line.actions[-1]) if line.ply else None
        letters = "   " + " ".join(self.letters[: game.width].upper())
        lines = ["", letters]
        for row in range(game.height):
            number = game.height - row if self.upward else row + 1
            text = f"{number:2}"
            for column in range(game.width):
                at = latest is not None and latest == row * game.width + column
                before = latest is not None and latest == row * game.width + column - 1 and column
                text += ("(" if at else ")" if before else " ") + SIGNS[int(board[row, column])]
            lines.append(text + (")" if latest == (row + 1) * game.width - 1 else ""))
        mover = "Black (X)" if line.side == BLACK else "White (O)"
        lines += [letters, f"{mover} to move, {line.ply} played"]
        return "\n".join(lines)

    def rows(self, cells: NDArray) -> NDArray:
        """Return values of cells [H, W] in the order in which Go programs show rows, top first."""
        return cells if self.upward else cells[::-1]

    def point(self, cell: int) -> str:
        """Write a cell (row * W + column) of the board as a point."""
        row, column = divmod(cell, self.game.width)
        number = self.game.height - row if self.upward else row + 1
        return f"{self.letters[column].upper()}{number}"

    def ownership(self, judged: Evaluation | None) -> NDArray | None:
        """Return whose each cell [H * W] will be for the side to move, if it is known."""
        return None

    def replayed(self, line: Line) -> Line:
        """Return a game as it is if it begins as games begin now."""
        return line

    def handicap(self, line: Line) -> int:
        """Return the stones of handicap of a game."""
        return 0


class OthelloDialect(GtpDialect):
    """Othello as in gtp-rhino: rows from the top; forced passes are left out."""

    def sized(self, size):
        """Return the dialect on 6x6 or 8x8."""
        for game in GAMES.values():
            if isinstance(game, Othello) and game.width == size:
                return OthelloDialect(game)
        raise GtpError("unacceptable size")

    def lead(self, line, value):
        """Return how many discs more Black has."""
        return float(self.game.board(line.state[None])[0].sum())


class Connect4Dialect(GtpDialect):
    """Connect Four: a move is its column, 1 to 7; a point of the column is read as well."""

    def read(self, line, word):
        """Return the action of a column: 4, D, or a point such as D1."""
        column = re.fullmatch("([a-g])[1-6]?", word.lower())
        return super().read(line, str("abcdefg".index(column[1]) + 1) if column else word)

    def off_turn(self, line, side):
        """There is no pass: GtpError at the end, too."""
        if super().off_turn(line, side):
            raise GtpError("cannot move; the game is over")
        return None


DIALECTS: dict[str, Callable[[Any], GtpDialect]] = {
    "": GtpDialect,
    "othello": OthelloDialect,
    "connect4": Connect4Dialect,
}  #: by `GameInfo.gtp_dialect`; Go's is in ``go.py``


def legal_mask(dialect: GtpDialect, line: Line, words: list[str]) -> NDArray[np.bool_]:
    """Return which actions [A] are legal at the end of a line and named."""
    named = np.zeros(dialect.game.num_actions, np.bool_)
    for word in words:
        try:
            named[dialect.read(line, word)] = True
        except GtpError:
            continue  # programs name points that are taken
    return named


# -- the game in progress ---------------------------------------------------------------------


class Record:
    """A game and what it was before each command that changed it."""

    def __init__(self, dialect: GtpDialect, start: Line | None = None):
        """Begin a game, or go on from ``start``."""
        self.dialect = dialect
        self._lines = [start or dialect.begin()]

    @property
    def line(self) -> Line:
        """The game now."""
        return self._lines[-1]

    @property
    def begun(self) -> bool:
        """Whether something was played."""
        return len(self._lines) > 1

    def turned(self, side: int) -> Line:
        """Return the game with ``side`` to move, after a pass of the other if it may pass."""
        return self.dialect.turned(self.dialect.resumed(self.line), side)

    def play(self, moves: Sequence[tuple[int, str]]) -> None:
        """Play moves, each a side and a word; GtpError, and none is played, if one is illegal."""
        before = list(self._lines)
        try:
            for side, word in moves:
                self._play(side, word)
        except BaseException:
            self._lines = before
            raise

    def _play(self, side: int, word: str) -> None:
        line = self.turned(side)
        if not line.legal or line.side != side:
            raise GtpError("illegal move")
        self.push(line, self.dialect.read(line, word))

    def push(self, line: Line, action: int) -> None:
        """Go on with ``line`` (the game, perhaps after a pass) and a legal action.

        A pass after an implied one leaves the game as it was: the two cancel out.
        """
        if line.marks[-1:] == [IMPLIED] and action == self.dialect.passing(line):
            self._lines.append(line.first(line.ply - 1))
            return
        after = line.first(line.ply)
        after.push(action)
        self._lines.append(after)

    def replayed(self) -> None:
        """Replay the game from the start that the dialect has now: komi may have changed."""
        lines: list[Line] = []
        for at, line in enumerate(self._lines):
            since = line.since(self._lines[at - 1]) if at else None
            if since is None:
                lines.append(self.dialect.replayed(line))
                continue
            lines.append(lines[-1].first(lines[-1].ply))
            for action in since:
                lines[-1].push(action)
        self._lines = lines

    def undo(self, count: int) -> None:
        """Take back what the latest commands changed; GtpError if there were fewer."""
        if count >= len(self._lines):
            raise GtpError("cannot undo")
        del self._lines[len(self._lines) - count :]
