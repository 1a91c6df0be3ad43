"""What a drill is, what it is given, and what it says at its end."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path


@dataclass
class Task:
    """What a drill is given: a folder of its own, its seed, and whether it is to be quick."""

    folder: Path
    seed: int
    quick: bool = False

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def times(self, full: int, quick: int) -> int:
        """Return how often to do something."""
        return quick if self.quick else full


@dataclass
class Outcome:
    """What was seen in a drill."""

    runs: int = 0  #: how often the fault came
    seen: Counter[str] = field(default_factory=Counter)  #: what else was counted
    wrong: list[str] = field(default_factory=list)  #: losses that nothing explains, in words
    skipped: str = ""  #: why it was not run, empty if it was

    def check(self, right: object, wrong: str) -> None:
        """Note a loss unless something is right."""
        if not right:
            self.wrong.append(wrong)


@dataclass(frozen=True)
class Drill:
    """A row of the table."""

    what: str  #: happens
    kept: str  #: what is asserted
    lost: str  #: the most that may be lost
    place: str  #: of the function that runs it, as MODULE:NAME; it is imported when it runs

    def run(self, task: Task) -> Outcome:
        """Run it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)(task)
