"""Pages of results: two generated blocks, each between two markers, in words written by hand.

A page asks a question and answers it in a sentence. Then come the first block (plot and tables),
how the result agrees with a paper, the protocol, and the second block: what made the numbers.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evenmatch import plots
from evenmatch.errors import UsageError
from evenmatch.files import replace_file

RESULTS, MADE = "results", "made"  #: names of the two blocks


def markers(name: str) -> tuple[str, str]:
    """Return the lines before and after a block."""
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def block_of(text: str, name: str) -> str:
    """Return the text of a page's block, empty if it has none."""
    begin, end = markers(name)
    return text.partition(begin)[2].partition(end)[0].strip()


def with_block(text: str, name: str, lines: Sequence[str]) -> str:
    """Return a page with a block replaced, or with the block at its end if it has none."""
    begin, end = markers(name)
    block = "\n".join([begin, "", *lines, "", end])
    before, begun, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
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
