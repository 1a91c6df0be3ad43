"""How a game's records are stored and replayed. The codec here serves any game.

A *choice* is how a dataset stores a move: its place among the legal actions, in one byte or two.
Games with a notation of their own, such as chess, have a codec of their own that replays faster.

Shapes: K requests, G games, M moves, S words of a state.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, RecordError
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game, States, random_positions
from evenmatch.records.letters import plain, shown
from evenmatch.records.record import BAD_RATING, UNKNOWN_RESULT, Fault, GameRecord, Reason, speed_of
from evenmatch.records.streams import Source, Stream, Text

FIELDS = ("first", "second", "event", "time_control", "start")
"""Texts of a game: two names, two facts, and how it begins where a codec has starts."""
BYTE = 256  #: choices that fit one


class Starts(NamedTuple):
    """The starts of games that are asked for, where they are not all the same."""

    texts: Sequence[str]  #: [n], as the codec reads them
    of_request: NDArray[np.int64]  #: [K] the number of each request's


NO_STARTS = Starts((), np.zeros(0, np.int64))  #: all games begin from the usual one


class GameBatch(ABC):
    """Some games of a file as arrays, those with a fault included. G games, M moves."""

    game_id: str  #: such as chess
    source: str  #: the file
    reasons: NDArray[np.uint8]  #: [G] why each game is left out; 0 if it is fine
    first: NDArray[np.int32]  #: [G + 1] the first move of each game, and behind the last
    results: NDArray[np.int8]  #: [G] 1, 0 or -1 for the game's first player, UNKNOWN_RESULT
    lines: NDArray[np.int64]  #: [G] the lines the games begin in
    ratings: NDArray[np.int16]  #: [G, 2] of who moved first and of the other; 0 or less for none
    years: NDArray[np.int16]  #: [G], 0 if unknown
    choices: NDArray[Any]  #: [M] the moves as choices
    evals: NDArray[np.int16]  #: [M] or more, as in GameRecord; NO_EVAL where there is none
    clocks: NDArray[np.uint16]  #: [M] or more, as in GameRecord; NO_CLOCK where there is none

    @abstractmethod
    def text(self, field: str, game: int) -> str:
        """Return the site or one of FIELDS of a game, empty if there is none."""

    @abstractmethod
    def date(self, game: int) -> str:
        """Return a game's date such as 2022-03-14 or 2022-03, empty if unknown."""

    @abstractmethod
    def moves_of(self, game: int) -> NDArray[np.uint16]:
        """Return a game's moves, [plies]."""

    def texts(self, field: str, games: NDArray[np.bool_]) -> list[bytes]:
        """Return one of FIELDS of each of ``games`` [G], as bytes: a key to look the text up by."""
        return [
            self.text(field, game).encode("utf-8", "replace")
            for game in np.flatnonzero(games).tolist()
        ]

    def text_of(self, raw: bytes) -> str:
        """Return the text that such bytes stand for."""
        return raw.decode()

    def notes(self, game: int) -> dict[str, Any]:
        """Return the evals, clocks and marks of a game's moves, as fields of GameRecord."""
        return {}

    def record(self, game: int) -> GameRecord:
        """Return a game that has no fault."""
        event, control = self.text("event", game), self.text("time_control", game)
        first, second = self.ratings[game].tolist()
        result = int(self.results[game])
        return GameRecord(
            game=self.game_id,
            moves=self.moves_of(game),
            result=None if result == UNKNOWN_RESULT else result,
            players=(self.text("first", game), self.text("second", game)),
            ratings=(first if first > 0 else None, second if second > 0 else None),
            event=event,
            site=self.text("site", game),
            speed=speed_of(event, control),
            time_control=control,
            year=int(self.years[game]) or None,
            date=self.date(game),
            start=self.text("start", game),
            source=self.source,
            line=int(self.lines[game]),
            **self.notes(game),
        )


def ignored(fault: Fault) -> None:
    """Pass over a fault that nobody wants to see."""


class Reader(ABC):
    """Reads a file of games, batch after batch; a context manager.

    After the last batch ``good`` and ``bad_ratings`` are the counts of the whole file.
    """

    stream: Any  #: what it reads from: `size` and `done` are bytes on disk
    source: str  #: the file's name
    good: int = 0  #: games without a fault so far
    bad_ratings: int = 0  #: ratings that were dropped so far

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.__exit__()

    @abstractmethod
    def batches(self, on_fault: OnFault = ignored) -> Iterator[GameBatch]:
        """Yield all games; ``on_fault`` is called for those to be left out. RecordError."""

    def counted(self, batch: BatchT) -> BatchT:
        """Count a batch's games without a fault and their bad ratings; return the batch."""
        fine = batch.reasons == Reason.fine
        self.good += int(fine.sum())
        self.bad_ratings += int((batch.ratings[fine] == BAD_RATING).sum())
        return batch


BatchT = TypeVar("BatchT", bound=GameBatch)
OnFault = Callable[[Fault], None]


class Replayed(NamedTuple):
    """Positions before recorded moves, and the moves."""

    states: NDArray[np.uint64]  #: [K, S] of the game
    moves: NDArray[np.uint16]  #: [K] as the codec writes them; 0 at a game's end


class FirstGame(NamedTuple):
    """The first game of a file or text, to continue from; or a position, which has no moves."""

    record: GameRecord
    games: int  #: that the beginning of the text has, 0 for a position
    faults: list[Fault]  #: what was passed over up to the end of the first game


class RecordCodec:
    """Moves are actions, and choices are places among the legal ones."""

    longest_first = 1 << 21  #: bytes in which the first game of a text ends
    has_starts = False  #: whether games begin from positions of their own, as texts that it reads
    start_eval = 0.0  #: centipawns for the first player before the first move, if there are evals

    def __init__(self, game: Game):
        self.game = game
        self.choices = np.dtype("u1" if game.max_legal <= BYTE else "<u2")  #: how they are stored

    def first(self, source: Source) -> FirstGame:
        """Return the first game of a file or text, from any start; or the position that it is.

        It is read as by `games`. RecordError says what is wrong with the first game.
        """
        with Stream(source) as stream:
            text = Text(stream.read(self.longest_first), stream.name)
        if not text.data.strip():
            raise RecordError(f"{text.name} is empty; give a game or a position")
        return self._first(text)

    def _first(self, text: Text) -> FirstGame:
        """Return a game that is written as its moves, with blanks between them."""
        state, actions = self.game.initial(), []
        for word in self.words(shown(text.data)):
            try:
                actions.append(self.game.read_action(state[0], word))
            except MoveError as error:
                raise RecordError(
                    f"{text.name} has no game of {self.game.title}: {error}"
                ) from None
            state = self.game.after(state, np.array(actions[-1:]))
        return FirstGame(
            GameRecord(game=self.game.id, moves=np.array(actions, np.uint16), result=None), 1, []
        )

    def words(self, text: str) -> list[str]:
        """Return the moves of a text one by one, without move numbers, as `read_action` reads."""
        return re.sub(r"\b\d+\s*\.+", " ", plain(text)).replace(",", " ").split()

    def end_text(self, record: GameRecord) -> str:
        """Return the position at the end of a game, as `Game.read_position` reads it."""
        raise NotImplementedError

    def size(self, path: Path) -> int:
        """Return the bytes of a file on disk; RecordError if it cannot be read."""
        with Stream(path) as stream:
            return stream.size

    def reader(self, source: Source) -> Reader:
        """Open games; RecordError if they cannot be read, or no format is known."""
        raise RecordError(
            f"files of {self.game.title} cannot be read; choose another --game, "
            "see `evenmatch games`"
        )

    def games(self, source: Source, on_fault: OnFault = ignored) -> Iterator[GameRecord]:
        """Yield games one by one; ``on_fault`` is called for those left out. RecordError."""
        with self.reader(source) as reader:
            for batch in reader.batches(on_fault):
                for game in np.flatnonzero(batch.reasons == Reason.fine).tolist():
                    yield batch.record(game)

    def fingerprint(self) -> str:
        """Return a fingerprint of the order of legal actions, which choices depend on."""
        digest = hashlib.sha256()
        for states in random_positions(self.game, 4, 0):
            actions, counts, _ = self.game.examine(states)
            for row, count in zip(actions, counts, strict=True):
                digest.update(row[:count].astype("<i2").tobytes())
        return digest.hexdigest()[:16]

    def replay(
        self,
        games: NDArray[np.int64],
        plies: NDArray[np.int64],
        first: NDArray[np.int64],
        lengths: NDArray[np.int64],
        choices: NDArray[Any],
        starts: Starts = NO_STARTS,
    ) -> tuple[Replayed, int]:
        """Return the positions before move number ``plies`` [K] of ``games`` [K], and those moves.

        ``first`` and ``lengths`` [G] are where the ``choices`` [M] of each game begin, and how many
        they are; ``starts`` are for codecs that have some. All games requested advance one ply at a
        time, side by side.
        With the positions comes the number of a game whose choices cannot be played, -1 if all
        can.
        """
        numbers, at = np.unique(games, return_inverse=True)
        due = np.zeros(len(numbers), np.int64)
        np.maximum.at(due, at, plies)
        states = self.game.initial(len(numbers))
        order = np.argsort(plies, kind="stable")
        ends = np.searchsorted(plies[order], np.arange(int(plies.max(initial=-1)) + 2))
        out = np.empty((len(games), states.shape[1]), np.uint64)
        moves = np.zeros(len(games), np.uint16)
        for ply in range(len(ends) - 1):
            due_now = order[ends[ply] : ends[ply + 1]]
            out[due_now] = states[at[due_now]]
            going = np.flatnonzero((due >= ply) & (lengths[numbers] > ply))
            actions, counts, _ = self.game.examine(states[going])
            chosen = choices[first[numbers[going]] + ply].astype(np.int64)
            if (chosen >= counts).any():
                return Replayed(out, moves), int(numbers[going[chosen >= counts][0]])
            played = np.zeros(len(numbers), np.int64)
            played[going] = actions[np.arange(len(going)), chosen]
            moves[due_now] = played[at[due_now]]
            states[going] = self.game.after(states[going], played[going])
        return Replayed(out, moves), -1

    def moves(self, choices: NDArray[Any], start: str = "") -> NDArray[np.uint16] | None:
        """Return the moves [plies] of one game's choices; None if they cannot be played."""
        plies = np.arange(len(choices))
        nothing, games = np.zeros(1, np.int64), np.zeros(len(choices), np.int64)
        starts = Starts([start], games)
        replayed, damaged = self.replay(
            games, plies, nothing, nothing + len(choices), choices, starts
        )
        return None if damaged >= 0 else replayed.moves

    def played(self, moves: NDArray[np.uint16], start: str = "") -> States:
        """Return the positions [plies + 1, S] of a game of legal ``moves`` [plies]."""
        states = np.repeat(self.game.initial(), len(moves) + 1, 0)
        for ply, move in enumerate(moves.astype(np.int32)):
            self.game.advance(states[ply : ply + 1], move[None], states[ply + 1 : ply + 2])
        return states

    def actions(self, states: States, moves: NDArray[np.uint16]) -> NDArray[np.int64]:
        """Return the actions [K] that ``moves`` [K] of positions [K, S] are."""
        return moves.astype(np.int64)

    def recorded(self, states: States, actions: NDArray[Any]) -> NDArray[np.uint16]:
        """Return the moves [K] that ``actions`` [K] of positions [K, S] are."""
        return actions.astype(np.uint16)

    def has_handicap(self, start: str) -> bool:
        """Tell whether a game that begins so favours one side on purpose."""
        return False

    def bare(self, states: States) -> States:
        """Return positions [K, S] without what came before them, where a state contains that."""
        return states


CODEC = RecordCodec


@lru_cache
def codec_for(game_id: str) -> RecordCodec:
    """Return the codec of a game's records, which the catalog names."""
    return import_module(game_info(game_id).codec).CODEC(get_game(game_id))
