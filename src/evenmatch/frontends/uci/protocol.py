"""The words of the Universal Chess Interface: ``go``, positions, options, scores."""

import math
import os
from dataclasses import dataclass, replace

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.engine.options import Option, word_of
from evenmatch.frontends.engine.time_budget import BLACK, LEAST, WHITE, Clocks, TimeControl

NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
SWITCHES = ("infinite", "ponder")
LARGEST = 2**31 - 1  # number that is read
MOVES_LEFT = 30  # expected in a game, where the clock does not say
SPREAD, STEEPNESS = 90.0, 1.5637541897  # of lc0's formula for centipawns
EVEN_DRAWS = 0.1  # chance of a draw in an even position, if the network has no chances of draws


@dataclass(frozen=True)
class Go:
    """The limits of ``go``; times are milliseconds, None if they are not given."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None  #: moves of the side to move in which to look for a mate
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  #: words without a meaning

    @property
    def bounded(self) -> bool:
        """Whether the search ends by itself."""
        limits = (self.wtime, self.btime, self.movetime, self.nodes, self.depth, self.mate)
        limited = any(limit is not None for limit in limits)
        return limited and not (self.infinite or self.ponder)

    def seconds(self, white: bool, overhead: int) -> float:
        """Return the seconds that a move of White or Black may take, inf without a clock.

        ``overhead``: milliseconds that are lost between the program and the engine. If a side's
        clock is unknown, it is taken to be the other's.
        """
        if self.movetime is not None:
            return max((self.movetime - overhead) / 1000, LEAST)
        times = [(self.wtime, self.winc), (self.btime, self.binc)]
        left, bonus = times[0] if white else times[1]
        if left is None:
            left = self.btime if white else self.wtime
        if left is None:
            return math.inf
        clocks = Clocks(TimeControl(left / 1000, bonus=(bonus or 0) / 1000))
        side = BLACK if white else WHITE  # 1 moves first
        return clocks.seconds_for(side, self.movestogo or MOVES_LEFT, overhead / 1000)


@dataclass(frozen=True)
class Position:
    """A game: its start (None: the start position), and the moves since."""

    fen: str | None = None
    moves: tuple[str, ...] = ()


def read_go(words: list[str]) -> Go:
    """Read the words after ``go``; unknown words are passed over, as the interface asks."""
    values: dict = {}
    unread = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in NUMBERS and rest and (number := _number(rest[0])) is not None:
            values[word] = number
            rest.pop(0)
        elif word in SWITCHES:
            values[word] = True
        elif word == "searchmoves":
            moves = []
            while rest and rest[0] not in (*NUMBERS, *SWITCHES, "searchmoves"):
                moves.append(rest.pop(0))
            values[word] = tuple(moves)
        else:
            unread.append(word)
    return Go(**values, unread=tuple(unread))


def _number(word: str) -> int | None:
    try:
        return max(-LARGEST, min(int(word), LARGEST))
    except ValueError:
        return None


def read_position(words: list[str]) -> Position:
    """Read the words after ``position``; UsageError if they are neither startpos nor fen."""
    at = words.index("moves") if "moves" in words else len(words)
    head, moves = words[:at], tuple(words[at + 1 :])
    if head[:1] == ["startpos"]:
        return Position(None, moves)
    if head[:1] == ["fen"] and len(head) > 1:
        return Position(" ".join(head[1:]), moves)
    raise UsageError(
        f"cannot read position {quoted(' '.join(words))}; send startpos or fen, then moves"
    )


# -- options -------------------------------------------------------------------------------------

RATINGS = 450, 2450
"""Of UCI_Elo: those of pikl, rounded inwards; other methods play at their nearest rating."""
METHODS = ("pikl", "human", "se", "sa", "ace")
"""Players of a rating, as in ``evenmatch.opponents.rated.RATED``."""
LISTED = "uci"  #: the command that lists the options
OPTIONS: dict[str, Option] = {
    "UCI_LimitStrength": Option("check", False),
    "UCI_Elo": Option("spin", 1500, *RATINGS),
    "Method": Option("combo", METHODS[0], choices=METHODS),
    "MultiPV": Option("spin", 1, 1, 218),
    "Ponder": Option("check", False),
    "UCI_ShowWDL": Option("check", False),
    "Threads": Option("spin", os.cpu_count() or 1, 1, 1024),
    "Hash": Option("spin", 256, 16, 1 << 20),  # MB of the tree
    "Move Overhead": Option("spin", 30, 0, 5000),  # ms lost between the program and the engine
    "Seed": Option("spin", 0, 0, 2**31 - 1),  # 0: other moves in every game
    "WeightsFile": Option("string", None),  # a network of ours, or Leela's .pb.gz
    "Clear Hash": Option("button", None),
}


def declared(name: str, option: Option) -> str:
    """Return the line that declares an option to a chess program."""
    words = ["option name", name, "type", option.kind]
    if option.kind != "button":
        words += ["default", "<empty>" if option.default is None else word_of(option.default)]
    if option.kind == "spin":
        words += ["min", str(option.low), "max", str(option.high)]
    return " ".join([*words, *(f"var {choice}" for choice in option.choices)])


def read_setoption(words: list[str]) -> tuple[str, str]:
    """Read the words after ``setoption``: the name and the value, which may hold spaces."""
    if words[:1] != ["name"] or len(words) < 2:
        raise UsageError("cannot read the option; send setoption name NAME value VALUE")
    at = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:at]), " ".join(words[at + 1 :])


# -- scores --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValueScore:
    """A value for the side to move in [-1, 1], and the chance of a draw if it is known."""

    value: float
    draw: float | None = None

    def moved(self, value: float) -> "ValueScore":
        """Return the score of another value; the chance of a draw scales with 1 - value^2."""
        if self.draw is None:
            return replace(self, value=value)
        share = (1 - value**2) / max(1 - self.value**2, 1e-3)
        return ValueScore(value, min(self.draw * share, 1.0))

    @property
    def centipawns(self) -> int:
        """The value as lc0 writes it: 90 tan(1.5637541897 Q)."""
        return round(SPREAD * math.tan(STEEPNESS * max(-1.0, min(self.value, 1.0))))

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Win, draw and loss, per thousand."""
        value = max(-1.0, min(self.value, 1.0))
        draw = EVEN_DRAWS * (1 - value**2) if self.draw is None else self.draw
        draw = min(draw, 1 - abs(value))
        wins, draws = round(500 * (1 + value - draw)), round(1000 * draw)
        return wins, min(draws, 1000 - wins), max(1000 - wins - draws, 0)

    def text(self, with_wdl: bool, *, mate: int | None = None, bound: bool = False) -> str:
        """Return the words after ``score``.

        ``mate``: moves to a proven mate, negative if the side to move is mated. ``bound``: the
        value is a lower bound.
        """
        score = self if mate is None else self.moved(1.0 if mate > 0 else -1.0)
        text = f"cp {score.centipawns}" + " lowerbound" * bound
        text = text if mate is None else f"mate {mate}"
        return f"{text} wdl {' '.join(map(str, score.wdl))}" if with_wdl else text
