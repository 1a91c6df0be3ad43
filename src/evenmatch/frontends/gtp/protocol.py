"""Lines of the Go Text Protocol, version 2, their answers, and the table of parameters.

A line is an optional number, the name of a command and its arguments. An answer begins with ``=``,
or ``?`` where the command failed, and the number; an empty line ends it.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evenmatch.errors import EvenmatchError, quoted
from evenmatch.frontends.engine.time_budget import BLACK, WHITE

SYNTAX = "syntax error"
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
CONTROL = dict.fromkeys((*range(32), 127)) | {9: " "}
PASS, RESIGN = "pass", "resign"


class GtpError(EvenmatchError):
    """A command that fails; the text is sent after the ``?``."""


@dataclass(frozen=True)
class Command:
    """One line that asks for something."""

    name: str
    arguments: tuple[str, ...] = ()
    id: str = ""  #: the number that its answer repeats, as it was written


def read_line(line: str) -> Command | None:
    """Return the command of a line; None if it is empty or nothing but a comment.

    Control characters are dropped, a tab is a space, and what follows a ``#`` is a comment.
    """
    words = [word for word in line.translate(CONTROL).partition("#")[0].split(" ") if word]
    number = words.pop(0) if words and re.fullmatch("[0-9]+", words[0]) else ""
    if not words:
        return Command("", (), number) if number else None
    return Command(words[0], tuple(words[1:]), number)


def answer(text: str, number: str = "", *, failed: bool = False) -> str:
    """Return an answer as it is written, but for the newline that ends its last, empty line."""
    return f"{'?' if failed else '='}{number}{' ' * bool(text)}{body(text)}\n"


def body(text: str) -> str:
    """Return a text without what would end an answer too soon: empty lines within it."""
    return re.sub(r"\n\s*\n", "\n", text).rstrip()


def read_colour(word: str) -> int:
    """Return 1 for Black, who moves first, -1 for White."""
    try:
        return COLOURS[word.lower()]
    except KeyError:
        raise GtpError("invalid color or coordinate") from None


def colour_name(side: int) -> str:
    """Write a side as the protocol does."""
    return "B" if side == BLACK else "W"


def read_whole(word: str) -> int:
    """Return a whole number, 0 or more."""
    if not re.fullmatch("[0-9]{1,9}", word):
        raise GtpError(SYNTAX)
    return int(word)


def read_number(word: str) -> float:
    """Return a finite number."""
    try:
        number = float(word)
    except ValueError:
        raise GtpError(SYNTAX) from None
    if not math.isfinite(number):
        raise GtpError(SYNTAX)
    return number


def read_switch(word: str) -> bool:
    """Return whether a word says yes."""
    try:
        return {"true": True, "false": False, "1": True, "0": False}[word.lower()]
    except KeyError:
        raise GtpError(SYNTAX) from None


def take(words: Sequence[str], count: int) -> Sequence[str]:
    """Return the first ``count`` arguments; GtpError if there are fewer. More are passed over."""
    if len(words) < count:
        raise GtpError(SYNTAX)
    return words[:count]


# -- settings: of the command line, and of ``kata-set-param`` -------------------------------------

#: Points for White's side of handicap stones under rule sets that have names, as KataGo has them.
#: Those that count territory are refused.
NAMED_RULES = {
    "tromp-taylor": "0", "chinese": "N", "chinese-ogs": "N", "chinese-kgs": "N", "aga": "N-1",
    "bga": "N-1", "new-zealand": "0", "new_zealand": "0",
}  # fmt: skip


@dataclass
class Settings:
    """The values, by the fields' names."""

    game: str = "go"
    player: str | None = None  #: the spec of who moves; None: a search at full strength
    weights: str | None = None  #: the network's file; None: the shipped one
    seed: int = 0  #: 0: other moves in every game
    max_visits: int = 0  #: most simulations for a move; 0: as the game is searched without a clock
    max_time: float = 0.0  #: most seconds for a move; 0: no limit
    lag: float = 0.2  #: seconds lost on the way to us and back
    resigns: bool = True
    resign_below: float = -0.9  #: value of a position, in [-1, 1], below which it is lost
    resign_turns: int = 3  #: own turns in a row at which it must be lost
    line_length: int = 15  #: moves of a line that analysis shows


@dataclass(frozen=True)
class Parameter:
    """A setting that programs may change, under the name that KataGo has for it."""

    field: str
    read: Callable[[str], Any]
    low: float = 0
    high: float = 1e9


PARAMETERS = {
    "maxVisits": Parameter("max_visits", read_whole, high=10**7),
    "maxTime": Parameter("max_time", read_number),
    "lagBuffer": Parameter("lag", read_number, high=60),
    "allowResignation": Parameter("resigns", read_switch),
    "resignThreshold": Parameter("resign_below", read_number, low=-1, high=1),
    "resignConsecTurns": Parameter("resign_turns", read_whole, low=1),
    "analysisPVLen": Parameter("line_length", read_whole, low=1, high=1000),
    "searchRandSeed": Parameter("seed", read_whole),
}


def parameter(name: str) -> Parameter:
    """Return a parameter; GtpError if there is none of the name."""
    if name not in PARAMETERS:
        raise GtpError(f"no parameter {quoted(name)}; kata-list-params lists them")
    return PARAMETERS[name]


def get(settings: Settings, name: str) -> str:
    """Write the value of a parameter."""
    value = getattr(settings, parameter(name).field)
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def change(settings: Settings, name: str, word: str) -> None:
    """Set a parameter; GtpError if it is none, or the value is not one of its values."""
    known = parameter(name)
    value = known.read(word)
    if not known.low <= value <= known.high:
        raise GtpError(f"{name} {value:g} is outside {known.low:g} to {known.high:g}")
    setattr(settings, known.field, value)
