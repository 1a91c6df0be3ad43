"""What long work tells of itself while it runs."""

from collections.abc import Callable

Progress = Callable[[int, int], None]  #: hears how much is done, and how much is due


def ignore(*_: object) -> None:
    """Hear nothing."""
