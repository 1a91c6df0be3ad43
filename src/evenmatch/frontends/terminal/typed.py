"""What is typed: words of a person or a pipe, and a clock that ticks while they are awaited."""

import io
import re
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evenmatch.errors import MoveError, quoted
from evenmatch.frontends import console

NOT_SHOWN = re.compile(r"\001[^\002]*\002")  #: what a prompt has that takes no room
MARKS = {1: None, 2: None}  #: by which it says so


class Words:
    """The words of standard input, one after another; of a person one a line."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty()
        if not self.interactive and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a stray byte is an unreadable move, no more
        self._waiting: deque[str] = deque()
        #: whether what stands before the cursor can be written over
        self.live = self.interactive and console.moves_cursor(sys.stdout)
        if self.interactive and console.is_terminal(sys.stdout):
            import readline  # noqa: F401  (input() then edits lines and remembers them)

    def write_over(self, prompt: str) -> None:
        """Write a prompt of the same length over the one that stands there; the cursor stays.

        Not where what was typed has come to another line.
        """
        import readline

        shown = NOT_SHOWN.sub("", prompt)
        typed = len(readline.get_line_buffer())
        if len(shown) + typed < shutil.get_terminal_size().columns:
            sys.stdout.write(f"\0337\r{prompt.translate(MARKS)}\0338")
            sys.stdout.flush()

    def next(self, prompt: str) -> str | None:
        """Return the next word, None at the end of the input.

        MoveError for more than one word on a line that a person types: what came after a slip would
        be played in another position than it was meant for.
        """
        while not self._waiting:
            try:
                line = input(prompt) if self.interactive else next(sys.stdin)
            except (EOFError, StopIteration):
                if self.interactive:
                    print()
                return None
            words = line.split()
            if self.interactive and len(words) > 1:
                raise MoveError(f"type one move or word at a time, not {quoted(line.strip())}")
            self._waiting.extend(words)
        return self._waiting.popleft()


# -- time ----------------------------------------------------------------------------------------

TICK = 1.0  #: seconds


class TimeUp(Exception):  # noqa: N818
    """A time limit has passed."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeUp in the block after so many seconds; None: without a limit.

    Where the system has no timer, and outside the main thread, the block runs to its end.
    """
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not hasattr(signal, "setitimer") or not main:
        yield
        return

    def over(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, over)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def ticking(
    text: Callable[[], str], write: Callable[[str], None], seconds: float = TICK
) -> Iterator[None]:
    """Let a thread write a text again every so many seconds while the block waits."""
    over = threading.Event()

    def tick() -> None:
        while not over.wait(seconds):
            write(text())

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()  # or it would write into what is drawn next
