"""A finished game as plain data, whatever file it came from, and why some games are left out."""

import datetime
import math
import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import printable

UNKNOWN_RESULT = 2  #: in arrays of results, where 1, 0 and -1 are the first player's
NAMELESS = ("", "?", "-")  #: names of players that are not known
NO_EVAL = -32768  #: in arrays of evals, a move without one
NO_CLOCK = 65535  #: in arrays of clocks, a move without one
MATE = 32000  #: eval of a mate on the board; a mate in n moves is n nearer to 0
MOST_EVAL = 30000  #: centipawns beyond which an eval is cut
LEAST_RATING, MOST_RATING = 100, 4000  #: others are taken for errors
BAD_RATING = -1  #: in arrays of ratings, one that was dropped; 0 is none


class Speed(IntEnum):
    """How long the players had."""

    unknown = 0
    bullet = 1
    blitz = 2
    rapid = 3
    classical = 4
    correspondence = 5
    online = 6  #: played over the internet, at a speed nobody wrote down


class Reason(IntEnum):
    """Why a game is left out; its number in arrays, its :attr:`text` for people."""

    fine = 0
    variant = 1
    other_start = 2
    no_moves = 3
    unclosed = 4
    too_long = 5
    unreadable_move = 6
    null_move = 7
    illegal_move = 8
    ambiguous_move = 9
    no_game = 10
    unreadable_property = 11
    unknown_encoding = 12
    other_size = 13
    late_setup = 14
    no_stones = 15
    unreadable_file = 17
    guessed_encoding = 18
    dropped_property = 19
    dropped_text = 20
    foreign_piece = 21
    unreadable_position = 22

    @property
    def text(self) -> str:
        """What is wrong with the game, in words."""
        return REASONS[self]

    @property
    def fix(self) -> str:
        """What would help, in words."""
        return FIXES.get(self, "correct the file, or export it again")


REASONS = {
    Reason.fine: "fine",
    Reason.variant: "another game, or another variant of it",
    Reason.other_start: "starts from another position (FEN tag)",
    Reason.no_moves: "no moves",
    Reason.unclosed: "a comment or variation is not closed",
    Reason.too_long: "too long",
    Reason.unreadable_move: "a word that is no move",
    Reason.null_move: "a null move",
    Reason.illegal_move: "an illegal move",
    Reason.ambiguous_move: "an ambiguous move",
    Reason.no_game: "no game where one should be",
    Reason.unreadable_property: "a property that cannot be read",
    Reason.unknown_encoding: "names in an encoding that is not known (CA property)",
    Reason.other_size: "a board of another size (games are go9, go13 and go)",
    Reason.late_setup: "stones are set up after the first move",
    Reason.no_stones: "handicap stones that the file does not place (HA property)",
    Reason.unreadable_file: "a damaged file",
    Reason.guessed_encoding: (
        "the encoding is not named, or not the one that is named (CA property); it was guessed"
    ),
    Reason.dropped_property: "a property that cannot be read was left out",
    Reason.dropped_text: "text that cannot be read was left out",
    Reason.foreign_piece: "a piece letter of another language",
    Reason.unreadable_position: "a start that is no position of chess (FEN tag)",
}
FIXES = {
    Reason.variant: "give games of the usual rules",
    Reason.other_start: "give games from the usual start",
    Reason.no_moves: "export them with their moves",
    Reason.foreign_piece: "export them with English piece letters, or as figurines",
    Reason.other_size: "give games on one size of board",
    Reason.no_stones: "export them with the stones placed (AB property)",
    Reason.unknown_encoding: "export them as UTF-8",
}  #: what would help, where it is not to correct the games
KEEPING = (Reason.guessed_encoding, Reason.dropped_property, Reason.dropped_text)


@dataclass(frozen=True)
class Fault:
    """What was passed over: a game that was left out, or part of one that was kept."""

    source: str  #: the file
    line: int  #: of the offending word, or of the game's beginning; from 1
    reason: Reason
    word: str = ""  #: what could not be read, if a single word; of a damaged file why

    @property
    def keeps_game(self) -> bool:
        """Whether the game was read nevertheless, without what the fault names."""
        return self.reason in KEEPING

    def __str__(self) -> str:
        word = f": {printable(self.word)}" if self.word else ""
        return f"{self.source}:{self.line}: {self.reason.text}{word}"


@dataclass(frozen=True, kw_only=True, eq=False)
class GameRecord:
    """A finished game. What the source does not have is None, or the empty string."""

    game: str  #: id of the game, such as chess
    moves: NDArray[np.uint16]  #: [plies] actions; chess: from | to << 6 | promotion << 12
    result: int | None  #: for the game's first player, such as Black: 1 won, 0 drawn, -1 lost
    players: tuple[str, str] = ("", "")  #: names, the one who moved first in front
    ratings: tuple[int | None, int | None] = (None, None)
    event: str = ""
    site: str = ""  #: datasets do not keep it
    speed: Speed = Speed.unknown
    time_control: str = ""  #: as written, such as 600+5
    year: int | None = None
    date: str = ""  #: such as 2022-03-14, or 2022-03; datasets do not keep it
    evals: NDArray[np.int16] | None = None
    """[plies] after each move, centipawns **for the first player** as PGN has them: a mate in n is
    ``MATE - n`` or ``n - MATE``, ``NO_EVAL`` where there is none."""
    evals_made: bool = False  #: by an engine here, not recorded; datasets do not keep it
    clocks: NDArray[np.uint16] | None = None
    """[plies] seconds the mover had left, rounded down; ``NO_CLOCK`` where there is none."""
    aided: NDArray[np.bool_] | None = None
    """[plies] moves that the mover did not choose alone: given, hinted at, or played after a move
    was taken back (``records.pgn_text``). Datasets do not keep them."""
    start: str = ""  #: how it begins, as the game's `RecordCodec` writes it; empty: as usual
    source: str = ""  #: the file it was read from
    line: int = 0  #: where it begins there, from 1; 0 if it was not read from a text

    @property
    def known_date(self) -> str:
        """What is known of the day: 2022-03-14, 2022-03, 2022 or nothing."""
        return self.date or (f"{self.year:04}" if self.year else "")


DATE = re.compile(r"(\d{4})[.-](\d{2})(?:[.-](\d{2})(?!\d)|(?![.-]?\d))")


def date_of(text: str) -> str:
    """Return the first date in a text, such as 2022-03-14, or 2022-03; empty if there is none."""
    for found in DATE.finditer(text):
        year, month, day = found.groups()
        try:
            date = datetime.date(int(year), int(month), int(day or 1)).isoformat()
        except ValueError:  # such as the 31st of February
            continue
        return date if day else date[:7]
    return ""


@lru_cache(maxsize=10_000)
def speed_of(event: str, time_control: str) -> Speed:
    """Return the speed by an event's name if a word of it says so, otherwise by the time control.

    A time control of seconds + increment counts as seconds + 40 increments, with the limits of
    Lichess: below 3 minutes bullet, 8 blitz, 25 rapid (https://lichess.org/faq#time-controls). In
    "Live Chess", as chess.com calls its events, blitz is below 10 minutes, and all beyond is rapid
    (https://www.chess.com/blog/RussBell/time-controls-everything-you-wanted-to-know).
    """
    words = event.lower().split()
    for word, speed in SPEED_WORDS.items():
        if word in words:
            return speed
    match = re.fullmatch(r"(\d{1,6})(?:\+(\d{1,4}))?", time_control, re.ASCII)
    if not match:
        return Speed.unknown
    seconds = int(match[1]) + 40 * int(match[2] or 0)
    limits = OF_CHESS_COM if words[:2] == CHESS_COM else OF_LICHESS
    return next((speed for limit, speed in limits if seconds < limit), Speed.classical)


CHESS_COM = ["live", "chess"]  #: how the names of its events begin
OF_LICHESS = ((180, Speed.bullet), (480, Speed.blitz), (1500, Speed.rapid))
OF_CHESS_COM = ((180, Speed.bullet), (600, Speed.blitz), (math.inf, Speed.rapid))
SPEED_WORDS = {
    "ultrabullet": Speed.bullet,
    "bullet": Speed.bullet,
    "blitz": Speed.blitz,
    "rapid": Speed.rapid,
    "classical": Speed.classical,
    "correspondence": Speed.correspondence,
    "online": Speed.online,
}


MOST = 1000  #: centipawns: beyond is as good as won, and mates count as much
SLOPE = 0.00368208  #: of a centipawn, for games of people (lichess.org/page/accuracy)


def chances(centipawns: ArrayLike, most: float = MOST) -> NDArray[np.float64]:
    """Return the chances of winning, draws half, of a side that is ahead by so much.

    It is never ahead or behind by more than ``most``; NaN stays NaN.
    """
    cut = np.clip(np.asarray(centipawns, float), -most, most)
    return 1 / (1 + np.exp(-SLOPE * cut))
