"""Where text goes: standard output and error, in colour where they are a capable terminal."""

import json
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from evenmatch.errors import counted as counted


class InterruptReported(KeyboardInterrupt):
    """Ctrl-C; the command has reported it and what became of the work."""


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal; one that is closed (``>&-``) is None, and is not."""
    return stream is not None and stream.isatty()


def capable(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal that shows colours and Unicode, and may be sent them."""
    encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
    return (
        is_terminal(stream)
        and encoding.startswith("utf")
        and os.environ.get("TERM") != "dumb"
        and not os.environ.get("NO_COLOR")
    )


def moves_cursor(stream: TextIO | None) -> bool:
    """Tell whether a stream is a terminal that moves its cursor on request."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def output() -> Console:
    """Return a console on standard output."""
    return Console(highlight=False, emoji=False)


def errors() -> Console:
    """Return a console on standard error."""
    return Console(stderr=True, highlight=False, emoji=False)


def print_error(message: object) -> None:
    """Print one red line on standard error."""
    line = " ".join(str(message).split())
    tell(f"error: {line}", style="red")


def warn(text: str) -> None:
    """Print a yellow warning on standard error."""
    tell(f"warning: {text}", style="yellow")


def note(text: str) -> None:
    """Print a yellow note on standard error, which has no part in the result."""
    tell(f"note: {text}", style="yellow")


def tell(text: str, style: str = "") -> None:
    """Print a line on standard error; a terminal shows it broken between words."""
    whole = not is_terminal(sys.stderr)
    errors().print(text, style=style, markup=False, soft_wrap=whole)


def drop_output() -> None:
    """Send what is left of standard output nowhere, or Python fails on it again as it exits."""
    with suppress(OSError, ValueError, AttributeError):  # not a file, or closed: nothing to drop
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def print_json(value: Any) -> None:
    """Print a value as JSON, alone on standard output."""
    print(json.dumps(value, indent=2, allow_nan=False))


def table(title: str | None = None) -> Table:
    """Return an empty table in the house style."""
    return Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, header_style="dim",
        pad_edge=False,
    )  # fmt: skip
