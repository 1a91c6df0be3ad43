"""What long work tells of itself while it runs."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Progress = Callable[[int, int], None]  #: hears how much is done, and how much is due


def ignore(*_: object) -> None:
    """Hear nothing."""


def no_progress() -> AbstractContextManager[Progress]:
    """Return a context in which progress is not shown."""
    return nullcontext(ignore)
