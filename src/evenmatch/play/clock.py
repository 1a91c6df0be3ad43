"""A chess clock for two: each side has its time, and gains some with every move."""

import math
import re
from dataclasses import dataclass, field

from evenmatch.errors import UsageError, quoted

MOST_MINUTES, MOST_INCREMENT = 1440.0, 3600.0


@dataclass
class Clock:
    """The time of both sides, in seconds; nothing runs by itself."""

    base: float  #: at the beginning
    increment: float  #: added after each move
    left: dict[int, float] = field(default_factory=dict)  #: by side, 1 or -1

    def __post_init__(self) -> None:
        self.left = self.left or {1: self.base, -1: self.base}

    def spend(self, side: int, seconds: float) -> None:
        """Take time from a side; what it has never falls below 0."""
        self.left[side] = max(0.0, self.left[side] - seconds)

    def moved(self, side: int) -> None:
        """Add the increment of a move."""
        self.left[side] += self.increment

    def text(self, side: int) -> str:
        """Write what a side has left."""
        return time_text(self.left[side])

    @property
    def control(self) -> str:
        """The time control as PGN writes it: seconds+increment."""
        return f"{self.base:g}+{self.increment:g}"


def time_text(left: float) -> str:
    """Write seconds as 4:07, and with tenths below ten."""
    if left < 10:
        return f"0:{math.floor(10 * max(left, 0)) / 10:04.1f}"
    minutes, seconds = divmod(math.floor(left), 60)
    return f"{minutes}:{seconds:02}"


def read_clock(text: str) -> Clock:
    """Return the clock of ``5+3``: minutes, and seconds added for each move; UsageError if none."""
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)(?:\+(\d{1,4}(?:\.\d+)?))?", text.strip(), re.ASCII)
    minutes, increment = (float(match[1]), float(match[2] or 0)) if match else (0.0, 0.0)
    if not 0 < minutes <= MOST_MINUTES or increment > MOST_INCREMENT:
        raise UsageError(
            f"{quoted(text)} is no time control; write minutes+seconds, such as --time 5+3"
        )
    return Clock(60 * minutes, increment)
