"""The loop of an engine: lines in, lines out, and one search at a time beside them."""

from __future__ import annotations

import codecs
import io
import math
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice

from evenmatch.errors import EvenmatchError, UsageError

Send = Callable[[str], None]  # a line, or the lines of one answer, without the last newline


class Search:
    """One search: how long it may take, and the thread that it may run in."""

    def __init__(self, seconds: float = math.inf):
        """``seconds`` count from `start_clock`."""
        self.seconds = seconds
        self._deadline = math.inf
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start_clock(self) -> None:
        """Let the seconds run."""
        self._deadline = time.perf_counter() + self.seconds

    @property
    def over(self) -> bool:
        """Whether the search was stopped, or its time is used up."""
        return self._stop.is_set() or time.perf_counter() >= self._deadline

    def run(self, work: Callable[[], None]) -> None:
        """Do ``work`` in a thread."""
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let the search end as soon as it looks at `over`."""
        self._stop.set()

    def join(self) -> None:
        """Wait for the end of the thread, if there is one."""
        if self._thread is not None:
            self._thread.join()


class EngineLoop:
    """Answers one line after the other; a dialect says how."""

    def __init__(self, send: Send):
        self.send = send
        self.search: Search | None = None  #: the one that runs in a thread
        self.closing: ExitStack | None = None  #: closed after the last line, by `serve`

    def handle(self, line: str) -> bool:
        """Answer a line; False after the one that ends the conversation."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish after the last line."""
        raise NotImplementedError


@contextmanager
def noting_compilation(game: str, note: Callable[[str], None]) -> Iterator[None]:
    """Note once if kernels are compiled meanwhile. Enter it before kernels are imported."""
    from evenmatch.app.compiling import on_first_compile

    with on_first_compile(lambda: note(f"compiling {game}; this takes about a minute, once")):
        yield


def warn(text: str) -> None:
    """Write a line to standard error, which the program may show."""
    print(f"evenmatch: {text}", file=sys.stderr, flush=True)


def explained(error: Exception) -> str:
    """Return one line about an exception; the traceback of an unexpected one goes to stderr."""
    if isinstance(error, EvenmatchError):
        return " ".join(str(error).split())
    traceback.print_exception(error)
    return f"{error!r}; please report it"


def serve(make: Callable[[Send], EngineLoop]) -> None:
    """Talk on standard input and output until a line ends it or there are no more lines.

    UsageError if standard input is closed; errors of ``make`` are passed on.
    """
    lines, lock = input_lines(), threading.Lock()

    def send(text: str) -> None:
        with lock:
            print(text, flush=True)

    engine = make(send)
    with ExitStack() as engine.closing:
        if all(engine.handle(line) for line in lines):
            engine.close()


def input_lines() -> Iterator[str]:
    """Return an iterator of the lines of standard input; UsageError if it is closed.

    From here on both streams take any bytes, because comments and names of files may have some that
    are not text. A byte-order mark before the first line is dropped.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed; start this from a program that talks to it")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape")
    mark = codecs.BOM_UTF8.decode(sys.stdin.encoding or "utf-8", "surrogateescape")
    first = (line.removeprefix(mark) for line in islice(sys.stdin, 1))
    return chain(first, sys.stdin)
