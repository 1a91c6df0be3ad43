"""Drills of clocks that jump back and forth while games are played."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from evenmatch.profiles import Profile
from evenmatch_lab.drills import games, profile_kills, programs, web_kills
from evenmatch_lab.drills.drill import Outcome, Task
from evenmatch_lab.drills.web_seen import NUMBERS

#: Python imports this before a program runs, if its folder is in PYTHONPATH.
JUMPS = """
import random, time
_real, _monotonic, _began = time.time, time.monotonic, time.monotonic()
_rng = random.Random()
_offsets = [_rng.choice((0, -60, -3600, -86400, 3600, -10 * 365 * 86400)) for _ in range(4096)]
time.time = lambda: _real() + _offsets[int(2 * (_monotonic() - _began)) % 4096]
"""


@contextmanager
def jumping(folder: Path) -> Iterator[None]:
    """Let programs started meanwhile have a clock that jumps twice a second."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(JUMPS)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def profile(task: Task) -> Outcome:
    """Play by two programs whose clocks jump, kill them, and tell the levels of what is kept."""
    with jumping(task.folder / "clock"):
        seen = profile_kills.drill(task.times(12, 3), task.seed, task.folder)
    outcome = games.told(seen, profile_kills.passed(seen), profile_kills.WRONG)
    ends = _ends(task.folder / "state")
    outcome.seen["games dated before one that began earlier"] = sum(
        later < earlier for earlier, later in pairwise(ends)
    )
    told = programs.here(["me", "--name", profile_kills.PERSON, "--json"], task.folder / "state")
    outcome.check(told.fine and json.loads(told.out), f"`evenmatch me` fails: {told}")
    return outcome


def _ends(state: Path) -> list[float]:
    """Return when games ended by the clocks, in the order in which they began."""
    kept = Profile(state).games.finished(profile_kills.PERSON)
    return [one.ended for one in sorted(kept, key=lambda one: one.row)]


def web_game(task: Task) -> Outcome:
    """Play on the page's server while its clock jumps, and kill it."""
    with jumping(task.folder / "clock"):
        _, seen = web_kills.drill(task.times(8, 1), task.seed, task.folder, quick=True)
    numbers = {NUMBERS: 0}
    outcome = games.told(
        seen | numbers, web_kills.passed(seen | numbers), tuple({*web_kills.LOSSES} - {NUMBERS})
    )
    outcome.seen[NUMBERS] = seen[NUMBERS]  # the page counts anew on each connection
    return outcome
