"""Othello records: texts of one game a line, as the WTHOR tournament games are often shared.

A line has five words: the year, Black's name, White's, the discs at the end such as 34-30 (Black's
in front), and the squares played without a space: f5d6c3. Passes are left out, for they are forced.
Lines that begin with # and empty lines are comments.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError
from evenmatch.games.game import Game
from evenmatch.records.form import RecordForm
from evenmatch.records.record import NO_CLOCK, NO_EVAL, Fault, Reason
from evenmatch.records.streams import Stream

BLOCK = 1 << 20  #: bytes read at once
LONGEST = 1 << 16  #: bytes of a line, beyond which the file is no such text
WORDS = 5  #: of a line
MOST = 2 * 60  #: bytes of the moves of a game
NAMES = {"first": 1, "second": 2}  #: by field, the word that it is
SQUARES = re.compile(rb"([A-Ha-h][1-8])+")
DISCS = re.compile(rb"(\d{1,2})-(\d{1,2})")
NONE = -1  #: in lists of squares, behind the last


@dataclass
class TextGames:
    """Some games of a text as arrays. G games, M moves."""

    words: list[list[bytes]]  #: [G] of each line
    lines: NDArray[np.int64]  #: [G]
    reasons: NDArray[np.uint8]  #: [G]
    first: NDArray[np.int32]  #: [G + 1]
    choices: NDArray[np.uint8]  #: [M]
    results: NDArray[np.int8]  #: [G]
    years: NDArray[np.int16]  #: [G]
    ratings: NDArray[np.int16] = field(init=False)  #: [G, 2], all 0
    evals: NDArray[np.int16] = field(init=False)  #: [M], all NO_EVAL
    clocks: NDArray[np.uint16] = field(init=False)  #: [M], all NO_CLOCK

    def __post_init__(self) -> None:
        self.ratings = np.zeros((len(self.words), 2), np.int16)
        self.evals = np.full(len(self.choices), NO_EVAL, np.int16)
        self.clocks = np.full(len(self.choices), NO_CLOCK, np.uint16)

    def texts(self, field: str, games: NDArray[np.bool_]) -> list[bytes]:
        """Return a field of each of ``games`` [G]; empty where the format has none."""
        place = NAMES.get(field)
        chosen = np.flatnonzero(games).tolist()
        return [b"" if place is None else self.words[game][place] for game in chosen]

    def text_of(self, raw: bytes) -> str:
        """Return the text that such bytes stand for."""
        return raw.decode("utf-8", errors="replace")


class TextReader:
    """Reads a text of games, batch after batch; a context manager."""

    def __init__(self, path: str | Path, game: Game):
        """Open a file, which may be compressed. RecordError if it cannot be read."""
        self.stream = Stream(path)
        self.source = self.stream.name
        self.good = 0
        self.bad_ratings = 0  #: the format has no ratings
        self._game = game

    def __enter__(self) -> "TextReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.__exit__()

    def batches(self, on_fault: Callable[[Fault], None]) -> Iterator[TextGames]:
        """Yield all games; ``on_fault`` hears of those that are to be left out. RecordError."""
        rest, line, seen = b"", 1, False
        while block := self.stream.read(BLOCK):
            *whole, rest = (rest + block).split(b"\n")
            if len(rest) > LONGEST:
                raise RecordError(
                    f"{self.source} has a line of over {LONGEST:,} bytes: line "
                    f"{line + len(whole)}; write one game a line"
                )
            yield from self._batch(whole, line, on_fault)
            line += len(whole)
            seen |= self.good > 0
        yield from self._batch([rest], line, on_fault)
        if not seen and not self.good:
            raise self._foreign()

    def _foreign(self) -> RecordError:
        return RecordError(
            f"{self.source} has no game of {self._game.title} in it; write one game a line: "
            "year black white discs moves, such as 1977 Ann Bob 34-30 f5d6c3"
        )

    def _batch(
        self, lines: list[bytes], number: int, on_fault: Callable[[Fault], None]
    ) -> Iterator[TextGames]:
        """Yield the games of some lines, the first of which has a number in the file."""
        kept = [(at, text.split()) for at, text in enumerate(lines, number)]
        kept = [(at, words) for at, words in kept if words and not words[0].startswith(b"#")]
        if not kept:
            return
        words = [some for _, some in kept]
        reasons = np.array([_fault_of(some) for some in words], np.uint8)
        squares = _squares(
            [b"" if why else some[4] for why, some in zip(reasons, words, strict=True)]
        )
        choices, lengths = choices_of(self._game, squares)
        reasons[(reasons == 0) & (lengths < 0)] = Reason.illegal_move
        lengths[reasons > 0] = 0
        first = np.append(0, np.cumsum(lengths)).astype(np.int32)
        batch = TextGames(
            words=words,
            lines=np.array([at for at, _ in kept], np.int64),
            reasons=reasons,
            first=first,
            choices=choices[np.arange(choices.shape[1]) < lengths[:, None]],
            results=np.array([_result(some) for some in words], np.int8),
            years=np.array([_year(some) for some in words], np.int16),
        )
        self.good += int((reasons == 0).sum())
        for game in np.flatnonzero(reasons).tolist():
            on_fault(Fault(self.source, int(batch.lines[game]), Reason(reasons[game])))
        yield batch


def _fault_of(words: list[bytes]) -> Reason:
    """Return why a line is to be left out before its moves are played, as far as it shows."""
    if len(words) < WORDS - 1 or not DISCS.fullmatch(words[3]):
        return Reason.unreadable_move
    if len(words) < WORDS:
        return Reason.no_moves
    if len(words[4]) > MOST:
        return Reason.too_long
    fine = len(words) == WORDS and SQUARES.fullmatch(words[4])
    return Reason.fine if fine else Reason.unreadable_move


def _result(words: list[bytes]) -> int:
    match = DISCS.fullmatch(words[3]) if len(words) >= WORDS else None
    lead = int(match[1]) - int(match[2]) if match else 0
    return (lead > 0) - (lead < 0)


def _year(words: list[bytes]) -> int:
    return int(words[0]) if words[0].isdigit() and len(words[0]) == 4 else 0


def _squares(texts: list[bytes]) -> NDArray[np.int64]:
    """Return the squares of texts such as f5d6 as actions [G, most], NONE behind the last."""
    most = max(map(len, texts), default=0)
    raw = np.frombuffer(b"".join(text.lower().ljust(most) for text in texts), np.uint8)
    raw = raw.reshape(len(texts), -1).astype(np.int64)
    columns, rows = raw[:, ::2] - ord("a"), raw[:, 1::2] - ord("1")
    return np.where(columns < 0, NONE, 8 * rows + columns)


def choices_of(
    game: Game, squares: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Play the ``squares`` [G, n] of games side by side, passing where that is forced.

    Returns each move's place among the legal actions [G, plies], and how many plies each game has,
    -1 for a game with a move that is not legal.
    """
    count, passing = len(squares), game.num_actions - 1
    states, played = game.initial(count), np.zeros(count, np.int64)
    due = (squares != NONE).sum(1)
    plies = np.zeros(count, np.int64)
    columns: list[NDArray[np.uint8]] = []
    going = np.flatnonzero(due > 0)
    while len(going):
        actions, counts, _ = game.examine(states[going])
        wanted = squares[going, played[going]]
        forced = (counts == 1) & (actions[:, 0] == passing)
        wanted = np.where(forced, passing, wanted)
        matches = (actions == wanted[:, None]) & (np.arange(actions.shape[1]) < counts[:, None])
        legal = matches.any(1)
        plies[going[~legal]] = -1
        choice = np.zeros(count, np.uint8)
        choice[going] = matches.argmax(1)
        columns.append(choice)
        going, wanted, forced = going[legal], wanted[legal], forced[legal]
        states[going] = game.after(states[going], wanted)
        played[going] += ~forced
        plies[going] += 1
        going = going[played[going] < due[going]]
    choices = np.stack(columns, 1) if columns else np.zeros((count, 0), np.uint8)
    return choices, plies


class OthelloForm(RecordForm):
    """Moves are actions; files are texts of one game a line."""

    def reader(self, path: Path) -> TextReader:
        """Open a text of games; RecordError if it cannot be read."""
        return TextReader(path, self.game)


FORM = OthelloForm
