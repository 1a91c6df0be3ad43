"""The game in progress in GTP: coordinates, sizes of board, turns, passes, scores.

`GtpGame` serves any game without komi and handicaps; Go has its own in ``go.py``. How points are
named comes from the catalog of games, and whether pieces drop or count from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError
from evenmatch.frontends.gtp.protocol import BLACK, PASS, GtpError
from evenmatch.games import GAMES
from evenmatch.games.catalog import BoardStyle, game_info
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.play.scoring import result_text
from evenmatch.search.evaluator import Evaluation

Judge = Callable[[Line], Evaluation | None]

SIGNS = {1: "X", -1: "O", 0: "."}
IMPLIED = "implied"  #: mark of a pass that was not played: the other side moved twice in a row


class GtpGame:
    """A game, and what it was before each command that changed it."""

    def __init__(self, game: Game, start: Line | None = None):
        """Begin a game, or continue from ``start``."""
        self.game = game
        self.lines = [start or self.begin()]

    @property
    def style(self) -> BoardStyle:
        """How points are named."""
        return game_info(self.game.id).board_style

    @property
    def line(self) -> Line:
        """The game now."""
        return self.lines[-1]

    def begin(self) -> Line:
        """Return a game that begins."""
        return Line(self.game)

    def sized(self, size: int) -> GtpGame:
        """Return a new game on a board of another size; GtpError if there is none."""
        for game in (self.game, *GAMES.values()):
            if type(game) is type(self.game) and game.width == size:
                return GtpGame(game)
        raise GtpError("unacceptable size")

    def cleared(self) -> GtpGame:
        """Return the next game."""
        return GtpGame(self.game)

    # -- moves and points ------------------------------------------------------------------------

    def read(self, line: Line, word: str) -> int:
        """Return the legal action that a word names; GtpError if there is none.

        Where pieces drop, a column has a number; a letter or a point names it, too.
        """
        column = re.fullmatch("([a-z])[0-9]*", word.lower())
        if self.game.drops and column:
            word = str(self.style.columns.index(column[1]) + 1)
        try:
            return self.game.read_action(line.state, word)
        except MoveError:
            raise GtpError("illegal move") from None

    def text(self, line: Line, action: int) -> str:
        """Write an action that is legal at the end of a line: D4, or pass."""
        word = self.game.action_text(line.state, action)
        return word if word == PASS else word.upper()

    def texts(self, line: Line, actions: Sequence[int]) -> list[str]:
        """Write actions played one after the other from the end of a line."""
        words, line = [], line.first(line.ply)
        for action in actions:
            words.append(self.text(line, action))
            line.push(action)
        return words

    def named(self, line: Line, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return which actions [A] are legal and named; programs name points that are taken."""
        named = np.zeros(self.game.num_actions, np.bool_)
        for word in words:
            try:
                named[self.read(line, word)] = True
            except GtpError:
                continue
        return named

    def point(self, cell: int) -> str:
        """Write a cell (row * W + column) of the board as a point."""
        row, column = divmod(cell, self.game.width)
        return f"{self.style.columns[column].upper()}{self._number(row)}"

    def _number(self, row: int) -> int:
        return self.game.height - row if self.style.upward else row + 1

    def drawn(self) -> str:
        """Draw the board with coordinates: X is Black, O White; the latest move in brackets."""
        line, game = self.line, self.game
        latest = game.action_cell(line.states[-2], line.actions[-1]) if line.ply else None
        letters = "   " + " ".join(self.style.columns[: game.width].upper())
        rows = []
        for row, cells in enumerate(game.board(line.state[None])[0]):
            text = [*" ".join(["", *(SIGNS[int(cell)] for cell in cells), ""])]
            if latest is not None and latest // game.width == row:
                at = 2 * (latest % game.width)
                text[at], text[at + 2] = "()"
            rows.append(f"{self._number(row):2}{''.join(text).rstrip()}")
        mover = "Black (X)" if line.side == BLACK else "White (O)"
        return "\n".join(["", letters, *rows, letters, f"{mover} to move, {line.ply} played"])

    # -- turns -----------------------------------------------------------------------------------

    def passing(self, line: Line) -> int | None:
        """Return the action that passes, if the side to move may."""
        named = (action for action in line.legal if self.text(line, action) == PASS)
        return next(named, None)

    def turned(self, side: int) -> Line:
        """Return the game with ``side`` to move, after a pass of the other side if it may pass.

        So a program may send a forced pass or leave it out.
        """
        action = self.passing(self.line) if self.line.side != side else None
        return self.line if action is None else _after(self.line, action)

    def off_turn(self, line: Line, side: int) -> str | None:
        """Return the answer to ``genmove`` after the end of a game; None before.

        GtpError if the other side has to move, or the game is over and has no passes.
        """
        if line.legal and line.side != side:
            raise GtpError("cannot move; it is the other side's turn")
        if not line.legal and self.game.drops:
            raise GtpError("cannot move; the game is over")
        return None if line.legal else PASS

    def play(self, moves: Sequence[tuple[int, str]]) -> None:
        """Play moves, each a side and a word; GtpError, and none is played, if one is illegal."""
        before = list(self.lines)
        try:
            for side, word in moves:
                line = self.turned(side)
                if not line.legal or line.side != side:
                    raise GtpError("illegal move")
                self.push(line, self.read(line, word))
        except GtpError:
            self.lines = before
            raise

    def push(self, line: Line, action: int) -> None:
        """Continue ``line`` (the game, perhaps after a pass) by a legal action.

        A pass after an implied one leaves the game as it was: the two cancel out.
        """
        if line.marks[-1:] == [IMPLIED] and action == self.passing(line):
            self.lines.append(line.first(line.ply - 1))
        else:
            self.lines.append(_after(line, action))

    def undo(self, count: int) -> None:
        """Take back the changes of the latest commands; GtpError if there were fewer."""
        if count >= len(self.lines):
            raise GtpError("cannot undo")
        del self.lines[len(self.lines) - count :]

    def as_ruled(self, line: Line) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return the end of a line [1, S] as networks see it, and which actions [A] are legal."""
        return line.state[None], line.game.legal_mask(line.state[None])[0]

    # -- the end ---------------------------------------------------------------------------------

    def score(self, judge: Judge) -> str:
        """Return the result of a game that has ended; GtpError before its end.

        ``judge`` returns the network's evaluation of a line, for games whose score needs it.
        """
        over, values = self.game.outcome(self.line.state[None])
        if not over[0]:
            raise GtpError("cannot score")
        if self.game.counts_pieces:
            return result_text(float(self.game.board(self.line.state[None])[0].sum()))
        return result_text(float(values[0]) * self.line.side)

    def ownership(self, judged: Evaluation | None) -> NDArray | None:
        """Return the expected owner of each cell [H * W], 1 the side to move; None if unknown."""
        return None

    def handicap(self, line: Line) -> int:
        """Return the number of handicap stones."""
        return 0


def _after(line: Line, action: int) -> Line:
    after = line.first(line.ply)
    after.push(action)
    return after
