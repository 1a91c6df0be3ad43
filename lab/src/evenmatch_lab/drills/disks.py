"""Drills of disks that are full, or cannot be written. They mount a small one, which takes root."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenmatch_lab.drills import jobs, programs
from evenmatch_lab.drills.damaged import play_some, snapshot
from evenmatch_lab.drills.drill import Outcome, Task

MEGABYTES = 24
NO_DISK = "a small disk can be mounted by root alone"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """Mount a disk of a few megabytes; None where that is not allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    if os.name != "posix" or shutil.which("mount") is None or _fails(mount):
        yield None
        return
    try:
        yield folder
    finally:
        _fails(["umount", "-l", str(folder)])


def _fails(words: list[str]) -> bool:
    return subprocess.run(words, capture_output=True).returncode != 0


def fill(disk: Path, left: int) -> Path:
    """Fill a disk but for so many bytes; return the file to delete afterwards."""
    ballast, room = disk / "ballast", os.statvfs(disk)
    size = max(room.f_bavail * room.f_frsize - left, 0)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size) if size else None
    return ballast


def full(task: Task) -> Outcome:
    """Let jobs and games run into the end of a disk; make room, and let them go on."""
    outcome = Outcome()
    with small_disk(task.folder / "disk") as disk:
        if disk is None:
            return Outcome(skipped=NO_DISK)
        file = task.folder / "games.pgn"
        file.write_text(jobs.some_games(6_000, task.seed))
        for name, job, times in (
            ("training", jobs.of_training(), 6),
            ("dataset", jobs.of_dataset(file), 6),
            ("calibration", jobs.of_calibration(), 3),
        ):
            _job_on(outcome, task, disk, name, job, task.times(times, 0))
        for _ in range(task.times(8, 2)):
            _game_on(outcome, task, disk)
    return outcome


def _job_on(outcome: Outcome, task: Task, disk: Path, name: str, job: jobs.Job, times: int) -> None:
    alone = task.folder / f"{name} alone"
    if times:
        jobs.undisturbed(job, alone)
    for _ in range(times):
        folder = disk / "work"
        (folder / job.work).mkdir(parents=True)
        ballast = fill(disk, task.rng.choice((0, 4096, task.rng.randrange(3_000_000))))
        ended = programs.run(job.words(folder), folder)
        outcome.runs += 1
        outcome.seen["refused in one line"] += ended.refused
        outcome.check(ended.refused or ended.fine, f"{name}: {ended}")
        job.done(folder)
        ballast.unlink()
        ended = programs.run(job.words(folder), folder)
        outcome.check(ended.fine, f"{name} does not go on: {ended}")
        if ended.fine:
            outcome.check(job.result(folder) == job.result(alone), f"{name}: another result")
        shutil.rmtree(folder)


def _game_on(outcome: Outcome, task: Task, disk: Path) -> None:
    """Play, fill the disk, play on, make room, play on."""
    folder = disk / "game"
    folder.mkdir()
    before = play_some(folder, "4\n", new=True)
    ballast = fill(disk, task.rng.choice((0, 4096, task.rng.randrange(100_000))))
    ended = programs.run(programs.command("play", "connect4-1"), folder, given="4\n1\n")
    outcome.runs += 1
    outcome.check("Traceback" not in ended.errors and ended.code == 2, f"a game: {ended}")
    ballast.unlink()
    after = play_some(folder, "2\n")
    outcome.check(after[: len(before)] == before, f"a game: {before} became {after}")
    outcome.check(len(after) > len(before), f"a game does not go on: {after}")
    shutil.rmtree(folder)


def read_only(task: Task) -> Outcome:
    """Let commands use a state folder that cannot be written."""
    outcome = Outcome()
    with small_disk(task.folder / "disk") as disk:
        if disk is None:
            return Outcome(skipped=NO_DISK)
        play_some(disk, "4\n", new=True)
        before = snapshot(disk)
        _fails(["mount", "-o", "remount,ro", str(disk)])
        for words, given in READERS[: task.times(len(READERS), 2)]:
            for state in ("state", "none"):
                more = {"EVENMATCH_STATE": str(disk / state), "HOME": str(disk)}
                ended = programs.run(programs.command(*words), task.folder, given=given, more=more)
                outcome.runs += 1
                outcome.seen["refused in one line"] += ended.refused
                told = ended.code in (0, 2) and "Traceback" not in ended.errors
                outcome.check(told, f"{' '.join(words)}: {ended}")
        outcome.check(snapshot(disk) == before, "the folder has changed")
    return outcome


READERS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("play", "connect4", "-o", "random", "--seed", "1"), "4\n3\nresign\n"),
    (("me",), ""),
    (("play", "--resume"), "4\n"),
    (("players", "style"), ""),
    (("me", "export"), ""),
    (("calibrate", "connect4", "--minutes", "0.01"), ""),
    (("gtp", "--game", "connect4"), "genmove b\nquit\n"),
    (("match", "random", "random", "--game", "connect4", "-n", "2"), ""),
)
