"""The game that a chess program sends: positions, moves, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError
from evenmatch.frontends.uci.protocol import Position
from evenmatch.games import get_game
from evenmatch.games.chess import Chess
from evenmatch.games.chess import text as chess_text
from evenmatch.games.chess.actions import action_of_move, move_of_action
from evenmatch.games.chess.history import COUNTERS, MAX_PLIES, SIXTEEN
from evenmatch.games.line import Line, common

GAME = cast(Chess, get_game("chess"))


class UciLine(Line):
    """A position and moves. A line that goes on from the one before shares what was read."""

    def __init__(self, position: Position | None = None, before: UciLine | None = None):
        """Read a game; UsageError says which move cannot be played."""
        self.position = position = position or Position()
        self.notes: tuple[str, ...] = ()  #: on what was left out of the FEN
        kept = 0
        if before is not None and before.position.fen == position.fen:
            kept = common(before.position.moves, position.moves)
            self._share(before, kept)
        elif position.fen is None:
            super().__init__(GAME, None)
        else:
            board, self.notes = chess_text.read_fen(position.fen, chess960=True)
            super().__init__(GAME, GAME.state_of(board))
        for number, word in enumerate(position.moves[kept:], start=kept + 1):
            self._move(word, number)

    def _move(self, word: str, number: int) -> None:
        try:
            action = action_of_move(self.state, chess_text.read_move(self.state, word))
        except MoveError as error:
            raise UsageError(f"move {number}: {error}") from None
        self.push(int(action))

    @property
    def white(self) -> bool:
        """Whether White is to move."""
        return self.side > 0

    @property
    def playable_actions(self) -> NDArray[np.intp]:
        """What the pieces can do, also where a draw could be claimed."""
        actions, counts = GAME.unclaimed(self.state[None])
        return actions[0, : counts[0]].astype(np.intp)

    def playable(self) -> UciLine:
        """Return the game, or if it is drawn only by its past, its last position without one."""
        if len(GAME.legal_actions(self.state[None])[0]) or not len(self.playable_actions):
            return self
        words = GAME.to_fen(self.state).split()
        return UciLine(Position(" ".join([*words[:4], "0", words[5]])))

    def mates(self, action: int) -> bool:
        """Return whether an action that can be played here is checkmate."""
        over, values = GAME.outcome(GAME.after(self.state[None], np.array([action])))
        return bool(over[0] and values[0])

    def among(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return which actions [A] are named; those that cannot be played are left out."""
        kept = np.zeros(GAME.num_actions, np.bool_)
        for word in words:
            with suppress(MoveError):
                kept[action_of_move(self.state, chess_text.read_move(self.state, word))] = True
        return kept

    def words(self, actions: Sequence[int]) -> list[str]:
        """Return the names of moves played one after the other from here, such as e7e8q."""
        names, state = [], self.state
        for action in actions:
            names.append(chess_text.move_of(int(move_of_action(state, action))).uci())
            state = GAME.after(state[None], np.array([action]))[0]
        return names

    def first(self, plies: int) -> UciLine:
        """Return the line of the first ``plies`` actions."""
        line = object.__new__(UciLine)
        line.position, line.notes = Position(self.position.fen, self.position.moves[:plies]), ()
        line._share(self, plies)
        return line

    def with_past(self) -> Line:
        """Return the line after as many unknown plies as the FEN's move number says."""
        before = min(int(self.states[0][COUNTERS] & SIXTEEN), MAX_PLIES)
        return self.after_unknown(before) if before else self
