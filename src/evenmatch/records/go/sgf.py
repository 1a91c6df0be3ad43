"""SGF files read as a stream: one game tree or many, one a line, a folder of files.

Every game comes with its main line (``records/go/tokens.py``). Those that cannot be read are
reported as :class:`Fault`, and the rest is read. Memory does not grow with the file.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.records.go.game_text import Move, SgfGame, set_up
from evenmatch.records.go.sgf_text import (
    codec_of,
    is_unknown,
    needs_transcoding,
    simple_text,
    text,
)
from evenmatch.records.go.sources import Sources, ending_of
from evenmatch.records.go.tokens import NO_POINT, Prop, Tokens, allocate, tokenize
from evenmatch.records.go.values import MOST_SIZE, handicap_of, is_go, komi_of, size_of, to_play_of
from evenmatch.records.record import Fault, Reason
from evenmatch.records.streams import STANDARD_INPUT, Stream

BLOCK = 1 << 20  #: bytes read at a time
LONGEST_GAME = 1 << 24  #: bytes of a game, variations and comments included
GAMES = 4096  #: most games of a batch
LINED = ".sgfs"  #: files of one game a line
SHOWN = 20  #: bytes of a word that a fault repeats
NEXT_GAME = re.compile(rb"\n\(\s*;\s*(?:FF|GM|SZ|CA|AP|ST)\[")
ENCODING = re.compile(rb"\bCA\s*\[([^\]]{1,40})\]")
LAST_OF_BOARD = 19  #: boards up to this size may write a pass as the point behind it, tt
NAMES = (Prop.PB, Prop.PW)
#: All moves there are, 2 * action + (1 for White's): games share them.
MOVES: list[Move] = [(1 - 2 * (code & 1), code >> 1) for code in range(2 * MOST_SIZE**2 + 2)]
Value = TypeVar("Value")
MARKS = {codecs.BOM_UTF16_LE: b"utf-16", codecs.BOM_UTF16_BE: b"utf-16"}


@dataclass
class SgfBatch:
    """Some games of a file, those with a fault included. G games, M moves."""

    source: str  #: the file
    data: bytes  #: the text of the games
    count: int  #: G
    tokens: Tokens
    line: int  #: of the first byte of ``data``, from 1
    encoding: bytes = b""  #: of all names, whatever CA says; empty: as it says
    _raw: dict[Prop, list[bytes]] = field(default_factory=dict)

    @property
    def reasons(self) -> NDArray[np.uint8]:
        """[G] why each game is to be left out; 0 if it is fine."""
        return self.tokens.reasons[: self.count]

    @property
    def first(self) -> NDArray[np.int32]:
        """[G + 1] the first move of each game, and behind the last."""
        return self.tokens.first[: self.count + 1]

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """[G] the lines the games begin in."""
        return self.lines_at(self.tokens.starts[: self.count])

    def lines_at(self, places: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the lines in which places of ``data`` are."""
        return self.line + np.searchsorted(self._newlines, places)

    @cached_property
    def _newlines(self) -> NDArray[np.intp]:
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\n"))

    def raw(self, prop: Prop) -> list[bytes]:
        """Return the values [G] of a property as they stand in the file, empty if absent."""
        if prop not in self._raw:
            spans = self.tokens.spans[: self.count, prop].tolist()
            self._raw[prop] = [self.data[start:stop] for start, stop in spans]
        return self._raw[prop]

    def texts(self, prop: Prop) -> list[str]:
        """Return the values [G] of a property as one line each."""
        return list(map(simple_text, self.raw(prop), self.encodings))

    def values(self, prop: Prop, reading: Callable[[str], Value]) -> list[Value]:
        """Return what the values [G] of a property mean; each distinct one is read once."""
        raw = self.raw(prop)
        means = {value: reading(simple_text(value)) for value in set(raw)}
        return [means[value] for value in raw]

    @cached_property
    def encodings(self) -> list[bytes]:
        """[G] the encodings of names."""
        return [self.encoding] * self.count if self.encoding else self.raw(Prop.CA)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """[G] the sizes of the boards, 0 where it cannot be read."""
        return np.array([size or 0 for size in self.values(Prop.SZ, size_of)], np.int64)

    @cached_property
    def actions(self) -> NDArray[np.int32]:
        """[M] the moves as actions of their boards: row * size + column, the pass; -1 off board."""
        moves = self.tokens.moves[: self.first[-1]]
        size = np.repeat(self.sizes, np.diff(self.first))
        column, row = moves >> 6 & 63, moves & 63
        behind = (size <= LAST_OF_BOARD) & (column == LAST_OF_BOARD) & (row == LAST_OF_BOARD)
        passes = (moves & NO_POINT == NO_POINT) | behind
        inside = (column < size) & (row < size)
        return np.where(passes, size * size, np.where(inside, row * size + column, -1)).astype("i4")

    @cached_property
    def sides(self) -> NDArray[np.int8]:
        """[M] 1 for Black's moves, -1 for White's."""
        return (1 - 2 * (self.tokens.moves[: self.first[-1]] >> 12)).astype(np.int8)

    def setup(self, game: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return the points of Black's and White's stones at the start; None if off the board."""
        begin, end = self.tokens.setup_first[game : game + 2].tolist()
        if begin == end:
            return (), ()
        return set_up(self.tokens.setup[begin:end].tolist(), int(self.sizes[game]))

    def check(self) -> None:
        """Find what is wrong with games besides their syntax; add it to ``reasons``."""
        for prop, reading in READINGS.items():
            for game, means in enumerate(self.values(prop, reading)):
                if means is None:
                    reason = Reason.variant if prop == Prop.GM else Reason.unreadable_property
                    self.fail(game, reason, prop)
        for prop in NAMES:
            for game, (raw, encoding) in enumerate(
                zip(self.raw(prop), self.encodings, strict=True)
            ):
                if encoding and not raw.isascii() and is_unknown(encoding):
                    self.fail(game, Reason.unknown_encoding, Prop.CA)
        for game in np.flatnonzero(np.diff(self.tokens.setup_first[: self.count + 1])).tolist():
            if self.setup(game) is None:
                self.fail(game, Reason.unreadable_property)
        outside = np.flatnonzero(self.actions < 0)
        games = np.searchsorted(self.first, outside, side="right") - 1
        for game, move in zip(games.tolist(), outside.tolist(), strict=True):
            self.fail(game, Reason.unreadable_move, place=int(self.tokens.places[move]))

    def fail(
        self, game: int, reason: Reason, prop: Prop | None = None, place: int | None = None
    ) -> None:
        """Leave a game out, unless it is already: the fault is at a property, or at a place."""
        if self.tokens.reasons[game]:
            return
        if place is None:
            start = int(self.tokens.starts[game])
            place = start if prop is None else max(int(self.tokens.spans[game, prop, 0]), start)
        self.tokens.reasons[game], self.tokens.faults[game] = reason, place

    def faults(self, among: NDArray[np.bool_] | None = None) -> Iterator[Fault]:
        """Yield the games that are to be left out, ``among`` these [G] or all."""
        games = np.flatnonzero(self.reasons if among is None else (self.reasons > 0) & among)
        places = self.tokens.faults[games]
        lines = self.lines_at(places).tolist()
        for game, place, line in zip(games.tolist(), places.tolist(), lines, strict=True):
            word = re.match(rb"[^\]\s]*", self.data[place : place + SHOWN])
            shown = word[0].decode("latin-1") if word else ""
            yield Fault(self.source, line, Reason(self.reasons[game]), shown)

    @cached_property
    def _told(self) -> dict[Prop, list[str]]:
        return {prop: self.texts(prop) for prop in TOLD}

    @cached_property
    def _moves(self) -> list[Move]:
        codes = 2 * self.actions + (self.sides < 0)
        return [MOVES[code] for code in codes.tolist()]

    def game(self, game: int) -> SgfGame:
        """Return a game that has no fault."""
        begin, end = self.first[game : game + 2].tolist()
        black, white = self.setup(game) or ((), ())
        said = {prop: texts[game] for prop, texts in self._told.items()}
        komi = komi_of(said[Prop.KM])
        return SgfGame(
            size=int(self.sizes[game]),
            moves=tuple(self._moves[begin:end]),
            komi=None if komi is None or isnan(komi) else komi,
            rules=said[Prop.RU],
            handicap=handicap_of(said[Prop.HA]) or 0,
            black=black,
            white=white,
            to_play=to_play_of(said[Prop.PL]) or 0,
            result=said[Prop.RE],
            players=(said[Prop.PB], said[Prop.PW]),
            ranks=(said[Prop.BR], said[Prop.WR]),
            date=said[Prop.DT],
            event=said[Prop.EV],
            place=said[Prop.PC],
            time=said[Prop.TM],
            overtime=said[Prop.OT],
            comment=text(self.raw(Prop.GC)[game], self.encodings[game]),
        )


READINGS: dict[Prop, Callable[[str], object]] = {
    Prop.GM: is_go,
    Prop.SZ: size_of,
    Prop.KM: komi_of,
    Prop.HA: handicap_of,
    Prop.PL: to_play_of,
}  #: what has to be readable where it is there: None says it is not
TOLD = tuple(prop for prop in Prop if prop not in (Prop.SZ, Prop.GM, Prop.CA, Prop.GC))


class SgfReader:
    """Reads SGF, batch after batch; a context manager.

    ``path`` is a file, a folder, or the text "-" for standard input.
    """

    def __init__(self, path: str | Path):
        """Open it; RecordError if it cannot be read."""
        self.stream = Sources(path)
        self.source = self.stream.name

    def __enter__(self) -> "SgfReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.__exit__()

    def batches(self, on_fault: Callable[[Fault], None] | None = None) -> Iterator[SgfBatch]:
        """Yield all games, checked but not played; ``on_fault`` hears of files left out.

        Raises RecordError if the file is damaged or has no game. In a folder such a file is left
        out, and the others are read.
        """
        tell = on_fault or (lambda fault: None)
        for path, opening in zip(self.stream.paths, self.stream.streams(), strict=True):
            try:
                with opening() as stream:
                    yield from _FileReader(stream, path).batches(tell)
            except RecordError as error:
                if not self.stream.is_folder:
                    raise
                tell(Fault(str(path), 1, Reason.unreadable_file, str(error)))


class _FileReader:
    """Reads one file."""

    def __init__(self, stream: Stream, path: str | Path):
        self.stream, self.source = stream, stream.name
        self.lined = path != STANDARD_INPUT and ending_of(Path(path)) == LINED
        self._encoding = b""  #: that all was decoded from
        self._decoder: codecs.IncrementalDecoder | None = None

    def batches(self, tell: Callable[[Fault], None]) -> Iterator[SgfBatch]:
        """Yield the games, checked; RecordError if there are none."""
        rest, line, seen, final = b"", 1, False, False
        while not final or rest:
            if not final:
                block = self._read(first=line == 1 and not rest)
                final = not block
                rest += block
            whole = rest if final or not self.lined else rest[: rest.rfind(b"\n") + 1]
            tokens = allocate(GAMES, len(whole))
            raw = np.frombuffer(whole, np.uint8)
            games, used = tokenize(raw, self.lined, final, tokens)
            if games:
                batch = SgfBatch(self.source, whole, games, tokens, line, self._encoding)
                batch.check()
                for fault in batch.faults():
                    tell(fault)
                seen |= bool((batch.reasons != Reason.no_game).any())
                yield batch
            line += rest.count(b"\n", 0, used)
            rest = rest[used:]
            if len(rest) > LONGEST_GAME and games < GAMES:
                tell(Fault(self.source, line, Reason.too_long))
                skipped = self._behind(rest)
                line, rest = line + rest.count(b"\n", 0, skipped), rest[skipped:]
        if not seen:
            raise RecordError(f"{self.source} has no SGF game in it; name a file of SGF games")

    def _behind(self, rest: bytes) -> int:
        """Return where the next game begins behind one that is too long, else the end."""
        match = re.compile(rb"\n").search(rest) if self.lined else NEXT_GAME.search(rest, 1)
        return match.start() + 1 if match else len(rest)

    def _read(self, first: bool) -> bytes:
        """Return the next bytes, as UTF-8 where their encoding is not like ASCII."""
        block = self.stream.read(BLOCK)
        if first and block:
            self._look(block)
        if self._decoder is not None:
            while True:
                out = self._decoder.decode(block, final=not block).encode("utf-8", "replace")
                if out or not block:
                    return out
                block = self.stream.read(BLOCK)
        if b"\0" in block:
            raise RecordError(f"{self.source} is no SGF text (it has zero bytes); export it again")
        return block

    def _look(self, block: bytes) -> None:
        """Find out whether the file has to be decoded before it is cut."""
        mark = MARKS.get(block[:2])
        found = ENCODING.search(block[: 1 << 16])
        encoding = mark or (found[1] if found else b"")
        if mark or needs_transcoding(encoding):
            name = "utf-16" if mark else codec_of(encoding)
            self._decoder = codecs.getincrementaldecoder(name)("replace")
            self._encoding = b"utf-8"


def read_sgf(data: bytes | str) -> list[SgfGame]:
    """Return the games of a text; RecordError tells the first thing that is wrong."""
    raw = data.encode() if isinstance(data, str) else data
    tokens = allocate(raw.count(b"(") + 1, len(raw))
    games, _ = tokenize(np.frombuffer(raw, np.uint8), False, True, tokens)
    encoding = b"utf-8" if isinstance(data, str) else b""
    batch = SgfBatch("this text", raw, games, tokens, 1, encoding)
    batch.check()
    for fault in batch.faults():
        raise RecordError(f"cannot read {fault}; correct it")
    if not games:
        raise RecordError("this text has no SGF game in it; give it one such as (;SZ[19];B[dd])")
    return [batch.game(game) for game in range(games)]


def sgf_games(
    path: str | Path, on_fault: Callable[[Fault], None] | None = None
) -> Iterator[SgfGame]:
    """Yield the games of a file, a folder or standard input ("-"), those with a fault left out."""
    with SgfReader(path) as reader:
        for batch in reader.batches(on_fault):
            for game in np.flatnonzero(batch.reasons == 0).tolist():
                yield batch.game(game)


def first_game(path: Path) -> SgfGame:
    """Return the first game of a file, whatever comes after it; RecordError if it has a fault."""
    faults: list[Fault] = []
    with SgfReader(path) as reader:
        batch = next(reader.batches(faults.append))
        if faults and (batch.reasons[0] or faults[0].line < batch.lines[0]):
            raise RecordError(f"cannot read {faults[0]}; correct it")
        return batch.game(0)
