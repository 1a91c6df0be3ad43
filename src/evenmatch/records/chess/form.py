"""Chess records: PGN files, moves as from and to squares, positions by compiled replay."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.chess.actions import actions_of_moves, move_of_action
from evenmatch.games.chess.history import new_states, without_history
from evenmatch.games.game import States
from evenmatch.records.chess.pgn import PgnReader, read_games
from evenmatch.records.chess.position import count_games, end_text, is_fen
from evenmatch.records.chess.replay import move_numbers, move_order, play, replay
from evenmatch.records.chess.san import START_BOARD, room
from evenmatch.records.form import NO_STARTS, RecordForm, Replayed, Starts
from evenmatch.records.record import Fault, GameRecord


class ChessForm(RecordForm):
    """A move is from | to << 6 | promotion << 12; a choice its place among the legal moves."""

    start_eval = 20.0  #: White's

    def start_of(self, text: str) -> tuple[str, int]:
        """Return a FEN as it is, and the end of a PGN game as FEN; UsageError if it is neither."""
        return (text, 0) if is_fen(text) else (end_text(text), count_games(text))

    def reader(self, path: Path) -> PgnReader:
        """Open a PGN file; RecordError if it cannot be read."""
        return PgnReader(path)

    def games(
        self, path: str | Path, on_fault: Callable[[Fault], None] | None = None
    ) -> Iterator[GameRecord]:
        """Yield the games of a PGN file one by one; see `read_games`."""
        return read_games(path, on_fault)

    def fingerprint(self) -> str:
        """Return a fingerprint of the order of legal moves, which choices depend on."""
        return move_order()

    def replay(
        self,
        games: NDArray[np.int64],
        plies: NDArray[np.int64],
        first: NDArray[np.int64],
        lengths: NDArray[np.int64],
        choices: NDArray[Any],
        starts: Starts = NO_STARTS,
    ) -> tuple[Replayed, int]:
        """Return positions, which remember the game, and moves, in one compiled call."""
        start = _start()
        states, moves = np.empty((len(games), len(start)), np.uint64), np.empty(len(games), "u2")
        damaged = replay(
            np.lexsort((plies, games)), games, plies, first, lengths, choices, start,
            np.empty_like(start), room()[1], states, moves,
        )  # fmt: skip
        return Replayed(states, moves), int(damaged)

    def moves(self, choices: NDArray[Any], start: str = "") -> NDArray[np.uint16] | None:
        """Return the moves [plies] of one game's choices; None if they cannot be played."""
        moves = np.empty(len(choices), np.uint16)
        whole = move_numbers(choices, START_BOARD, *room(), moves) == len(moves)
        return moves if whole else None

    def played(self, moves: NDArray[np.uint16], start: str = "") -> States:
        """Return the positions [plies + 1, S] of a game of legal ``moves`` [plies]."""
        states = np.empty((len(moves) + 1, len(_start())), np.uint64)
        states[0] = self.game.read_position(start) if start else _start()
        play(moves, states)
        return states

    def actions(self, states: States, moves: NDArray[np.uint16]) -> NDArray[np.int64]:
        """Return the actions [K] that ``moves`` [K] of positions [K, S] are."""
        return actions_of_moves(states, moves)

    def recorded(self, states, actions):
        """Return the moves, [K], by the tables of the rules."""
        pairs = zip(states, actions, strict=True)
        return np.array([move_of_action(state, int(action)) for state, action in pairs], np.uint16)

    def bare(self, states: States) -> States:
        """Return positions [K, S] that remember no game before them."""
        return without_history(states)


def _start() -> NDArray[np.uint64]:
    """Return the state [S] that games begin from."""
    return new_states(START_BOARD[None], np.zeros(1))[0]


FORM = ChessForm
