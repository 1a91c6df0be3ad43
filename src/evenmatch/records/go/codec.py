"""The codec of Go's records: SGF files, games from starts of their own, positions by replay.

Games begin with different komi and handicap stones. A dataset keeps each such start once, as the
properties of an SGF root, ``KM[0.5]HA[2]AB[dd][pp]PL[W]``, and its number for each game.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, UsageError
from evenmatch.games.game import States
from evenmatch.games.go import Go
from evenmatch.games.go.text import end_of, is_setup
from evenmatch.records.codec import NO_STARTS, FirstGame, RecordCodec, Replayed, Starts
from evenmatch.records.go.game_text import is_sgf
from evenmatch.records.go.games import FirstOfFile, GoReader
from evenmatch.records.go.replay import replay
from evenmatch.records.go.sgf import LONGEST_GAME
from evenmatch.records.record import GameRecord
from evenmatch.records.streams import Source, Sources, Text


class GoCodec(RecordCodec):
    """Moves and choices are actions; positions are of the search form, with superko's bans."""

    game: Go
    longest_first = LONGEST_GAME
    has_starts = True

    def __init__(self, game: Go):
        super().__init__(game)
        self.choices = np.dtype("u1" if game.num_actions <= 256 else "<u2")
        self.start = lru_cache(maxsize=4096)(self._start)

    def _first(self, text: Text) -> FirstGame:
        """Return a game of SGF, a start of one such as KM[0.5]AB[dd]PL[W], or moves in words."""
        if is_sgf(text.data):
            record, games, faults, _ = self.first_of(text)
            return FirstGame(record, games, faults)
        start = text.data.decode("utf-8", "replace").strip()
        if not is_setup(start):
            return super()._first(text)
        self.start(start)
        return FirstGame(
            GameRecord(game=self.game.id, moves=np.zeros(0, np.uint16), result=None, start=start),
            0,
            [],
        )

    def first_of(self, source: Source, most: int | None = None) -> FirstOfFile:
        """Return the first game of SGF on a board of this size, or ``most`` moves of it.

        It may have no moves. RecordError says what is wrong with it, or that there is none.
        """
        with self.reader(source) as reader:
            return reader.first(most)

    def end_text(self, record: GameRecord) -> str:
        """Return the position at the end of a game; a ko that its last move began is forgotten."""
        end = self.played(record.moves, record.start)[-1:]
        black, white = (np.flatnonzero(self.game.stones(end)[0] == side) for side in (1, -1))
        return end_of(
            record.start, self.game.size,
            black.tolist(), white.tolist(), int(self.game.to_play(end)[0]),
        )  # fmt: skip

    def size(self, path: Path) -> int:
        """Return the bytes of a file, or of a folder's SGF files; RecordError if unreadable."""
        with Sources(path) as sources:
            return sources.size

    def reader(self, path: Source) -> GoReader:
        """Open an SGF file, a folder of them or a text; RecordError if it cannot be read."""
        return GoReader(path, self.game, self.start)

    def fingerprint(self) -> str:
        """Return what choices are: they depend on no order of legal actions."""
        return "actions"

    def _start(self, text: str) -> NDArray[np.uint64]:
        """Return the position [S] that a start's text stands for; RecordError if it cannot be."""
        try:
            return self.game.read_position(text)
        except UsageError as error:
            raise RecordError(str(error)) from None

    def replay(
        self,
        games: NDArray[np.int64],
        plies: NDArray[np.int64],
        first: NDArray[np.int64],
        lengths: NDArray[np.int64],
        choices: NDArray[Any],
        starts: Starts = NO_STARTS,
    ) -> tuple[Replayed, int]:
        """Return positions and moves, in one compiled call."""
        texts, of_request = starts if starts is not NO_STARTS else ([""], np.zeros_like(games))
        begun = np.stack([self.start(text) for text in texts]) if texts else self.game.initial(0)
        states = np.empty((len(games), self.game.search_words), np.uint64)
        moves = np.zeros(len(games), np.uint16)
        damaged = replay(
            np.lexsort((plies, games)), games, plies, first, lengths, choices, begun, of_request,
            self.game.near, self.game.room(), np.empty_like(self.game.initial()), states, moves,
        )  # fmt: skip
        return Replayed(states, moves), int(damaged)

    def has_handicap(self, start: str) -> bool:
        """Tell whether there are stones that Black was given."""
        return "AB[" in start

    def played(self, moves: NDArray[np.uint16], start: str = "") -> States:
        """Return the positions [plies + 1, S'] of a game of legal ``moves`` [plies]."""
        count = len(moves) + 1
        nothing = np.zeros(1, np.int64)
        replayed, damaged = self.replay(
            np.zeros(count, np.int64), np.arange(count), nothing, nothing + count - 1, moves,
            Starts([start], np.zeros(count, np.int64)),
        )  # fmt: skip
        if damaged >= 0:
            raise RecordError("the moves of a game are not legal; read it again")
        return replayed.states


CODEC = GoCodec
