"""The form of Go's records: SGF files, games from starts of their own, positions by replay.

Games begin with different komi and handicap stones. A dataset keeps each such start once, as the
properties of an SGF root, ``KM[0.5]HA[2]AB[dd][pp]PL[W]``, and its number for each game.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, UsageError
from evenmatch.games.game import States
from evenmatch.games.go import Go
from evenmatch.records.form import NO_STARTS, RecordForm, Replayed, Starts
from evenmatch.records.go.game_text import is_sgf
from evenmatch.records.go.games import GoReader
from evenmatch.records.go.position import end_text
from evenmatch.records.go.replay import replay
from evenmatch.records.go.sgf import read_sgf
from evenmatch.records.go.sources import Sources
from evenmatch.records.record import Fault, GameRecord, Reason


class GoForm(RecordForm):
    """Moves and choices are actions; positions are of the search form, with superko's bans."""

    game: Go
    has_starts = True

    def __init__(self, game: Go):
        super().__init__(game)
        self.choices = np.dtype("u1" if game.num_actions <= 256 else "<u2")
        self.start = lru_cache(maxsize=4096)(self._start)

    def start_of(self, text: str) -> tuple[str, int]:
        """Return properties of SGF as they are, and the end of an SGF game as such."""
        if not is_sgf(text.encode()):
            return text, 0
        records = read_sgf(text)
        return end_text(self.game, records[0]), len(records)

    def size(self, path: Path) -> int:
        """Return the bytes of a file, or of a folder's SGF files; RecordError if unreadable."""
        with Sources(path) as sources:
            return sources.size

    def reader(self, path: str | Path) -> GoReader:
        """Open an SGF file or a folder of them; RecordError if it cannot be read."""
        return GoReader(path, self.game, self.start)

    def games(
        self, path: str | Path, on_fault: Callable[[Fault], None] | None = None
    ) -> Iterator[GameRecord]:
        """Yield the games of a file, a folder or standard input, those with a fault left out."""
        with self.reader(path) as reader:
            for batch in reader.batches(on_fault or (lambda fault: None)):
                for game in np.flatnonzero(batch.reasons == 0).tolist():
                    yield batch.record(game)

    def first(self, path: Path) -> GameRecord:
        """Return the first game of a file that is on a board of this size; it may have no moves.

        Raises RecordError if there is none, or if a game before it has another fault.
        """
        faults: list[Fault] = []
        with self.reader(path) as reader:
            for batch in reader.batches(faults.append):
                if not (sized := batch.reasons != Reason.other_size).any():
                    continue
                game = int(sized.argmax())
                if batch.reasons[game] not in (Reason.fine, Reason.no_moves):
                    raise RecordError(str(next(batch.text.faults(sized))))
                return batch.record(game)
        raise RecordError(str(faults[0]))

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


FORM = GoForm
