"""The lines of the Universal Chess Interface: what they say, and the table of options."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.engine.time_budget import LEAST, MOST_USED, share

NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
SWITCHES = ("infinite", "ponder")
LARGEST = 2**31 - 1  # number that is read
MOVES_LEFT = 30  # that a game is taken to have, where the clock does not tell
INCREMENT_USED = 0.75  # share of what is added for a move


@dataclass(frozen=True)
class Go:
    """What ``go`` asks for; times are milliseconds, None where nothing was said."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None  #: moves of the mover in which a mate is looked for
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  #: words that mean nothing

    @property
    def bounded(self) -> bool:
        """Whether the search ends by itself."""
        limits = (self.wtime, self.btime, self.movetime, self.nodes, self.depth, self.mate)
        limited = any(limit is not None for limit in limits)
        return limited and not (self.infinite or self.ponder)

    def seconds(self, white: bool, overhead: int) -> float:
        """Return the seconds that a move of White or Black may take, inf without a clock.

        ``overhead``: milliseconds that are lost between the program and the engine. A side whose
        clock is unknown is taken to have the other's.
        """
        if self.movetime is not None:
            return max((self.movetime - overhead) / 1000, LEAST)
        clock, added = (self.wtime, self.winc) if white else (self.btime, self.binc)
        if clock is None:
            clock = self.btime if white else self.wtime
        if clock is None:
            return math.inf
        left, more = max(clock - overhead, 0) / 1000, INCREMENT_USED * (added or 0) / 1000
        return share(left, self.movestogo or MOVES_LEFT, more, MOST_USED * left)


@dataclass(frozen=True)
class Position:
    """A game: where it begins (None: the start position), and the moves since."""

    fen: str | None = None
    moves: tuple[str, ...] = field(default=())


def read_go(words: list[str]) -> Go:
    """Read the words after ``go``; what makes no sense is passed over, as the interface asks."""
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


def read_setoption(words: list[str]) -> tuple[str, str]:
    """Read the words after ``setoption``: the name and the value, which may hold spaces."""
    if words[:1] != ["name"] or len(words) < 2:
        raise UsageError("cannot read the option; send setoption name NAME value VALUE")
    at = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:at]), " ".join(words[at + 1 :])


# -- options -------------------------------------------------------------------------------------

RATINGS = 700, 2500  #: that programs may ask for: those of pikl; others play as at their nearest
METHODS = ("pikl", "human", "se", "sa", "ace")
"""Players of a rating, as in ``evenmatch.opponents.rated.RATED``."""


@dataclass(frozen=True)
class Option:
    """An option; ``low`` and ``high`` are the bounds of a spin, ``choices`` those of a combo."""

    kind: str  #: check, spin, combo, string or button, as the interface has it
    default: bool | int | str | None
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def declared(self, name: str) -> str:
        """Return the line that tells a chess program of the option."""
        words = ["option name", name, "type", self.kind]
        if self.kind == "button":
            return " ".join(words)
        default = self.default or "<empty>" if self.kind == "string" else self.default
        words += ["default", str(default).lower() if self.kind == "check" else str(default)]
        if self.kind == "spin":
            words += ["min", str(self.low), "max", str(self.high)]
        words += [f"var {choice}" for choice in self.choices]
        return " ".join(words)

    def read(self, name: str, text: str) -> bool | int | str | None:
        """Return a value as it is meant; UsageError if it cannot be."""
        if self.kind == "check":
            return _one_of(name, text.lower(), ("true", "false")) == "true"
        if self.kind == "combo":
            return _one_of(name, text.lower(), self.choices)
        if self.kind == "spin":
            return self._read_number(name, text)
        return None if text in ("", "<empty>") else text

    def _read_number(self, name: str, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UsageError(f"{name} {quoted(text)} is not a whole number") from None
        if not self.low <= number <= self.high:
            raise UsageError(
                f"{name} {number} is outside {self.low} to {self.high}; choose one inside"
            )
        return number


def _one_of(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise UsageError(f"{name} {quoted(text)} is not one of {', '.join(choices)}")
    return text


OPTIONS: dict[str, Option] = {
    "UCI_LimitStrength": Option("check", False),
    "UCI_Elo": Option("spin", 1500, *RATINGS),
    "Method": Option("combo", METHODS[0], choices=METHODS),
    "MultiPV": Option("spin", 1, 1, 218),
    "Ponder": Option("check", False),
    "UCI_ShowWDL": Option("check", False),
    "Threads": Option("spin", os.cpu_count() or 1, 1, 1024),
    "Hash": Option("spin", 256, 16, 1 << 20),  # MB of the tree
    "Move Overhead": Option("spin", 30, 0, 5000),  # ms that the way to us and back takes
    "Seed": Option("spin", 0, 0, 2**31 - 1),  # 0: other moves in every game
    "WeightsFile": Option("string", None),  # a network of ours, or Leela's .pb.gz
    "Clear Hash": Option("button", None),
}
Value = bool | int | str


def word_of(value: Value) -> str:
    """Write a value as ``setoption`` has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


BY_NAME = {name.lower(): name for name in OPTIONS}


def options_with(given: Mapping[str, Value]) -> dict[str, Option]:
    """Return the options with other defaults, by name in any case. UsageError if wrong."""
    settings = Settings(OPTIONS)
    for name, value in given.items():
        settings.change(name, word_of(value))
    return {name: replace(option, default=settings[name]) for name, option in OPTIONS.items()}


class Settings(dict):
    """The options' values by name."""

    def __init__(self, options: Mapping[str, Option] = OPTIONS) -> None:
        super().__init__({name: option.default for name, option in options.items()})

    def change(self, name: str, text: str) -> str:
        """Set an option, named in any case; return its name. UsageError if it cannot be."""
        known, value = self.read(name, text)
        self[known] = value
        return known

    def read(self, name: str, text: str) -> tuple[str, Value | None]:
        """Return an option's name and the value that is meant. UsageError if there is none."""
        known = BY_NAME.get(name.lower())
        if known is None:
            raise UsageError(f"there is no option {quoted(name)}; `uci` lists them")
        return known, OPTIONS[known].read(known, text)
