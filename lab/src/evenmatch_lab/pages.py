"""Pages of results: one generated block, between two markers, in words written by hand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evenmatch import plots
from evenmatch.errors import UsageError
from evenmatch.files import replace_file

BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def with_block(text: str, lines: Sequence[str]) -> str:
    """Return a page with its block replaced, or with a block at its end if it has none."""
    block = "\n".join([BEGIN, "", *lines, "", END])
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        return f"{text.rstrip()}\n\n{block}\n"
    return before + block + after


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], left: Sequence[int] = (0,)
) -> str:
    """Return a table in Markdown, columns to the right except those numbered in ``left``."""
    rules = ["---" if column in left else "---:" for column in range(len(heads))]
    cells = [list(map(str, row)) for row in (heads, *rows)]
    head, *body = (re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(row)} |") for row in cells)
    return "\n".join([head, f"|{'|'.join(rules)}|", *body])


def code_list(names: Sequence[str], most: int = 6) -> str:
    """Write names as code, up to ``most`` of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def figure(path: Path, columns: int, *, height: float = 3.6, width: float = 11.0) -> Iterator[Any]:
    """Yield an array of axes side by side, then write the SVG; for use in a ``for`` of one turn."""
    try:
        with plots.axes(path, columns, size=(width, height)) as axes:
            yield axes
    except OSError as error:
        raise unwritable(path, error) from None


def write(path: Path, text: str) -> None:
    """Replace a file, whole. Raises UsageError if it cannot be written."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> UsageError:
    """Return the exception to raise where a result cannot be written."""
    return UsageError(f"cannot write {path} ({error.strerror}); choose another folder with --out")
