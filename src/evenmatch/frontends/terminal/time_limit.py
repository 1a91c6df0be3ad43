"""A time limit for a block of code: it ends when a clock in the terminal has run out."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


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
