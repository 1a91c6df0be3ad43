"""Lines of standard input and output, for protocols in which another program talks to us."""

import codecs
import io
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from evenmatch.errors import UsageError


def lines_heard() -> Iterator[str]:
    """Return an iterator of the lines of standard input; UsageError if it is closed.

    Both streams take any bytes from here on: comments and names of files may have some that are no
    text. A byte-order mark before the first line is dropped.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed; start this from a program that talks to it")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape")
    return _without_mark(sys.stdin)


def _without_mark(lines: TextIO) -> Iterator[str]:
    mark = codecs.BOM_UTF8.decode(lines.encoding or "utf-8", "surrogateescape")
    yield from (line.removeprefix(mark) for line in islice(lines, 1))
    yield from lines
