"""Reports of progress of long work."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Progress = Callable[[int, int], None]  #: called with how much is done, and how much is due


def ignore(*_: object) -> None:
    """Ignore a report."""


def no_progress() -> AbstractContextManager[Progress]:
    """Return a context in which progress is not shown."""
    return nullcontext(ignore)
