"""Lines of standard input and output, for protocols in which another program talks to us."""

import io
import sys
from collections.abc import Iterator

from evenmatch.errors import UsageError


def lines_heard() -> Iterator[str]:
    """Return an iterator of the lines of standard input; UsageError if it is closed.

    Both streams take any bytes from here on: comments and names of files may have some that are no
    text.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed; start this from a program that talks to it")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape")
    return iter(sys.stdin)
