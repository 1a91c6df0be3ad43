"""What lines of the Go Text Protocol, version 2, say, and how answers are written.

A line is an optional number, the name of a command and its arguments. An answer begins with ``=``,
or ``?`` where the command failed, and the number; an empty line ends it.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

SYNTAX = "syntax error"
BLACK, WHITE = 1, -1
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
CONTROL = dict.fromkeys((*range(32), 127)) | {9: " "}
PASS, RESIGN = "pass", "resign"


class GtpError(Exception):
    """A command that fails; the text is told after the ``?``."""


@dataclass(frozen=True)
class Command:
    """One line that asks for something."""

    name: str
    arguments: tuple[str, ...] = ()
    id: str = ""  #: the number that its answer is to bear, as it was written


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
