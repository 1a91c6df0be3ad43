"""Drills of games: in the terminal, on the page, and of two programs on one profile."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from evenmatch_lab.drills import profile_kills, programs, web_kills
from evenmatch_lab.drills.damaged import PERSON, unfinished
from evenmatch_lab.drills.drill import Outcome, Task

HEAD = re.compile(r"\s+1 2 3 4 5 6 7\s*")  #: the line above a board of Connect Four
HEIGHT, FREE = 6, "*"  #: its rows, and how it shows where a stone may fall
LATEST = 1.5  #: seconds from the first board until a kill
THINKING = 0.15  #: seconds for a move, at most


def web_game(task: Task) -> Outcome:
    """Kill the page's server while browsers play on it."""
    _, seen = web_kills.drill(task.times(40, 2), task.seed, task.folder, task.quick)
    return told(seen, web_kills.passed(seen), web_kills.LOSSES)


def profile(task: Task) -> Outcome:
    """Kill two programs that play on one profile."""
    seen = profile_kills.drill(task.times(100, 3), task.seed, task.folder)
    return told(seen, profile_kills.passed(seen), profile_kills.WRONG)


def told(seen: Mapping[str, int], passed: bool, losses: tuple[str, ...]) -> Outcome:
    """Return what a drill with counts of its own has seen."""
    wrong = [f"{seen[name]} {name}" for name in losses if seen[name]]
    wrong += [] if passed or wrong else ["not enough was played"]
    others = {name: n for name, n in seen.items() if name not in (*losses, "kills")}
    return Outcome(seen["kills"], Counter(others), wrong)


def terminal_game(task: Task) -> Outcome:
    """Kill `evenmatch play` while a person plays by its lines."""
    outcome, kills = Outcome(), task.times(40, 3)
    known: list[int] = []  # moves of the game that goes on
    while outcome.runs < kills and not outcome.wrong:
        before = _finished(task.folder)
        shown, code = _play(task, len(known))
        finished, kept = _finished(task.folder), unfinished(task.folder)
        if code == 0:
            outcome.check(len(finished) == len(before) + 1, "a finished game is missing")
            outcome.seen["games finished"] += 1
            known = []
            continue
        outcome.check(code < 0, f"status {code}")
        outcome.runs += 1
        ended = len(finished) > len(before)  # killed at the very end
        now = finished[-1] if ended else kept
        outcome.seen["kills in the middle of a game"] += not ended
        outcome.check(now[: len(known)] == known, f"{known} became {now}")
        outcome.check(len(now) >= shown, f"{shown} moves were shown, {now} are kept")
        outcome.seen["moves shown and kept"] += shown - len(known)
        known = [] if ended else now
    return outcome


def _play(task: Task, begun: int) -> tuple[int, int]:
    """Play until a kill or the end; return how many moves were shown at least, and the status.

    ``begun`` are the moves there are already, 0 for a new game.
    """
    new = ["connect4", "-o", "random", "--seed", str(task.seed), "--name", PERSON]
    words = ["connect4-1"] if begun else new
    process = subprocess.Popen(
        programs.command("play", *words), cwd=task.folder,
        env=programs.environment(task.folder), text=True, bufsize=1, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None, "it was asked for"
    assert process.stdin is not None, "it was asked for"
    timer, boards = threading.Timer(task.rng.uniform(0, LATEST), process.kill), 0
    while line := process.stdout.readline():
        if not HEAD.fullmatch(line):
            continue
        rows = [process.stdout.readline() for _ in range(HEIGHT)]
        free = [n for n in range(7) if any(row[4 + 2 * n : 5 + 2 * n] == FREE for row in rows)]
        if not free or len(rows[-1]) < 17:  # the last position, or half of one
            continue
        boards += 1
        if boards == 1:
            timer.start()
        time.sleep(task.rng.uniform(0, THINKING))
        try:
            process.stdin.write(f"{1 + task.rng.choice(free)}\n")
        except OSError:
            break
    code = process.wait()
    timer.cancel()
    return begun + 2 * max(boards - 1, 0), code


def _finished(folder: Path) -> list[list[int]]:
    from evenmatch.profiles import Profile

    profile = Profile(folder / "state")
    kept = profile.games.finished(PERSON)
    profile.close()
    return [list(one.saved.actions) for one in sorted(kept, key=lambda one: one.row)]
