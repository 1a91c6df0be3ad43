"""How each game is spoken: its coordinates, its sizes of board, passes, and how it is scored.

``Form`` serves any game of ``GAMES``; what is a game's own is a form of its own. Go's is in
``go_rules.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError
from evenmatch.frontends.gtp.protocol import PASS, GtpError
from evenmatch.games import GAMES
from evenmatch.games.game import Game
from evenmatch.games.othello import Othello
from evenmatch.search.evaluator import Evaluation
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.scoring import result_text

Judge = Callable[[GameLine], Evaluation | None]

IMPLIED = "implied"  #: mark of a pass that nobody made: the other side moved twice in a row


class Form:
    """A game that has neither komi nor handicaps: most of them."""

    upward = False  #: whether rows are numbered from the bottom
    letters = "abcdefghijklmnopqrstuvwxyz"  #: of columns

    def __init__(self, game: Game):
        self.game = game

    def sized(self, size: int) -> Form:
        """Return the form of the same game on a board of another size; GtpError if none is."""
        if size != self.game.width:
            raise GtpError("unacceptable size")
        return self

    def begin(self) -> GameLine:
        """Return a game that begins."""
        return GameLine(self.game)

    def read(self, line: GameLine, word: str) -> int:
        """Return the legal action that a word names; GtpError if it is none."""
        try:
            return self.game.read_action(line.state, word)
        except MoveError:
            raise GtpError("illegal move") from None

    def text(self, line: GameLine, action: int) -> str:
        """Write an action that is legal at the end of a line: D4, or pass."""
        word = self.game.action_text(line.state, action)
        return word if word == PASS else word.upper()

    def passing(self, line: GameLine) -> int | None:
        """Return the action that passes, if the side to move may."""
        named = (action for action in line.legal if self.text(line, action) == PASS)
        return next(named, None)

    def turned(self, line: GameLine, side: int) -> GameLine:
        """Return the game with ``side`` to move, after a pass of the other if it may pass.

        So a forced pass may be told or left out.
        """
        action = self.passing(line) if line.side != side else None
        if action is None:
            return line
        after = line.first(line.ply)
        after.push(action)
        return after

    def resumed(self, line: GameLine) -> GameLine:
        """Return the game to go on with after its end; most games do not."""
        return line

    def off_turn(self, line: GameLine, side: int) -> str | None:
        """Return what ``genmove`` answers once the game is over; None while it goes on.

        GtpError for a side that is not to move.
        """
        if line.legal and line.side != side:
            raise GtpError("cannot move; it is the other side's turn")
        return None if line.legal else PASS

    def score(self, line: GameLine, judge: Judge) -> str:
        """Return the result of a game that has ended; GtpError while it goes on.

        ``judge`` tells what the network says of a position, for games in which it must be asked.
        """
        over, values = self.game.outcome(line.state[None])
        if not over[0]:
            raise GtpError("cannot score")
        return result_text(self.lead(line, float(values[0]) * line.side))

    def lead(self, line: GameLine, value: float) -> float:
        """Return by how much Black has won; ``value`` is the outcome for Black."""
        return value

    def rows(self, cells: NDArray) -> NDArray:
        """Return values of cells [H, W] in the order in which Go programs show rows, top first."""
        return cells if self.upward else cells[::-1]

    def point(self, cell: int) -> str:
        """Write a cell (row * W + column) of the board as a point."""
        row, column = divmod(cell, self.game.width)
        number = self.game.height - row if self.upward else row + 1
        return f"{self.letters[column].upper()}{number}"

    def ownership_told(self, said: Evaluation | None) -> NDArray | None:
        """Return whose each cell [H * W] will be for the side to move, if the network tells."""
        return None

    def replayed(self, line: GameLine) -> GameLine:
        """Return a game as it is if it begins as games begin now."""
        return line

    def handicap(self, line: GameLine) -> int:
        """Return the stones of handicap of a game."""
        return 0


class OthelloForm(Form):
    """Othello as gtp-rhino speaks it: rows from the top; passes that nobody tells."""

    def sized(self, size):
        """Return the form on 6x6 or 8x8."""
        for game in GAMES.values():
            if isinstance(game, Othello) and game.width == size:
                return OthelloForm(game)
        raise GtpError("unacceptable size")

    def lead(self, line, value):
        """Return how many discs more Black has."""
        return float(self.game.board(line.state[None])[0].sum())


class Connect4Form(Form):
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


def legal_mask(form: Form, line: GameLine, words: list[str]) -> NDArray[np.bool_]:
    """Return which actions [A] are legal at the end of a line and named."""
    named = np.zeros(form.game.num_actions, np.bool_)
    for word in words:
        try:
            named[form.read(line, word)] = True
        except GtpError:
            continue  # programs name points that are taken
    return named
