"""PGN files read as a stream, plain or compressed: batches of arrays, or one record after another.

Only standard chess is read, from the ordinary start unless others are asked for. Broken games are
left out and reported as :class:`Fault`; memory does not grow with the file. A rating that cannot
be one (not a number, below 100, above 4000) is dropped and counted, its game is kept.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, UsageError
from evenmatch.records.chess import tags
from evenmatch.records.chess.san import START_BOARD, resolve, room
from evenmatch.records.chess.tags import BAD_RATING, Tag, read_tags
from evenmatch.records.chess.tokens import Tokens, allocate, tokenize
from evenmatch.records.letters import shown
from evenmatch.records.record import (
    NO_CLOCK,
    NO_EVAL,
    UNKNOWN_RESULT,
    Fault,
    GameRecord,
    Reason,
    Speed,
    date_of,
    speed_of,
)
from evenmatch.records.streams import Source, Stream

BLOCK = 1 << 21  #: bytes read at a time
LONGEST_GAME = 1 << 20  #: bytes of a game; a longer one is left out
GAMES = 8192  #: most games of a batch
TAGS = {
    "first": Tag.White,
    "second": Tag.Black,
    "event": Tag.Event,
    "time_control": Tag.TimeControl,
}  #: by field of a batch
SHOWN = 20  #: letters of a word that a fault repeats
EVENT_LINE = b"\n[Event "
WORD = re.compile(rb"[^\s{}();$!?*]{0,80}")
ONE_START = START_BOARD[None]
OF_A_WORD = (
    Reason.unreadable_move, Reason.null_move, Reason.illegal_move, Reason.ambiguous_move,
    Reason.foreign_piece, Reason.dropped_text,
)  # fmt: skip


Position = Callable[[str], NDArray[np.uint64]]  #: from a FEN to its state [S]


@dataclass
class ParsedGames:
    """Some games of a file as arrays; good until the next batch is asked for. G games, M moves."""

    source: str  #: the file
    data: bytes  #: the text of the games
    count: int  #: G, those with a fault included
    tokens: Tokens  #: where everything is in ``data``; its arrays have room for more
    moves: NDArray[np.int16]  #: [M], from | to << 6 | promotion << 12
    choices: NDArray[np.uint8]  #: [M], each move's place among the legal ones
    ratings: NDArray[np.int16]  #: [G, 2], White's and Black's; 0 for none, BAD_RATING
    years: NDArray[np.int16]  #: [G], 0 if unknown
    starts: dict[int, str]
    """The FEN of each game that starts elsewhere, or what is wrong with it."""

    @property
    def reasons(self) -> NDArray[np.uint8]:
        """[G] why each game is to be left out; 0 if it is fine."""
        return self.tokens.reasons[: self.count]

    @property
    def first(self) -> NDArray[np.int32]:
        """[G + 1] the first move of each game, and behind the last."""
        return self.tokens.first[: self.count + 1]

    @property
    def results(self) -> NDArray[np.int8]:
        """[G] 1, 0 or -1 for White, UNKNOWN_RESULT."""
        return self.tokens.results[: self.count]

    @property
    def lines(self) -> NDArray[np.int64]:
        """[G] the lines the games begin in."""
        return self.tokens.lines[: self.count]

    @property
    def evals(self) -> NDArray[np.int16]:
        """[M] or more, as in GameRecord."""
        return self.tokens.evals

    @property
    def clocks(self) -> NDArray[np.uint16]:
        """[M] or more, as in GameRecord."""
        return self.tokens.clocks

    def tag(self, game: int, tag: Tag) -> str:
        """Return the value of a tag, the empty string if the game has none."""
        return tags.value(self.data, self.tokens.spans[game, tag])

    def texts(self, field: str, games: NDArray[np.bool_]) -> list[bytes]:
        """Return a field's value in each of ``games`` [G], as bytes: a key to look up the text."""
        data, spans = self.data, self.tokens.spans[: self.count, TAGS[field]][games].tolist()
        return [data[start:stop] for start, stop in spans]

    def text_of(self, raw: bytes) -> str:
        """Return the text that such bytes stand for."""
        return tags.value(raw, (0, len(raw)))

    @property
    def has_tags(self) -> bool:
        """Whether there is a tag of those that are kept."""
        return bool(self.tokens.spans[: self.count].any())

    @property
    def has_moves(self) -> bool:
        """Whether a word was read as a move, of another language perhaps, or a variant is named."""
        foreign = self.reasons == Reason.foreign_piece
        refused = np.isin(self.reasons, OF_A_WORD)
        words = np.where(refused, self.tokens.faults[: self.count], self.first[1:])
        read = (self.reasons == Reason.fine) | refused
        odd = self.tokens.variants[: self.count]
        return bool((odd | foreign | (read & (words > self.first[:-1]))).any())

    def faults(self) -> Iterator[Fault]:
        """Yield the games that are to be left out."""
        for game in np.flatnonzero(self.reasons).tolist():
            reason, place, word = Reason(self.reasons[game]), int(self.tokens.faults[game]), ""
            if reason in OF_A_WORD:
                place = int(self.tokens.places[place])
                match = WORD.match(self.data, place)
                word = shown(match[0])[:SHOWN] if match else ""
            elif reason == Reason.unreadable_position:
                word = self.starts[game]  # what is wrong with it
            line = int(self.lines[game])
            line += self.data.count(b"\n", self.tokens.starts[game], place)
            yield Fault(self.source, line, reason, word)

    def record(self, game: int) -> GameRecord:
        """Return a game that has no fault."""
        span = slice(self.first[game], self.first[game + 1])
        event, control = self.tag(game, Tag.Event), self.tag(game, Tag.TimeControl)
        result, year = int(self.results[game]), int(self.years[game])
        white, black = self.ratings[game].tolist()
        return GameRecord(
            game="chess",
            moves=self.moves[span].astype(np.uint16),
            result=None if result == UNKNOWN_RESULT else result,
            players=(self.tag(game, Tag.White), self.tag(game, Tag.Black)),
            ratings=(white if white > 0 else None, black if black > 0 else None),
            event=event,
            site=self.tag(game, Tag.Site),
            speed=_speed(event, control),
            time_control=control,
            year=year or None,
            date=max(
                date_of(self.tag(game, Tag.Date)), date_of(self.tag(game, Tag.UTCDate)), key=len
            ),
            evals=_told(self.tokens.evals[span], NO_EVAL),
            clocks=_told(self.tokens.clocks[span], NO_CLOCK),
            aided=_told(self.tokens.aided[span], False),
            start=self.starts.get(game, ""),
            source=self.source,
            line=int(self.lines[game]),
        )


def _told(values: NDArray[Any], none: int) -> NDArray[Any] | None:
    """Return a copy of the values, None if all are missing."""
    return values.copy() if (values != none).any() else None


_speeds: dict[tuple[str, str], Speed] = {}


def _speed(event: str, control: str) -> Speed:
    """Remember the speeds of the commonest events."""
    key = event, control
    if key not in _speeds:
        if len(_speeds) > 10_000:
            _speeds.clear()
        _speeds[key] = speed_of(event, control)
    return _speeds[key]


class PgnReader:
    """Reads a PGN file, batch after batch; a context manager.

    After the last batch ``bad_ratings`` and ``good`` are the counts of the whole file.
    """

    def __init__(self, source: Source, position: Position | None = None):
        """Open a file, standard input ("-") or a text.

        ``position`` reads a FEN, with UsageError for one that cannot be; without it, games that
        start elsewhere are left out. Raises RecordError if the source is missing, a folder, empty
        or damaged.
        """
        self.stream = Stream(source)
        self._position = position
        self.source = self.stream.name
        self.good = 0  #: games without a fault so far
        self.bad_ratings = 0  #: ratings that were dropped so far
        self._tokens = allocate(GAMES, BLOCK + LONGEST_GAME)
        size = len(self._tokens.words)
        self._moves, self._choices = np.zeros(size, np.int16), np.zeros(size, np.uint8)
        self._ratings, self._years = np.zeros((GAMES, 2), np.int16), np.zeros(GAMES, np.int16)
        self._board, self._legal = room()

    def __enter__(self) -> "PgnReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.__exit__()

    def batches(self, on_fault: Callable[[Fault], None] | None = None) -> Iterator[ParsedGames]:
        """Yield all games; ``on_fault`` hears of those that are to be left out.

        Raises RecordError if the file is damaged or has no PGN game at all.
        """
        tell = on_fault or (lambda fault: None)
        rest, line, seen = b"", 1, False
        final, kind = False, "name a file of PGN games"
        while not final or rest:
            if not final:
                block = self.stream.read(BLOCK)
                self._check_text(block)
                final = len(block) < BLOCK
                rest += block
                if line == 1 and rest.lstrip().startswith(b"(;"):
                    kind = "it looks like SGF; for games of Go add --game go"
            games, used, after = tokenize(np.frombuffer(rest, np.uint8), line, final, self._tokens)
            if games:
                batch = self._batch(rest, games)
                seen |= batch.has_tags or batch.has_moves
                for fault in batch.faults():
                    tell(fault)
                yield batch
            rest, line = rest[used:], after
            if len(rest) > LONGEST_GAME and games < GAMES:
                if not rest.isspace():
                    tell(Fault(self.source, line, Reason.too_long))
                rest, line, final = self._skip_game(rest, line, final)
        if not seen:
            raise RecordError(f"{self.source} has no PGN game in it; {kind}")

    def _check_text(self, block: bytes) -> None:
        if b"\0" in block:
            raise RecordError(
                f"{self.source} is no PGN text (it has zero bytes); export it as UTF-8"
            )

    def _batch(self, data: bytes, games: int) -> ParsedGames:
        tokens = self._tokens
        raw = np.frombuffer(data, np.uint8)
        read_tags(
            raw, games, tokens.spans, tokens.variants, tokens.reasons, tokens.results,
            self._ratings, self._years,
        )  # fmt: skip
        starts, boards = self._starts(data, games)
        resolve(
            tokens.words, tokens.first, games, boards, self._board, self._legal,
            tokens.reasons, tokens.faults, self._moves, self._choices,
        )  # fmt: skip
        self._pass_over_text(games)
        moves = tokens.first[games]
        ratings, fine = self._ratings[:games], tokens.reasons[:games] == 0
        self.good += int(fine.sum())
        self.bad_ratings += int((ratings[fine] == BAD_RATING).sum())
        return ParsedGames(
            self.source, data, games, tokens, self._moves[:moves], self._choices[:moves],
            ratings, self._years[:games], starts,
        )  # fmt: skip

    def _pass_over_text(self, games: int) -> None:
        """Let words between games be no games: without tags, and the first of them no move."""
        tokens = self._tokens
        reasons, first = tokens.reasons[:games], tokens.first[:games]
        text = (reasons == Reason.unreadable_move) & (tokens.faults[:games] == first)
        text &= ~tokens.spans[:games].any((1, 2)) & ~tokens.variants[:games]
        reasons[text] = Reason.dropped_text

    def _starts(self, data: bytes, games: int) -> tuple[dict[int, str], NDArray[np.uint64]]:
        """Return the FENs of games that start elsewhere, and the boards [G or 1, 5] of all."""
        reasons = self._tokens.reasons[:games]
        elsewhere = np.flatnonzero(reasons == Reason.other_start).tolist()
        if self._position is None or not elsewhere:
            return {}, ONE_START
        starts, boards = {}, np.repeat(ONE_START, max(games, 2), 0)
        for game in elsewhere:
            fen = tags.value(data, self._tokens.spans[game, Tag.FEN])
            empty = self._tokens.first[game] == self._tokens.first[game + 1]
            try:
                boards[game] = self._position(fen)[: len(START_BOARD)]
            except UsageError as error:
                starts[game], reasons[game] = str(error), Reason.unreadable_position
            else:
                starts[game] = fen
                reasons[game] = Reason.no_moves if empty else Reason.fine
        return starts, boards

    def _skip_game(self, rest: bytes, line: int, final: bool) -> tuple[bytes, int, bool]:
        """Pass what is too long, up to the next Event tag: return (what follows, line, final)."""
        begin = 1  # an Event tag at once is the long game's own
        while True:
            place = rest.find(EVENT_LINE, begin)
            if place >= 0:
                return rest[place + 1 :], line + rest.count(b"\n", 0, place + 1), final
            kept = b"" if final else rest[-len(EVENT_LINE) :]
            line += rest.count(b"\n", 0, len(rest) - len(kept))
            if final:
                return b"", line, final
            block = self.stream.read(BLOCK)
            self._check_text(block)
            rest, begin, final = kept + block, 0, len(block) < BLOCK


def read_games(
    source: Source, on_fault: Callable[[Fault], None] | None = None
) -> Iterator[GameRecord]:
    """Yield the games of PGN, those with a fault left out: ``on_fault`` hears of them.

    Raises RecordError if the source is missing, damaged or no PGN.
    """
    with PgnReader(source) as reader:
        for batch in reader.batches(on_fault):
            for game in np.flatnonzero(batch.reasons == 0).tolist():
                yield batch.record(game)
