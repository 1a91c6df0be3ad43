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
from contextlib import ExitStack
from itertools import islice
from typing import TextIO

from evenmatch.errors import EvenmatchError, UsageError

Send = Callable[[str], None]  # a line, or the lines of one answer, without the last newline


class Search:
    """One search: how long it may take, and the thread that it may run in."""

    def __init__(self, seconds: float = math.inf, *, now: Callable[[], float] | None = None):
        """``seconds`` count from `start_clock`, by ``now``."""
        self.seconds = seconds
        self._now = now or time.perf_counter
        self._deadline = math.inf
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start_clock(self) -> None:
        """Let the seconds run."""
        self._deadline = self._now() + self.seconds

    @property
    def over(self) -> bool:
        """Whether the search was stopped, or its time is used up."""
        return self._stop.is_set() or self._now() >= self._deadline

    @property
    def stopped(self) -> bool:
        """Whether the search was stopped."""
        return self._stop.is_set()

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
    """Answers one line after the other; a protocol says how."""

    def __init__(self, send: Send):
        self.send = send
        self.search: Search | None = None  #: that runs in a thread
        self.listening: ExitStack | None = None  #: what `loading` opens

    def begin(self) -> None:
        """Do what comes before the first line."""

    def handle(self, line: str) -> bool:
        """Answer a line; False after the one that ends the conversation."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish after the last line."""
        raise NotImplementedError

    def note(self, text: str) -> None:
        """Show the person at the program a line."""
        raise NotImplementedError

    def loading(self, game: str) -> None:
        """Note from now on when kernels are compiled. Call it before kernels are imported."""
        listening, self.listening = self.listening, None
        if listening is not None:
            from evenmatch.app.compiling import compiling_told

            text = f"compiling {game}; this takes a minute or two, once"
            listening.enter_context(compiling_told(lambda: self.note(text)))


def explained(error: Exception) -> str:
    """Return one line about an exception; the traceback of an unexpected one goes to stderr."""
    if isinstance(error, EvenmatchError):
        return " ".join(str(error).split())
    traceback.print_exception(error)
    return f"{error!r}; please report it"


def serve(make: Callable[[Send], EngineLoop]) -> None:
    """Talk on standard input and output until a line ends it or there are no more lines.

    UsageError if standard input is closed, and what ``make`` and `EngineLoop.begin` raise.
    """
    lines, lock = input_lines(), threading.Lock()

    def send(text: str) -> None:
        with lock:
            print(text, flush=True)

    engine = make(send)
    with ExitStack() as engine.listening:
        engine.begin()
        for line in lines:
            if not engine.handle(line):
                return
        engine.close()


def input_lines() -> Iterator[str]:
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
