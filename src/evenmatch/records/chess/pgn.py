"""PGN files read as a stream, plain or compressed: batches of arrays, or one record after another.

Only standard chess is read, from the ordinary start unless others are asked for. Broken games are
left out and reported as :class:`Fault`; memory does not grow with the file. A rating that cannot
be one (not a number, below 100, above 4000) is dropped and counted, its game is kept.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, UsageError
from evenmatch.records.chess import tags
from evenmatch.records.chess.san import START_BOARD, resolve, scratch
from evenmatch.records.chess.tags import Tag, read_tags
from evenmatch.records.chess.tokens import Tokens, allocate, tokenize
from evenmatch.records.codec import GameBatch, OnFault, Reader, ignored
from evenmatch.records.letters import shown
from evenmatch.records.record import NO_CLOCK, NO_EVAL, Fault, Reason, date_of
from evenmatch.records.streams import Source, Stream

BLOCK = 1 << 21  #: bytes read at a time
LONGEST_GAME = 1 << 20  #: bytes of a game; a longer one is left out
GAMES = 8192  #: most games of a batch
TAGS = {
    "first": Tag.White,
    "second": Tag.Black,
    "event": Tag.Event,
    "time_control": Tag.TimeControl,
    "site": Tag.Site,
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


class ParsedGames(GameBatch):
    """Some games of a file as arrays; good until the next batch is asked for. G games, M moves."""

    game_id = "chess"

    def __init__(
        self,
        source: str,
        data: bytes,
        count: int,
        tokens: Tokens,
        moves: NDArray[np.int16],
        choices: NDArray[np.uint8],
        ratings: NDArray[np.int16],
        years: NDArray[np.int16],
        starts: dict[int, str],
    ):
        """Take arrays with room for more; ``starts`` are FENs by game, or what is wrong with it."""
        self.source, self.data, self.count, self.tokens = source, data, count, tokens
        self.moves, self.choices, self.ratings, self.years = moves, choices, ratings, years
        self.starts = starts
        self.reasons, self.results, self.lines = (
            column[:count] for column in (tokens.reasons, tokens.results, tokens.lines)
        )
        self.first = tokens.first[: count + 1]
        self.evals, self.clocks = tokens.evals, tokens.clocks

    def _tag(self, game: int, tag: Tag) -> str:
        return tags.value(self.data, self.tokens.spans[game, tag])

    def text(self, field: str, game: int) -> str:
        """Return the value of a tag, or how the game starts if not as usual."""
        return self.starts.get(game, "") if field == "start" else self._tag(game, TAGS[field])

    def date(self, game: int) -> str:
        """Return the fuller one of the dates that two tags give."""
        return max((date_of(self._tag(game, tag)) for tag in (Tag.Date, Tag.UTCDate)), key=len)

    def moves_of(self, game: int) -> NDArray[np.uint16]:
        """Return a game's moves, [plies]."""
        return self.moves[self.first[game] : self.first[game + 1]].astype(np.uint16)

    def notes(self, game: int) -> dict[str, Any]:
        """Return the evals, clocks and marks of a game's moves; None where all are missing."""
        span = slice(self.first[game], self.first[game + 1])
        return {
            name: values[span].copy() if (values[span] != none).any() else None
            for name, values, none in (
                ("evals", self.evals, NO_EVAL),
                ("clocks", self.clocks, NO_CLOCK),
                ("aided", self.tokens.aided, False),
            )
        }

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


class PgnReader(Reader):
    """Reads PGN, batch after batch; a context manager."""

    def __init__(self, source: Source, position: Position | None = None):
        """Open a file, standard input ("-") or a text.

        ``position`` reads a FEN, with UsageError for one that cannot be; without it, games that
        start elsewhere are left out. Raises RecordError if the source is missing, a folder, empty
        or damaged.
        """
        self.stream = Stream(source)
        self._position = position
        self.source = self.stream.name
        self._tokens = allocate(GAMES, BLOCK + LONGEST_GAME)
        size = len(self._tokens.words)
        self._moves, self._choices = np.zeros(size, np.int16), np.zeros(size, np.uint8)
        self._ratings, self._years = np.zeros((GAMES, 2), np.int16), np.zeros(GAMES, np.int16)
        self._board, self._legal = scratch()

    def batches(self, on_fault: OnFault = ignored) -> Iterator[ParsedGames]:
        """Yield all games; ``on_fault`` is called for those to be left out.

        Raises RecordError if the file is damaged or has no PGN game at all.
        """
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
                    on_fault(fault)
                yield batch
            rest, line = rest[used:], after
            if len(rest) > LONGEST_GAME and games < GAMES:
                if not rest.isspace():
                    on_fault(Fault(self.source, line, Reason.too_long))
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
        return self.counted(
            ParsedGames(
                self.source, data, games, tokens, self._moves[:moves], self._choices[:moves],
                self._ratings[:games], self._years[:games], starts,
            )
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
