"""SGF files read as a stream: one game tree or many, one a line, a folder of files.

Every game comes with its main line (``records/go/tokens.py``). Those that cannot be read are
reported as :class:`Fault`, and the rest is read. Memory does not grow with the file.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.records.codec import ignored
from evenmatch.records.go.game_text import set_up
from evenmatch.records.go.sgf_text import (
    SHIFTING,
    codec_of,
    decoded,
    guessed_codec,
    is_unknown,
    needs_transcoding,
    simple_text,
)
from evenmatch.records.go.tokens import (
    NO_POINT,
    SETUP_SHIFT,
    TURN,
    Prop,
    Tokens,
    allocate,
    tokenize,
)
from evenmatch.records.go.values import handicap_of, is_go, komi_of, size_of, to_play_of
from evenmatch.records.record import Fault, Reason
from evenmatch.records.streams import STANDARD_INPUT, Source, Sources, Stream, Text, ending_of

BLOCK = 1 << 20  #: bytes read at a time
LONGEST_GAME = 1 << 24  #: bytes of a game, variations and comments included
GAMES = 4096  #: most games of a batch
LINED = ".sgfs"  #: files of one game a line
SHOWN = 20  #: letters of a word that a fault repeats
WORD = re.compile(rb"[^\]\s]{,200}")  #: bytes that it is read from
NEXT_GAME = re.compile(rb"\n\(\s*;\s*(?:FF|GM|SZ|CA|AP|ST)\[")
ENCODING = re.compile(rb"(?<![A-Za-z])CA\s*\[([^\]\\]{1,40})\]")
ROOT = re.compile(rb"\(\s*(?:;|\Z)")  #: what may be one, at the end too
BETWEEN_BRACKETS, BEYOND_ASCII = re.compile(rb"[^\[\]]+"), re.compile(rb"[\x80-\xff]")
LOOK = 1 << 16  #: bytes that show the encoding
LAST_OF_BOARD = 19  #: boards up to this size may write a pass as the point behind it, tt
NAMES = (Prop.PB, Prop.PW)
Value = TypeVar("Value")


@dataclass
class SgfBatch:
    """Some games of a file, those with a fault included. G games, M moves."""

    source: str  #: the file
    data: bytes  #: the text of the games
    count: int  #: G
    tokens: Tokens
    line: int  #: of the first byte of ``data``, from 1
    encodings: list[bytes] = field(default_factory=list)  #: [G] of names
    _raw: dict[Prop, list[bytes]] = field(default_factory=dict)
    _dropped: list[tuple[int, Prop]] = field(default_factory=list)  # properties of games

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
        end = begin + int(np.searchsorted(self.tokens.setup_at[begin:end], 0, side="right"))
        return set_up(self.tokens.setup[begin:end].tolist(), int(self.sizes[game]))

    def late_setup(self, game: int) -> dict[int, list[int]]:
        """Return the entries of setup behind the first move, by the moves before them, in order.

        Without those that say but whose turn it is.
        """
        part = slice(*self.tokens.setup_first[game : game + 2].tolist())
        late: dict[int, list[int]] = {}
        places, entries = self.tokens.setup_at[part].tolist(), self.tokens.setup[part].tolist()
        for at, entry in zip(places, entries, strict=True):
            if at:
                late.setdefault(at, []).append(entry)
        return {
            at: there for at, there in late.items() if any(x >> SETUP_SHIFT != TURN for x in there)
        }

    def check(self) -> None:
        """Find what is wrong with games beyond their syntax; add it to ``reasons``."""
        for prop, reading in READINGS.items():
            for game, means in enumerate(self.values(prop, reading)):
                if means is not None:
                    continue
                if prop in NEEDED:
                    self.fail(game, NEEDED[prop], prop)
                else:
                    self._dropped.append((game, prop))
        for prop in NAMES:
            for game, (raw, encoding) in enumerate(
                zip(self.raw(prop), self.encodings, strict=True)
            ):
                if encoding and not raw.isascii() and is_unknown(encoding):
                    self.fail(game, Reason.unknown_encoding, Prop.CA)
        for game in np.flatnonzero(np.diff(self.tokens.setup_first[: self.count + 1])).tolist():
            self._check_setup(game)
        outside = np.flatnonzero(self.actions < 0)
        games = np.searchsorted(self.first, outside, side="right") - 1
        for game, move in zip(games.tolist(), outside.tolist(), strict=True):
            self.fail(game, Reason.unreadable_move, place=int(self.tokens.places[move]))

    def _check_setup(self, game: int) -> None:
        """Leave out a game with stones off the board, or that come after its first move."""
        begin, end = self.tokens.setup_first[game : game + 2].tolist()
        entries = self.tokens.setup[begin:end]
        stones = entries >> SETUP_SHIFT != TURN
        if set_up(entries[stones].tolist(), int(self.sizes[game])) is None:
            self.fail(game, Reason.unreadable_property)
        late = np.flatnonzero(stones & (self.tokens.setup_at[begin:end] > 0))
        if len(late):
            place = int(self.tokens.setup_places[begin + late[0]])
            self.fail(game, Reason.late_setup, place=place)

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
        for game in games.tolist():
            yield self.fault(game)

    def fault(self, game: int) -> Fault:
        """Return what is wrong with a game that is to be left out."""
        place = int(self.tokens.faults[game])
        return self._fault(game, Reason(self.reasons[game]), place, "{}")

    def kept_faults(self, among: Sequence[int] | None = None) -> Iterator[Fault]:
        """Yield what was dropped from games that are kept, ``among`` these or all."""
        for game, prop in self._dropped:
            if self.reasons[game] == Reason.fine and (among is None or game in among):
                place = int(self.tokens.spans[game, prop, 0])
                yield self._fault(game, Reason.dropped_property, place, f"{prop.name}[{{}}]")

    def _fault(self, game: int, reason: Reason, place: int, shown: str) -> Fault:
        word = WORD.match(self.data, place)
        letters = decoded(word[0], self.encodings[game])[:SHOWN] if word else ""
        line = int(self.lines_at(np.array([place]))[0])
        return Fault(self.source, line, reason, shown.format(letters) if letters else "")


READINGS: dict[Prop, Callable[[str], object]] = {
    Prop.GM: is_go,
    Prop.SZ: size_of,
    Prop.KM: komi_of,
    Prop.HA: handicap_of,
    Prop.PL: to_play_of,
}  #: what is read of numbers and words: None says that it cannot be
NEEDED = {Prop.GM: Reason.variant, Prop.SZ: Reason.unreadable_property}
"""Without which a game is left out; others are dropped from it."""


def sgf_batches(
    sources: Sources, on_fault: Callable[[Fault], None] = ignored
) -> Iterator[SgfBatch]:
    """Yield all games of opened ``sources``, checked but not played.

    ``on_fault`` is called for what is left out. Raises RecordError if a file is damaged or has no
    game. In a folder such a file is left out, and the others are read.
    """
    for path, opening in zip(sources.paths, sources.streams(), strict=True):
        try:
            with opening() as stream:
                yield from _FileReader(stream, path).batches(on_fault)
        except RecordError as error:
            if not sources.is_folder:
                raise
            on_fault(Fault(str(path), 1, Reason.unreadable_file, str(error)))


class _FileReader:
    """Reads one file."""

    def __init__(self, stream: Stream, path: Source):
        self.stream, self.source = stream, stream.name
        named = not isinstance(path, Text) and path != STANDARD_INPUT
        self.lined = named and ending_of(Path(stream.name)) == LINED
        self._line, self._written = 1, 0  # of the next byte to decode; bytes that were decoded
        self._begins: list[int] = []  # of parts, in bytes that were decoded
        self._of_names: list[bytes] = []  # their encodings, whatever CA says; empty: as it says
        self._begin_part(b"")
        self._guess, self._guesses = "", LOOK  # the latest, and how many bytes may still be guessed

    def batches(self, tell: Callable[[Fault], None]) -> Iterator[SgfBatch]:
        """Yield the games, checked; RecordError if there are none."""
        rest, line, seen, final = b"", 1, False, False
        place, blocks = 0, self._blocks(tell)
        while not final or rest:
            if not final:
                block = next(blocks, b"")
                final = not block
                rest += block
            whole = rest if final or not self.lined else rest[: rest.rfind(b"\n") + 1]
            tokens = allocate(GAMES, len(whole))
            raw = np.frombuffer(whole, np.uint8)
            games, used = tokenize(raw, self.lined, final, tokens)
            if games:
                batch = SgfBatch(self.source, whole, games, tokens, line)
                batch.encodings = self._encodings_of(batch, place)
                batch.check()
                for fault in batch.faults():
                    tell(fault)
                seen |= bool((batch.reasons != Reason.no_game).any())
                yield batch
            line += rest.count(b"\n", 0, used)
            place, rest = place + used, rest[used:]
            if len(rest) > LONGEST_GAME and games < GAMES:
                tell(Fault(self.source, line, Reason.too_long))
                skipped = self._behind(rest)
                line += rest.count(b"\n", 0, skipped)
                place, rest = place + skipped, rest[skipped:]
        if not seen:
            raise RecordError(f"{self.source} has no SGF game in it; name a file of SGF games")

    def _behind(self, rest: bytes) -> int:
        """Return where the next game begins behind one that is too long, or the end."""
        match = re.compile(rb"\n").search(rest) if self.lined else NEXT_GAME.search(rest, 1)
        return match.start() + 1 if match else len(rest)

    def _encodings_of(self, batch: SgfBatch, place: int) -> list[bytes]:
        """Return the encodings [G] of names of a batch that begins at a ``place`` of the text."""
        done = bisect_right(self._begins, place) - 1
        del self._begins[:done], self._of_names[:done]
        starts = place + batch.tokens.starts[: batch.count].astype(np.int64)
        parts = np.searchsorted(self._begins, starts, side="right") - 1
        named = batch.raw(Prop.CA)
        return [self._of_names[part] or named[game] for game, part in enumerate(parts.tolist())]

    def _blocks(self, tell: Callable[[Fault], None]) -> Iterator[bytes]:
        """Yield the text in blocks, as UTF-8 where it has to be.

        A *part* of a file is games in a row whose encodings (CA) are the same. Each is read in its
        own.
        """
        ahead, block, final = b"", self.stream.read(BLOCK), False
        while not final:
            behind = self.stream.read(BLOCK) if block else b""
            final, data = not behind, ahead + block
            stop = len(data) if final else _last_root(data)
            begin, out = 0, []
            for cut, named in self._cuts(data[:stop]):
                out.append(self._decoded(data[begin:cut], tell, final=True))
                self._begin_part(named)
                begin = cut
            out.append(self._decoded(data[begin:stop], tell, final=final))
            ahead, block = data[stop:], behind
            if text := b"".join(out):
                yield text

    def _begin_part(self, named: bytes) -> None:
        """Begin games in the encoding that CA names."""
        self._named = named
        self._decoder: codecs.IncrementalDecoder | None = None
        self._looked = False  # whether the encoding is known
        self._begins.append(self._written)
        self._of_names.append(b"")

    def _cuts(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the roots at which the encoding that is named changes, and its name."""
        behind, before = 0, _same(self._named)
        for found in ENCODING.finditer(data):
            if (now := _same(found[1])) != before:
                root = _root_before(data, behind, found.start())
                if root >= 0:
                    yield root, found[1]
                    before = now
            behind = found.end()

    def _decoded(self, raw: bytes, tell: Callable[[Fault], None], *, final: bool) -> bytes:
        """Return the next bytes of a part as they are to be read; ``final`` are its last."""
        if not self._looked and raw:
            self._look(raw, tell)
        self._line += raw.count(b"\n")
        if self._decoder is not None:
            raw = self._decoder.decode(raw, final=final).encode("utf-8", "replace")
        elif b"\0" in raw:
            raise RecordError(f"{self.source} is no SGF text (it has zero bytes); export it again")
        self._written += len(raw)
        return raw

    def _look(self, block: bytes, tell: Callable[[Fault], None]) -> None:
        """Find out in what encoding a part is, by the first bytes that are not ASCII."""
        named = self._named
        codec = codec_of(named)
        shifting = codec.startswith(SHIFTING)
        if block.isascii() and not shifting:
            return
        self._looked = True
        begin = found.start() if (found := BEYOND_ASCII.search(block)) else 0
        some = block[begin : begin + LOOK]
        if not shifting and _is(some, "utf-8") and (not codec or _has_long_letters(some)):
            self._of_names[-1] = b"utf-8" if named and codec != "utf-8" else b""
            return
        if named and not codec:  # in an encoding that is not known
            return
        if not shifting and not _is(some, codec or "utf-8"):
            codec = self._guessed(some)
            line = self._line + block.count(b"\n", 0, begin)
            tell(Fault(self.source, line, Reason.guessed_encoding, codec))
        elif not needs_transcoding(named):
            return
        self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self._of_names[-1] = b"utf-8"

    def _guessed(self, some: bytes) -> str:
        """Return the encoding of some bytes; that of earlier ones where a file has had many."""
        if self._guesses > 0:
            texts = BETWEEN_BRACKETS.findall(some)
            self._guess = guessed_codec(text for text in texts if not text.isascii())
            self._guesses -= len(some)
        return self._guess


def _last_root(data: bytes) -> int:
    """Return where the last root is that may continue behind the bytes, or the end."""
    least, at = max(len(data) - LOOK, 0), len(data)
    while (at := data.rfind(b"(", least, at)) >= 0:
        if ROOT.match(data, at):
            return at
    return len(data)


def _root_before(data: bytes, begin: int, end: int) -> int:
    """Return the last root between two places, at best one that nothing stands before; or -1."""
    at, other = end, -1
    while (at := data.rfind(b"(", begin, at)) >= 0:
        if ROOT.match(data, at):
            if at == 0 or data[at - 1 : at].isspace() or data[at - 1 : at] == b")":
                return at
            other = max(other, at)
    return other


def _same(named: bytes) -> str:
    """Return what names of one encoding have in common."""
    return codec_of(named) or named.decode("latin-1").strip()


def _is(raw: bytes, codec: str) -> bool:
    """Tell whether most letters beyond ASCII are of an encoding; some may be damaged."""
    beyond = [letter for letter in raw.decode(codec, "replace") if not letter.isascii()]
    return 2 * beyond.count("\ufffd") < len(beyond)


def _has_long_letters(raw: bytes) -> bool:
    """Tell whether UTF-8 has letters of three bytes, as hardly any other text has by chance."""
    return max(raw.decode("utf-8", "ignore"), default="") > "\u07ff"


def first_size(source: Source) -> int:
    """Return the size of the board of a source's first game; RecordError if it cannot be read."""
    faults: list[Fault] = []
    with Sources(source) as sources:
        batch = next(sgf_batches(sources, faults.append))
        if not batch.sizes[0]:
            raise RecordError(f"{batch.fault(0)}; correct it, or give another game")
        return int(batch.sizes[0])
