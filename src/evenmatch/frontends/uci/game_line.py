"""The game that a chess program shows: positions, moves, and their names."""

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
from evenmatch.players import Turns

GAME = cast(Chess, get_game("chess"))


class GameLine:
    """A game so far. Games that only went on share what was read before."""

    def __init__(self, told: Position | None = None, before: GameLine | None = None):
        """Read a game; UsageError says which move cannot be played."""
        told = told or Position()
        self.told = told
        self.states: list[NDArray[np.uint64]]  #: [P + 1] of [S]
        self.actions: list[int]  #: [P]
        same = before is not None and before.told.fen == told.fen
        kept = _common(before.told.moves, told.moves) if before is not None and same else 0
        if before is not None and same:
            self.states, self.actions = before.states[: kept + 1], before.actions[:kept]
        else:
            start = GAME.initial()[0] if told.fen is None else GAME.from_fen(told.fen)
            self.states, self.actions = [start], []
        for number, word in enumerate(told.moves[kept:], start=kept + 1):
            self._move(word, number)

    def _move(self, word: str, number: int) -> None:
        try:
            action = action_of_move(self.state, chess_text.read_move(self.state, word))
        except MoveError as error:
            raise UsageError(f"move {number}: {error}") from None
        self.states = [*self.states, GAME.after(self.state[None], np.array([action]))[0]]
        self.actions = [*self.actions, int(action)]

    @property
    def state(self) -> NDArray[np.uint64]:
        """The position to move in, [S]."""
        return self.states[-1]

    @property
    def side(self) -> int:
        """1 if White is to move, else -1."""
        return int(GAME.to_play(self.state[None])[0])

    @property
    def first_side(self) -> bool:
        """Whether White is to move."""
        return self.side > 0

    @property
    def legal(self) -> NDArray[np.intp]:
        """What the pieces can do, also after draws that nobody claimed."""
        actions, counts = GAME.unclaimed(self.state[None])
        return actions[0, : counts[0]].astype(np.intp)

    def playable(self) -> GameLine:
        """Return the game, or if it is drawn only by its past, its last position without one."""
        if len(GAME.legal_actions(self.state[None])[0]) or not len(self.legal):
            return self
        words = GAME.to_fen(self.state).split()
        return GameLine(Position(" ".join([*words[:4], "0", words[5]])))

    def since(self, before: GameLine) -> list[int] | None:
        """Return the actions played since another state of the same game; None if it is not."""
        count = len(before.actions)
        same = self.told.fen == before.told.fen and self.actions[:count] == before.actions
        return self.actions[count:] if same else None

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

    def turns(self) -> Turns:
        """Return the game as players see it: before a FEN stands its position, once for a ply."""
        before = min(int(self.states[0][COUNTERS] & SIXTEEN), MAX_PLIES)
        states = np.array([self.states[0]] * before + self.states)
        actions = np.array([-1] * before + self.actions or [-1], np.int32)
        plies = np.array([before + len(self.actions)])
        return Turns(np.array([0]), plies, states[None], actions[None])


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many words two games have in common."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
