"""Drills of engines of others that hang, die, lie or write without end."""

from __future__ import annotations

import gc
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from threading import enumerate as enumerate_threads

from evenmatch_lab.drills import programs
from evenmatch_lab.drills.drill import Outcome, Task
from evenmatch_lab.drills.jobs import some_games
from evenmatch_lab.shared.process_memory import resident_of

HOWS = (
    "hang",
    "die",
    "illegal",
    "garbage",
    "endless line",
    "endless lines",
    "nonsense",
    "nothing",
    "closes",
)
BEGINNINGS = ("hang", "die", "endless line", "endless lines", "garbage", "closes")
FAKE = Path(__file__).with_name("fake_engine.py")
THREAD = "Engine (pid="  #: how the names of such threads begin
GAMES = {"uci": "chess", "gtp": "go9"}
SHORT = 1.0  #: seconds that an engine is waited for, in place of minutes
MOST_SECONDS, MOST_GROWN = 30.0, 300.0  #: a refusal takes; megabytes that it may cost


@contextmanager
def impatient() -> Iterator[None]:
    """Let engines be waited for shortly, so that a drill does not take hours."""
    from evenmatch.players import engine_evals, engine_player, gtp_client, gtp_player

    places = [
        (engine_player, "STARTING"), (engine_player.Engine, "patience"), (engine_evals, "PATIENCE"),
        (gtp_client, "STARTING"), (gtp_client, "PATIENCE"), (gtp_player, "PATIENCE"),
    ]  # fmt: skip
    before = [getattr(where, name) for where, name in places]
    for where, name in places:
        setattr(where, name, SHORT)
    try:
        yield
    finally:
        for (where, name), value in zip(places, before, strict=True):
            setattr(where, name, value)


def players(task: Task) -> Outcome:
    """Play matches against engines that fail, at the start and when they are to move."""
    outcome = Outcome()
    cases = list(product(("uci", "gtp"), HOWS, ("",)))
    cases += product(("uci",), BEGINNINGS, ("uci", "isready"))
    cases += product(("gtp",), BEGINNINGS, ("name", "boardsize", "play"))
    task.rng.shuffle(cases)
    for game in GAMES.values():  # compiles the rules, which is not the engine's time
        words = ["match", "random", "random", "--game", game, "-n", "1"]
        programs.here(words, task.folder / "state")
    with impatient():
        for protocol, how, when in cases[: task.times(len(cases), 6)]:
            spec = f"engine:cmd={_engine(protocol, how, when)}"
            if protocol == "uci" and task.rng.random() < 0.5:
                spec += ",nodes=5"
            words = ["match", "random", spec, "--game", GAMES[protocol], "-n", "2", "--seed", "1"]
            _refused(outcome, words, task.folder, f"{protocol} {how} {when}")
    return outcome


def evaluations(task: Task) -> Outcome:
    """Estimate ratings with a Stockfish on PATH that fails."""
    outcome, games = Outcome(), task.folder / "games.pgn"
    games.write_text(some_games(6, task.seed))
    cases = [*product(HOWS, ("",)), *product(BEGINNINGS, ("uci", "isready"))]
    task.rng.shuffle(cases)
    before = os.environ["PATH"]
    programs.here(["estimate", str(games), "--no-engine"], task.folder / "state")  # loads networks
    with impatient():
        for number, (how, when) in enumerate(cases[: task.times(len(cases), 2)]):
            folder = task.folder / str(number)
            folder.mkdir()
            path = folder / "stockfish"
            path.write_text(f"#!/bin/sh\nexec {_engine('uci', how, when)}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            os.environ["PATH"] = os.pathsep.join([str(folder), before])
            try:
                name = f"stockfish {how} {when}"
                _refused(outcome, ["estimate", str(games)], task.folder, name, fine=True)
            finally:
                os.environ["PATH"] = before
    return outcome


def _engine(protocol: str, how: str, when: str) -> str:
    words = [sys.executable, str(FAKE), protocol, how, *filter(None, [when])]
    return shlex.join(words)


def _refused(
    outcome: Outcome, words: list[str], folder: Path, name: str, fine: bool = False
) -> None:
    """Check that a command ends in time, in one line, and without filling the memory."""
    began, before = time.monotonic(), _resident()
    ended = programs.here(words, folder / "state")
    seconds, grown = time.monotonic() - began, _resident() - before
    outcome.runs += 1
    outcome.seen["refused in one line"] += ended.refused
    outcome.seen["ended all the same"] += ended.code == 0
    outcome.check(ended.refused or (ended.fine and fine), f"{name}: {ended}")
    outcome.check(seconds < MOST_SECONDS, f"{name}: it took {seconds:.0f} s")
    outcome.check(grown < MOST_GROWN, f"{name}: {grown:.0f} MB more")
    outcome.check(not _left_running(), f"{name}: the engine runs on")


def _resident() -> float:
    """Return the memory that is resident in this process, in MB; 0 where nobody tells."""
    return resident_of(os.getpid()) or 0.0


def _left_running() -> list[object]:
    """Return the engines, and the threads that speak to them, that are still there after a while.

    A thread that waits for ever keeps the program from ending.
    """
    gc.collect()  # ends players that nobody needs any more
    for _ in range(60):
        found: list[object] = [*_running()]
        found += (t.name for t in enumerate_threads() if t.name.startswith(THREAD))
        if not found:
            return []
        time.sleep(0.1)
    return found


def _running() -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            parent = int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if str(FAKE).encode() in words and parent == os.getpid():
            found.append(int(path.parent.name))
    return found
