"""Games of Go from SGF, played by the rules: arrays for datasets, records for estimates.

A game to continue from is read a little further than one to learn from. It may be set up again in
the middle (AB and such after a move), may repeat a position, and may continue behind two passes:
what counts is where it stands in the end. As people's games such are left out, or end at the
passes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.games.go import Go
from evenmatch.records.codec import GameBatch, OnFault, Reader, ignored
from evenmatch.records.go.game_text import set_up
from evenmatch.records.go.openings import Openings, Turn, in_turn
from evenmatch.records.go.replay import resolve
from evenmatch.records.go.sgf import SgfBatch, sgf_batches
from evenmatch.records.go.tokens import SETUP_SHIFT, TURN, Prop
from evenmatch.records.go.values import comment_of, rank_number, result_of, year_of
from evenmatch.records.record import (
    BAD_RATING,
    NAMELESS,
    NO_CLOCK,
    NO_EVAL,
    Fault,
    GameRecord,
    Reason,
    date_of,
)
from evenmatch.records.streams import Source, Sources

Start = Callable[[str], NDArray[np.uint64]]  #: from a start's text to its position [S]


class Side(NamedTuple):
    """A player's half of a game."""

    name: str  #: empty if the moves are nobody's whose strength is known
    rating: int  #: of `rank_number`; 0 for none, BAD_RATING


@dataclass
class GoGames(GameBatch):
    """Some games of a file as arrays, those with a fault included. G games, M moves.

    The player who moves first is in front: White, where Black has handicap stones.
    """

    game_id: str
    sgf: SgfBatch
    starts: list[str]  #: [G] how the games begin
    reasons: NDArray[np.uint8]  #: [G]
    first: NDArray[np.int32]  #: [G + 1]
    choices: NDArray[np.uint16]  #: [M]
    white_first: NDArray[np.bool_]  #: [G]

    def __post_init__(self) -> None:
        self.source, self.lines = self.sgf.source, self.sgf.lines
        self.results = np.array(self.sgf.values(Prop.RE, result_of), np.int8)
        self.years = np.array(self.sgf.values(Prop.DT, year_of), np.int16)
        self.evals = np.full(len(self.choices), NO_EVAL, np.int16)  # SGF has no common form of them
        self.clocks = np.full(len(self.choices), NO_CLOCK, np.uint16)
        ratings = [[side.rating for side in sides] for sides in self.sides]
        self.ratings = np.array(ratings, np.int16).reshape(-1, 2)

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
        text, own = self.sgf, Path(self.sgf.source).name
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
    def _dates(self) -> list[str]:
        return self.sgf.values(Prop.DT, date_of)

    @cached_property
    def _fields(self) -> dict[str, list[str]]:
        """The texts [G] of a game's fields, by name."""
        times = zip(self.sgf.texts(Prop.TM), self.sgf.texts(Prop.OT), strict=True)
        return {
            "first": [first.name for first, _ in self.sides],
            "second": [second.name for _, second in self.sides],
            "event": self.sgf.texts(Prop.EV),
            "site": self.sgf.texts(Prop.PC),
            "time_control": [" ".join(filter(None, pair)) for pair in times],
            "start": self.starts,
        }

    def text(self, field: str, game: int) -> str:
        """Return one of the fields of a game."""
        return self._fields[field][game]

    def date(self, game: int) -> str:
        """Return a game's date, empty if unknown."""
        return self._dates[game]

    def moves_of(self, game: int) -> NDArray[np.uint16]:
        """Return a game's actions, [plies]."""
        return self.choices[self.first[game] : self.first[game + 1]].copy()


def _rating(rank: int | None) -> int:
    return BAD_RATING if rank is None else rank


class FirstOfFile(NamedTuple):
    """The first game of a file, to continue from."""

    record: GameRecord
    games: int  #: that the file has
    faults: list[Fault]  #: what was passed over up to the end of the first game
    implied: list[bool]  #: [plies] passes that nobody wrote


class GoReader(Reader):
    """Reads SGF and plays the games, batch after batch; a context manager."""

    def __init__(self, path: Source, game: Go, start: Start):
        """Open a file, a folder, a text or standard input; RecordError if it cannot be read."""
        self.stream = Sources(path)
        self.source = self.stream.name
        self._game, self._start = game, start
        self._room, self._state = game.room(), game.initial()
        self._others: set[int] = set()  # sizes of boards that games before the first are on

    def batches(self, on_fault: OnFault = ignored) -> Iterator[GoGames]:
        """Yield all games; ``on_fault`` is called for those to be left out. RecordError."""
        for text in sgf_batches(self.stream, on_fault):
            known = text.reasons != Reason.fine  # the reader tells of those
            batch = self.counted(self._played(text))
            for fault in [*text.faults(~known), *text.kept_faults()]:
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
            states, of_game, openings.begins, openings.ends, openings.actions,
            self._game.near, self._room, self._state, text.reasons, lengths, faults,
        )  # fmt: skip
        for game in np.flatnonzero(text.reasons != before).tolist():
            empty = text.reasons[game] == Reason.no_moves
            place = text.tokens.starts[game] if empty else openings.places[faults[game]]
            text.tokens.faults[game] = place
        return GoGames(
            game_id=self._game.id,
            sgf=text,
            starts=openings.texts,
            reasons=text.reasons,
            first=np.append(0, np.cumsum(lengths)).astype(np.int32),
            choices=_kept(openings.actions, openings.begins, lengths).astype(np.uint16),
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

    # -- a game to continue from -------------------------------------------------------------------

    def first(self, most: int | None = None) -> FirstOfFile:
        """Return the first game on a board of this size, or ``most`` of its moves; maybe none.

        RecordError says what is wrong with it, or that there is none.
        """
        faults: list[Fault] = []
        found: FirstOfFile | None = None
        games = 0
        try:
            for text in sgf_batches(self.stream, faults.append):
                games += int((text.reasons != Reason.no_game).sum())
                if found is None and len(sized := np.flatnonzero(self._may_be(text))):
                    found = self._first_of(text, int(sized[0]), most, faults)
        except RecordError:
            if found is None:
                raise
        if found is None:
            raise RecordError(self._of_other_size(faults))
        return found._replace(games=games)

    def _may_be(self, text: SgfBatch) -> NDArray[np.bool_]:
        """Return which games [G] are on a board of this size, or on one that cannot be read."""
        other = (text.sizes != self._game.size) & (text.sizes > 0)
        for game in np.flatnonzero(other).tolist():
            text.fail(game, Reason.other_size, Prop.SZ)
        self._others.update(text.sizes[other].tolist())
        return ~other

    def _of_other_size(self, faults: Sequence[Fault]) -> str:
        """Say that no game is on a board of this size."""
        size = self._game.size
        if not self._others:
            return f"{faults[0]}; correct it, or give another game"
        boards = " and ".join(f"{other}x{other}" for other in sorted(self._others))
        return (
            f"{self.source} has a board of {boards}, and this game one of {size}x{size}; choose "
            "the other game, or another record"
        )

    def _first_of(
        self, text: SgfBatch, game: int, most: int | None, faults: Sequence[Fault]
    ) -> FirstOfFile:
        """Return a game of a batch to continue from; ``faults`` are those found so far."""
        openings = Openings(text)
        if text.reasons[game] not in (Reason.fine, Reason.late_setup):
            raise _unreadable(text.fault(game))
        text.reasons[game] = Reason.fine
        start, turns = self._end(text, openings, game, most)
        games = GoGames(
            game_id=self._game.id,
            sgf=text,
            starts=[start] * text.count,
            reasons=text.reasons,
            first=np.zeros(text.count + 1, np.int32),
            choices=np.zeros(0, np.uint16),
            white_first=self._game.to_play(self._start(start)[None]).repeat(text.count) < 0,
        )
        record = replace(
            games.record(game), moves=np.array([turn.action for turn in turns], np.uint16)
        )
        line, until = text.lines_at(np.array([text.tokens.starts[game], text.tokens.ends[game]]))
        before = [
            one for one in faults if one.line < line or (one.keeps_game and one.line <= until)
        ]
        sized = np.arange(text.count) < game
        sized &= text.reasons == Reason.other_size
        kept = [*before, *text.faults(sized), *text.kept_faults([game])]
        return FirstOfFile(record, 0, kept, [turn.implied for turn in turns])

    def _end(
        self, text: SgfBatch, openings: Openings, game: int, most: int | None
    ) -> tuple[str, list[Turn]]:
        """Return where a game was put up last, as text, and ``most`` of its moves behind that."""
        begin, end = text.first[game : game + 2].tolist()
        sides = text.sides[begin:end].tolist()
        count = len(sides) if most is None else min(most, len(sides))
        free = openings.free.get(game, ())[:count]
        at, due = len(free), openings.due(game)
        black, white = openings.stones(game)
        black = tuple(sorted({*black, *free}))
        late = text.late_setup(game)
        for stop in [*(place for place in late if place <= count), count + 1]:
            part = slice(begin + at, begin + min(stop, count))
            start, turns, state = self._played_on(
                text, openings, game, (black, white), sides[at] if at < len(sides) else due, part
            )
            if stop > count:
                break
            stones = self._game.stones(state)[0]
            black, white = (tuple(np.flatnonzero(stones == side).tolist()) for side in (1, -1))
            due = int(self._game.to_play(state)[0])
            if len(entries := [entry for entry in late[stop] if entry >> SETUP_SHIFT != TURN]):
                black, white = set_up(entries, self._game.size, black, white) or (black, white)
            for entry in late[stop]:
                if entry >> SETUP_SHIFT == TURN:
                    due = 3 - 2 * (entry & 3)
            at = max(at, stop)
        return start, turns

    def _played_on(
        self,
        text: SgfBatch,
        openings: Openings,
        game: int,
        stones: tuple[Sequence[int], Sequence[int]],
        side: int,
        part: slice,
    ) -> tuple[str, list[Turn], NDArray[np.uint64]]:
        """Play a ``part`` of a batch's moves; return the start, the moves and the end [1, S].

        Where a move repeats a position, as by other rules, the start is the position before it.
        """
        turns = in_turn(
            text.sides[part].tolist(), text.actions[part].tolist(),
            text.tokens.places[part].tolist(), self._game.points, resumes=True,
        )  # fmt: skip
        actions = np.array([turn.action for turn in turns], np.int32)
        begins, ends = np.zeros(1, np.int32), np.full(1, len(actions), np.int32)
        reasons, lengths = np.zeros(1, np.uint8), np.zeros(1, np.int32)
        nothing, faults = np.zeros(1, np.int64), np.zeros(1, np.int64)
        while True:
            start = openings.text(game, *stones, side)
            reasons[0], begin = Reason.fine, int(begins[0])
            resolve(
                self._start(start)[None], nothing, begins, ends, actions, self._game.near,
                self._room, self._state, reasons, lengths, faults,
            )  # fmt: skip
            if reasons[0] != Reason.illegal_move:
                return start, turns[begin : begin + lengths[0]], self._state.copy()
            wrong = int(faults[0])
            if wrong == begin:
                text.fail(game, Reason.illegal_move, place=turns[wrong].place)
                raise _unreadable(text.fault(game))
            board = self._game.stones(self._state)[0]
            stones = np.flatnonzero(board > 0).tolist(), np.flatnonzero(board < 0).tolist()
            side, begins[0] = int(self._game.to_play(self._state)[0]), wrong


def _unreadable(fault: Fault) -> RecordError:
    return RecordError(f"{fault}; correct it, or give another game")


def _kept(
    values: NDArray[np.int32], begins: NDArray[np.int32], lengths: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the entries of runs that begin at ``begins`` [G] and are ``lengths`` [G] long."""
    ends = np.cumsum(lengths, dtype=np.int64)
    steps = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return values[np.repeat(begins, lengths) + steps]
