"""What options of the command line read, and how their help is laid out."""

import inspect
import math
import re
from collections.abc import Callable

import typer


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from ``low`` to ``high``.

    Typer's own ``min`` and ``max`` write a range of 19 digits into every --help.
    """

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,30}", str(text)):  # a default is a number already
            raise typer.BadParameter("write a whole number")
        if not low <= int(text) <= high:
            raise typer.BadParameter(f"{text} is outside {low} to {high}")
        return int(text)

    return read


def number(text: str) -> float:
    """Read a number, whole or not."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise typer.BadParameter("write a number")
    return found


def flowing(docstring: str | None) -> str:
    """Return a docstring whose paragraphs are one line each, for the terminal to break."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
