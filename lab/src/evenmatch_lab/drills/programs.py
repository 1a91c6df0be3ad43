"""Programs that drills start: the command line as a process of its own, or within this one."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST = 600.0  #: seconds that any of them may take
MOMENT = 0.002  #: seconds between two looks
SHORTLY = 0.02  #: seconds after a change within which every other kill falls


@dataclass
class Ended:
    """A program that has ended."""

    code: int
    out: str
    errors: str
    megabytes: float = 0.0  #: the most that was resident, where it was measured

    @property
    def refused(self) -> bool:
        """Whether it ended as after an error of ours: status 2, and one line that says why."""
        lines = [line for line in self.errors.splitlines() if not line.startswith(NOTES)]
        return self.code == 2 and len(lines) == 1 and lines[0].startswith("error: ")

    @property
    def fine(self) -> bool:
        """Whether it did what it was asked for, and said nothing of what was inside."""
        return self.code == 0 and "Traceback" not in self.errors

    def __str__(self) -> str:
        told = " / ".join((self.errors or self.out).strip().splitlines()[-3:])
        return f"status {self.code}: {told[-300:]}"


NOTES = ("note: ", "warning: ")  #: how lines begin that are no errors


def environment(folder: Path, more: Mapping[str, str] = {}) -> dict[str, str]:
    """Return the environment of a program whose state is in a folder."""
    kept = os.environ | {"EVENMATCH_STATE": str(folder / "state"), "PYTHONUNBUFFERED": "1"}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return kept | dict(more)


def command(*words: str) -> list[str]:
    """Return the command line of evenmatch with some words."""
    return [sys.executable, "-m", "evenmatch", *words]


def run(
    words: Sequence[str],
    folder: Path,
    *,
    given: str = "",
    more: Mapping[str, str] = {},
    seconds: float = LONGEST,
    memory: int | None = None,
    file_size: int | None = None,
) -> Ended:
    """Run a program in a folder to its end; TimeoutExpired after so many seconds.

    ``memory`` is the most bytes of address space that it gets, ``file_size`` of a file.
    """

    def limit() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    process = subprocess.Popen(
        list(words), cwd=folder, env=environment(folder, more), text=True, preexec_fn=limit,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        out, errors = process.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    return Ended(process.returncode, out, errors)


def kill(process: subprocess.Popen) -> None:
    """Kill a program and all that it started, as it stands."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def start(words: Sequence[str], folder: Path, log: Path, more: Mapping[str, str] = {}):
    """Start a program in a folder; what it prints is added to a log."""
    with log.open("ab") as out:
        return subprocess.Popen(
            list(words), cwd=folder, env=environment(folder, more), stdout=out,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip


def killed_at_random(process: subprocess.Popen, rng, watched: Path, longest: float) -> bool:
    """Kill a program at a random moment of its work; return False if it had ended before.

    The work begins with the first change in a folder. Every other kill falls within 20 ms after
    one of the next changes; the others anywhere in ``longest`` seconds.
    """
    last, until = entries(watched), time.monotonic() + LONGEST
    while entries(watched) == last and process.poll() is None and time.monotonic() < until:
        time.sleep(MOMENT)
    until = time.monotonic() + rng.uniform(0, longest)
    changes = rng.randrange(12) if rng.random() < 0.5 else 1 << 30
    last = entries(watched)
    while process.poll() is None and changes and time.monotonic() < until:
        now = entries(watched)
        changes, last = changes - (now != last), now
        time.sleep(MOMENT)
    if not changes:
        time.sleep(rng.uniform(0, SHORTLY))
    gone = process.poll() is not None
    kill(process)
    return not gone


def entries(folder: Path) -> frozenset[tuple[str, int]]:
    """Return the files below a folder with their inodes, which change when they are replaced."""
    found = set()
    for where, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                found.add((name, os.stat(os.path.join(where, name)).st_ino))
    return frozenset(found)


def here(words: Sequence[str], state: Path) -> Ended:
    """Run the command line within this process, which is much quicker to start."""
    from evenmatch.frontends.cli import app

    out, errors = io.StringIO(), io.StringIO()
    before, sys.stdin = os.environ.get("EVENMATCH_STATE"), io.StringIO()
    os.environ["EVENMATCH_STATE"] = str(state)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = _status(app, words)
    finally:
        sys.stdin = sys.__stdin__
        os.environ.pop("EVENMATCH_STATE")
        if before is not None:
            os.environ["EVENMATCH_STATE"] = before
    return Ended(code, out.getvalue(), errors.getvalue())


def _status(app, words: Sequence[str]) -> int:
    """Return the exit status of a command; 1, with a line, if it ends in a traceback."""
    try:
        app(list(words), prog_name="evenmatch")
    except SystemExit as stop:
        return int(stop.code or 0)
    except Exception as error:
        print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0
