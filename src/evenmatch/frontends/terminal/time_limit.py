"""A clock in the terminal: it ticks while a block of code waits, and ends it when time is up."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TICK = 1.0  #: seconds


class TimeUp(Exception):  # noqa: N818
    """A time limit has passed."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeUp in the block once so many seconds have passed; None is no limit.

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
    """Let a thread write a text anew every so many seconds while the block waits."""
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
