"""Training runs: their folders, their progress, and the decay of the step size."""

import json
import math
from pathlib import Path
from typing import Any, Protocol

from evenmatch.errors import StateError, UsageError, quoted

LONGEST = 1000  #: characters of a command that a message repeats


class Listener(Protocol):
    """Hears how a training goes; the command line draws bars from it."""

    def started(self) -> None:
        """The run's folder is ready, and what it holds is read."""

    def phase(self, name: str, done: int, due: int, **numbers: float) -> None:
        """``done`` of ``due`` steps of a phase are over."""

    def iteration(self, row: dict[str, Any]) -> None:
        """An iteration is over; ``row`` is its line of progress.jsonl."""


class Quiet:
    """A listener that does nothing."""

    def started(self) -> None:
        """Ignore the start."""

    def phase(self, name: str, done: int, due: int, **numbers: float) -> None:
        """Ignore a step."""

    def iteration(self, row: dict[str, Any]) -> None:
        """Ignore an iteration."""


def cosine(high: float, low: float, share: float) -> float:
    """Return the step size after ``share`` of a training, from high to low along half a cosine."""
    return low + (high - low) * (1 + math.cos(math.pi * min(share, 1.0))) / 2


def held_command(path: Path, settings: dict[str, Any], resume: bool) -> str | None:
    """Return the command of the run in run.json, None if there is none.

    UsageError unless it is to be resumed, StateError if it asks for something else.
    """
    if not path.exists():
        return None
    if not resume:
        raise UsageError(f"{path.parent} already holds a run; add --resume to continue it")
    try:
        held = json.loads(path.read_text())
        same = all(held.get(key) == value for key, value in settings.items())
        command = str(held["command"])
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise StateError(f"{path} cannot be read; start again with another --out") from error
    if not same:
        shown = command if command.isprintable() and len(command) < LONGEST else quoted(command)
        raise StateError(
            f"{path.parent} holds another run; add --resume to its command, `{shown}`, or choose "
            "another --out"
        )
    return command
