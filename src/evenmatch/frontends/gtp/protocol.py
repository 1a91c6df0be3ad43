"""Lines of the Go Text Protocol, version 2, their answers, and the table of parameters.

A line is an optional number, the name of a command and its arguments. An answer begins with ``=``,
or ``?`` if the command failed, and the number; an empty line ends it.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.engine.options import Option
from evenmatch.frontends.engine.time_budget import BLACK, WHITE
from evenmatch.play.resigning import BELOW, TURNS

SYNTAX = "syntax error"
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
CONTROL = dict.fromkeys((*range(32), 127)) | {9: " "}
PASS, RESIGN = "pass", "resign"

LISTED = "kata-list-params"  #: the command that lists the parameters
PARAMETERS = {
    "maxVisits": Option("spin", 0, 0, 10**7),  # per move; 0: the game's, or as the clock says
    "maxTime": Option("number", 0.0, 0, 1e9),  # seconds per move; 0: no limit
    "lagBuffer": Option("number", 0.2, 0, 60),  # seconds lost between the program and the engine
    "allowResignation": Option("check", True),
    "resignThreshold": Option("number", BELOW, -1, 1),  # a lower value, in [-1, 1], is lost
    "resignConsecTurns": Option("spin", TURNS, 1, 10**9),  # own lost turns in a row
    "analysisPVLen": Option("spin", 15, 1, 1000),  # moves of a line in an analysis
    "searchRandSeed": Option("spin", 0, 0, 2**31 - 1),  # 0: other moves in every game
    "rootPolicyOptimism": Option("number", 0.0, 0, 1),  # of the policy that kata-raw-nn shows
    "humanSLProfile": Option("string", ""),  # whose moves people's networks are asked for
}
"""What programs may set, by KataGo's names."""


class GtpError(EvenmatchError):
    """A command that fails; the text is sent after the ``?``."""


@dataclass(frozen=True)
class Command:
    """One line with a command."""

    name: str
    arguments: tuple[str, ...] = ()
    id: str = ""  #: the number that its answer repeats, as it was written


def read_line(line: str) -> Command | None:
    """Return the command of a line; None if it is empty or only a comment.

    Control characters are dropped, a tab is a space, and a ``#`` begins a comment.
    """
    words = [word for word in line.translate(CONTROL).partition("#")[0].split(" ") if word]
    number = words.pop(0) if words and re.fullmatch("[0-9]+", words[0]) else ""
    if not words:
        return Command("", (), number) if number else None
    return Command(words[0], tuple(words[1:]), number)


def answer(text: str, number: str = "", *, failed: bool = False) -> str:
    """Return an answer as it is written, without the newline that ends its last, empty line."""
    return f"{'?' if failed else '='}{number}{' ' * bool(text)}{body(text)}\n"


def body(text: str) -> str:
    """Return a text without the empty lines in it, which would end an answer too soon."""
    return re.sub(r"\n\s*\n", "\n", text).rstrip()


def read_colour(word: str) -> int:
    """Return 1 for Black, the first player, -1 for White."""
    try:
        return COLOURS[word.lower()]
    except KeyError:
        raise GtpError("invalid color or coordinate") from None


def read_whole(word: str) -> int:
    """Return a whole number, 0 or more."""
    if not re.fullmatch("[0-9]{1,9}", word):
        raise GtpError(SYNTAX)
    return int(word)


def read_number(word: str, least: float = -math.inf) -> float:
    """Return a finite number that is at least ``least``."""
    try:
        number = float(word)
    except ValueError:
        raise GtpError(SYNTAX) from None
    if not math.isfinite(number) or number < least:
        raise GtpError(SYNTAX)
    return number


def take(words: Sequence[str], count: int) -> Sequence[str]:
    """Return the first ``count`` arguments; GtpError if there are fewer. More are passed over."""
    if len(words) < count:
        raise GtpError(SYNTAX)
    return words[:count]
