"""Games of Go from SGF, played by the rules: arrays for datasets, records for estimates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.games.go import Go
from evenmatch.records.go.openings import Openings
from evenmatch.records.go.ranks import rank_number
from evenmatch.records.go.replay import resolve
from evenmatch.records.go.sgf import SgfBatch, SgfReader
from evenmatch.records.go.tokens import Prop
from evenmatch.records.go.values import (
    comment_of,
    result_of,
    year_of,
)
from evenmatch.records.record import (
    NAMELESS,
    NO_CLOCK,
    NO_EVAL,
    UNKNOWN_RESULT,
    Fault,
    GameRecord,
    Reason,
    date_of,
    speed_of,
)

BAD_RATING = -1  #: in arrays of ratings, where 0 is none
Start = Callable[[str], NDArray[np.uint64]]  #: from a start's text to its position [S]


class Side(NamedTuple):
    """A player's half of a game."""

    name: str  #: empty if the moves are nobody's whose strength is known
    rating: int  #: of `rank_number`; 0 for none, BAD_RATING


@dataclass
class GoGames:
    """Some games of a file as arrays, those with a fault included. G games, M moves.

    Who moves first is the first of two: White, where Black has handicap stones.
    """

    text: SgfBatch
    starts: list[str]  #: [G] how the games begin
    reasons: NDArray[np.uint8]  #: [G]
    first: NDArray[np.int32]  #: [G + 1]
    choices: NDArray[np.uint16]  #: [M]
    white_first: NDArray[np.bool_]  #: [G]

    @property
    def lines(self) -> NDArray[np.int64]:
        """[G] the lines the games begin in."""
        return self.text.lines

    @cached_property
    def results(self) -> NDArray[np.int8]:
        """[G] 1, 0 or -1 for Black, UNKNOWN_RESULT."""
        return np.array(self.text.values(Prop.RE, result_of), np.int8)

    @cached_property
    def years(self) -> NDArray[np.int16]:
        """[G], 0 if unknown."""
        return np.array(self.text.values(Prop.DT, year_of), np.int16)

    @cached_property
    def dates(self) -> list[str]:
        """[G] such as 2022-03-14, or 2022-03; empty if unknown."""
        return self.text.values(Prop.DT, date_of)

    @cached_property
    def evals(self) -> NDArray[np.int16]:
        """[M] NO_EVAL: SGF files have none that programs agree on."""
        return np.full(len(self.choices), NO_EVAL, np.int16)

    @cached_property
    def clocks(self) -> NDArray[np.uint16]:
        """[M] NO_CLOCK."""
        return np.full(len(self.choices), NO_CLOCK, np.uint16)

    @cached_property
    def ratings(self) -> NDArray[np.int16]:
        """[G, 2] of who moved first and of the other; 0 or less for none."""
        ratings = [[side.rating for side in sides] for sides in self.sides]
        return np.array(ratings, np.int16).reshape(-1, 2)

    @cached_property
    def sides(self) -> list[tuple[Side, Side]]:
        """[G] who moved first, and the other.

        The side of a bot, or of nobody known, has neither name nor rating, so that its moves are no
        person's. A side with a rank in a game that names nobody is a player of its own.
        """
        return [
            (white, black) if late else (black, white)
            for late, (black, white) in zip(self.white_first, self._colours(), strict=True)
        ]

    def _colours(self) -> Iterator[tuple[Side, Side]]:
        """Yield the sides of Black and White."""
        text, own = self.text, Path(self.text.source).name
        ranks = [text.values(prop, rank_number) for prop in (Prop.BR, Prop.WR)]
        names = [text.texts(prop) for prop in (Prop.PB, Prop.PW)]
        comments = text.values(Prop.GC, comment_of)
        for game, comment in enumerate(comments):
            said = [names[side][game] for side in (0, 1)]
            if all(name in NAMELESS for name in said):
                alone = f"{own}:{text.lines[game]}"
                said = [alone if ranks[side][game] else "" for side in (0, 1)]
            rated = [ranks[side][game] for side in (0, 1)]
            yield tuple(  # type: ignore[misc]
                Side(said[side], _rating(rated[side])) if comment.people[side] else Side("", 0)
                for side in (0, 1)
            )

    @cached_property
    def _fields(self) -> dict[str, list[str]]:
        """The texts [G] of a game's fields, by name."""
        times = zip(self.text.texts(Prop.TM), self.text.texts(Prop.OT), strict=True)
        return {
            "first": [first.name for first, _ in self.sides],
            "second": [second.name for _, second in self.sides],
            "event": self.text.texts(Prop.EV),
            "site": self.text.texts(Prop.PC),
            "time_control": [" ".join(filter(None, pair)) for pair in times],
            "start": self.starts,
        }

    def texts(self, field: str, games: NDArray[np.bool_]) -> list[bytes]:
        """Return one of FIELDS of each of ``games`` [G], in UTF-8."""
        texts = self._fields[field]
        return [texts[game].encode("utf-8", "replace") for game in np.flatnonzero(games)]

    def text_of(self, raw: bytes) -> str:
        """Return the text that such bytes stand for."""
        return raw.decode()

    def record(self, game: int) -> GameRecord:
        """Return a game that has no fault."""
        sides = self.sides[game]
        event, control = (self._fields[name][game] for name in ("event", "time_control"))
        result = int(self.results[game])
        return GameRecord(
            game="go" if (size := int(self.text.sizes[game])) == 19 else f"go{size}",
            moves=self.choices[self.first[game] : self.first[game + 1]].copy(),
            result=None if result == UNKNOWN_RESULT else result,
            players=(sides[0].name, sides[1].name),
            ratings=(_told(sides[0].rating), _told(sides[1].rating)),
            event=event,
            site=self._fields["site"][game],
            speed=speed_of(event, control),
            time_control=control,
            year=int(self.years[game]) or None,
            date=self.dates[game],
            start=self.starts[game],
            source=self.text.source,
            line=int(self.lines[game]),
        )


def _rating(rank: int | None) -> int:
    return BAD_RATING if rank is None else rank


def _told(rating: int) -> int | None:
    return rating if rating > 0 else None


class GoReader:
    """Reads SGF and plays the games, batch after batch; a context manager."""

    def __init__(self, path: str | Path, game: Go, start: Start):
        """Open a file, a folder, or standard input; RecordError if it cannot be read."""
        self._reader = SgfReader(path)
        self.stream = self._reader.stream
        self.source = self._reader.source
        self.good = 0  #: games without a fault so far
        self.bad_ratings = 0  #: ranks that were dropped so far
        self._game, self._start = game, start
        self._room, self._state = game.room(), game.initial()

    def __enter__(self) -> "GoReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.__exit__()

    def batches(self, on_fault: Callable[[Fault], None]) -> Iterator[GoGames]:
        """Yield all games; ``on_fault`` hears of those that are to be left out. RecordError."""
        for text in self._reader.batches(on_fault):
            known = text.reasons != Reason.fine  # the reader tells of those
            batch = self._played(text)
            fine = batch.reasons == Reason.fine
            self.good += int(fine.sum())
            self.bad_ratings += int((batch.ratings[fine] == BAD_RATING).sum())
            for fault in text.faults(~known):
                on_fault(fault)
            yield batch

    def _played(self, text: SgfBatch) -> GoGames:
        """Return a batch of games, played from their starts."""
        for game in np.flatnonzero(text.sizes != self._game.size).tolist():
            text.fail(game, Reason.other_size, Prop.SZ)
        openings = Openings(text)
        texts, of_game = np.unique(np.array(openings.texts), return_inverse=True)
        states, bad = self._begun(texts.tolist())
        for game in np.flatnonzero(bad[of_game]).tolist():
            text.fail(game, Reason.unreadable_property)
        lengths = np.zeros(text.count, np.int32)
        faults = np.zeros(text.count, np.int64)
        before = text.reasons.copy()
        resolve(
            states, of_game, openings.begins, openings.ends, text.sides, text.actions,
            self._game.near, self._room, self._state, text.reasons, lengths, faults,
        )  # fmt: skip
        for game in np.flatnonzero(text.reasons != before).tolist():
            empty = text.reasons[game] == Reason.no_moves
            place = text.tokens.starts[game] if empty else text.tokens.places[faults[game]]
            text.tokens.faults[game] = place
        return GoGames(
            text=text,
            starts=openings.texts,
            reasons=text.reasons,
            first=np.append(0, np.cumsum(lengths)).astype(np.int32),
            choices=_kept(text.actions, openings.begins, lengths).astype(np.uint16),
            white_first=self._game.to_play(states)[of_game] < 0,
        )

    def _begun(self, texts: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return the positions [n, S] of starts, and which cannot be [n]."""
        states = np.repeat(self._game.initial(), len(texts), 0)
        bad = np.zeros(len(texts), np.bool_)
        for number, text in enumerate(texts):
            try:
                states[number] = self._start(text)
            except RecordError:
                bad[number] = True
        return states, bad


def _kept(
    values: NDArray[np.int32], begins: NDArray[np.int32], lengths: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the entries of runs that begin at ``begins`` [G] and are ``lengths`` [G] long."""
    ends = np.cumsum(lengths, dtype=np.int64)
    steps = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return values[np.repeat(begins, lengths) + steps]
