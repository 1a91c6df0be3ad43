"""How a game's records are stored and replayed. The codec here serves any game.

A *choice* is how a dataset stores a move: its place among the legal actions, in one byte or two.
Games with a notation of their own, such as chess, have a codec of their own that replays faster.

Shapes: K requests, G games, M moves, S words of a state.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, RecordError
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game, States, random_positions
from evenmatch.records.letters import plain, shown
from evenmatch.records.record import Fault, GameRecord
from evenmatch.records.streams import Source, Stream, Text

FIELDS = ("first", "second", "event", "time_control", "start")
"""Texts of a game: two names, two facts, and how it begins where a codec has starts."""
BYTE = 256  #: choices that fit one


class Progress(Protocol):
    """Where games are read from."""

    size: int  #: bytes on disk

    @property
    def done(self) -> int:
        """Bytes of them that have been read."""


class Starts(NamedTuple):
    """The starts of games that are asked for, where they are not all the same."""

    texts: Sequence[str]  #: [n], as the codec reads them
    of_request: NDArray[np.int64]  #: [K] the number of each request's


NO_STARTS = Starts((), np.zeros(0, np.int64))  #: all games begin from the usual one


class GameBatch(Protocol):
    """Some games of a file as arrays, those with a fault included. G games, M moves."""

    @property
    def reasons(self) -> NDArray[np.uint8]:
        """[G] why each game is to be left out; 0 if it is fine."""

    @property
    def first(self) -> NDArray[np.int32]:
        """[G + 1] the first move of each game, and behind the last."""

    @property
    def results(self) -> NDArray[np.int8]:
        """[G] 1, 0 or -1 for the game's first player, UNKNOWN_RESULT."""

    @property
    def lines(self) -> NDArray[np.int64]:
        """[G] the lines the games begin in."""

    @property
    def ratings(self) -> NDArray[np.int16]:
        """[G, 2] of who moved first and of the other; 0 or less for none."""

    @property
    def years(self) -> NDArray[np.int16]:
        """[G], 0 if unknown."""

    @property
    def choices(self) -> NDArray[Any]:
        """[M] the moves as choices."""

    @property
    def evals(self) -> NDArray[np.int16]:
        """[M] or more, as in GameRecord; NO_EVAL where there is none."""

    @property
    def clocks(self) -> NDArray[np.uint16]:
        """[M] or more, as in GameRecord; NO_CLOCK where there is none."""

    def texts(self, field: str, games: NDArray[np.bool_]) -> list[bytes]:
        """Return one of FIELDS of each of ``games`` [G], as bytes: a key to look the text up by."""

    def text_of(self, raw: bytes) -> str:
        """Return the text that such bytes stand for."""


class Reader(Protocol):
    """Reads a file of games, batch after batch; a context manager.

    After the last batch ``good`` and ``bad_ratings`` are the counts of the whole file.
    """

    source: str  #: the file's name
    good: int  #: games without a fault so far
    bad_ratings: int  #: ratings that were dropped so far

    @property
    def stream(self) -> Progress:
        """What it reads from."""

    def __enter__(self) -> "Reader": ...

    def __exit__(self, *_: object) -> None: ...

    def batches(self, on_fault: Callable[[Fault], None]) -> Iterator[GameBatch]:
        """Yield all games; ``on_fault`` hears of those that are to be left out. RecordError."""


class Replayed(NamedTuple):
    """Positions before recorded moves, and the moves."""

    states: NDArray[np.uint64]  #: [K, S] of the game
    moves: NDArray[np.uint16]  #: [K] as the codec writes them; 0 at a game's end


class FirstGame(NamedTuple):
    """The first game of a file or text, to go on from; or a position, which has no moves."""

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

    def reader(self, path: Path) -> Reader:
        """Open a file of games; RecordError if it cannot be read, or no format is known."""
        raise RecordError(
            f"files of {self.game.title} cannot be read; choose another --game, "
            "see `evenmatch games`"
        )

    def games(
        self, path: str | Path, on_fault: Callable[[Fault], None] | None = None
    ) -> Iterator[GameRecord]:
        """Yield the games of a file one by one, those with a fault left out. RecordError."""
        raise RecordError(f"files of {self.game.title} cannot be read one game at a time")

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

        ``first`` and ``lengths`` [G] tell where the ``choices`` [M] of each game are; ``starts``
        are for codecs that have some. All games asked for advance one ply at a time, side by side.
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
            asked = order[ends[ply] : ends[ply + 1]]
            out[asked] = states[at[asked]]
            going = np.flatnonzero((due >= ply) & (lengths[numbers] > ply))
            actions, counts, _ = self.game.examine(states[going])
            chosen = choices[first[numbers[going]] + ply].astype(np.int64)
            if (chosen >= counts).any():
                return Replayed(out, moves), int(numbers[going[chosen >= counts][0]])
            played = np.zeros(len(numbers), np.int64)
            played[going] = actions[np.arange(len(going)), chosen]
            moves[asked] = played[at[asked]]
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
        """Return positions [K, S] without what came before them, where a state tells of that."""
        return states


CODEC = RecordCodec


@lru_cache
def codec_for(game_id: str) -> RecordCodec:
    """Return the codec of a game's records, which the catalog names."""
    return import_module(game_info(game_id).codec).CODEC(get_game(game_id))
