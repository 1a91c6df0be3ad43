"""Every error evenmatch raises on purpose, in one tree.

::

    EvenmatchError            base; `str(error)` is one line that says how to fix it
    ├── UsageError            something the caller typed or passed is wrong
    │   ├── UnknownGameError      no such game
    │   ├── SpecError             a player spec with an unknown name, key or value
    │   ├── MoveError             a move that cannot be read or is illegal
    │   ├── StateError            a saved game, controller state or run that does not fit
    │   └── RecordError           a file or dataset of game records that cannot be read or written
    ├── NetworkError          a network file that is missing, corrupt or of another game
    └── MissingExtraError     an optional dependency is not installed

The command line prints the message of any of these and exits with status 2.
"""

from collections.abc import Sequence

LONGEST = 40  #: characters of what was typed that a message repeats
NAMED = 12  #: names that a message lists before it counts the rest


def quoted(text: str) -> str:
    """Return what was typed in quotes, cut short so that a message stays one readable line."""
    line = " ".join(text.splitlines())
    return repr(line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…")


def printable(text: str) -> str:
    """Return a text with spaces for what cannot be printed, such as bytes of another encoding."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def as_sentence(note: str) -> str:
    """Return a note as a sentence, where others stand around it."""
    return f"{note[:1].upper()}{note[1:]}."


def listed(names: Sequence[str]) -> str:
    """Return names as a line, of many only the first so that it stays readable."""
    rest = len(names) - NAMED
    return " ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def counted(count: int, what: str) -> str:
    """Return "1 game" or "1,234 games"."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


class EvenmatchError(Exception):
    """Base of all errors raised on purpose; the message is one line that says the fix."""


class UsageError(EvenmatchError):
    """Something the caller typed or passed is wrong."""


class UnknownGameError(UsageError):
    """There is no game of that name."""


class SpecError(UsageError):
    """A player spec names an unknown player, key or value."""


class MoveError(UsageError):
    """A move that cannot be read, or that is illegal in the position."""


class StateError(UsageError):
    """A saved game, controller state or training run that does not fit the request."""


class RecordError(UsageError):
    """A file or dataset of game records that cannot be read or written."""


class NetworkError(EvenmatchError):
    """A network file that is missing, corrupt, or made for another game."""


class MissingExtraError(EvenmatchError):
    """An optional dependency is needed and not installed."""
