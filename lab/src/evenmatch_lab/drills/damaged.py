"""Drills of files that are cut short or hold garbage: commands refuse them in one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from evenmatch_lab.drills import jobs, programs
from evenmatch_lab.drills.drill import Outcome, Task

PERSON = "Ada"


def play_some(folder: Path, given: str, new: bool = False) -> list[int]:
    """Play lines of an unfinished game of Connect Four, and leave it; return its moves."""
    words = ["connect4", "-o", "random", "--seed", "1", "--name", PERSON]
    words = words if new else ["connect4-1"]
    programs.run(programs.command("play", *words), folder, given=f"{given}quit\n")
    return unfinished(folder)


def unfinished(folder: Path) -> list[int]:
    """Return the moves of the latest unfinished game in a folder's state."""
    from evenmatch.profiles import Profile

    profile = Profile(folder / "state")
    kept = profile.games.unfinished()
    profile.close()
    return list(kept[0].saved.actions) if kept else []


def snapshot(folder: Path) -> dict[str, str]:
    """Return what is in the files of a folder, but for those that only lock."""
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".lock"]
    return {str(path.relative_to(folder)): jobs.digest(path) for path in paths}


TRAIN = ["train", "connect4", "--preset", "tiny", "--seed", "1", "--out", "run"]

#: What reads which files, in a folder with the words' paths.
READERS: tuple[tuple[str, Sequence[Sequence[str]]], ...] = (
    ("state/profile.sqlite", (["me", "--name", PERSON], ["play", "--resume"], ["play", "--saved"])),
    ("state/curves/*.json", (["players", "style"], ["match", "style", "random", "-g", "connect4"])),
    ("run/*", ([*TRAIN, "--resume"],)),
    ("run/replay/*", ([*TRAIN, "--resume"],)),
    ("results/*.json", (["experiment", "elo_table", "--quick", "--pages", "--out", "results"],)),
    ("data/*", (["dataset", "info", "data"],)),
    (
        "curves/curve.games.json",
        (["calibrate", "connect4", "--minutes", "0.001", "--out", "curves/curve.json"],),
    ),
    ("games.pgn", (["estimate", "games.pgn", "--no-engine", "--fast"],)),
)


def files(task: Task) -> Outcome:
    """Damage one file after another, and let commands read it."""
    outcome, sound = Outcome(), task.folder / "sound"
    _make(sound, task)
    there = [(pattern, commands) for pattern, commands in READERS if any(sound.glob(pattern))]
    outcome.check(len(there) == len(READERS) or task.quick, "what is to be damaged is missing")
    for number in range(task.times(160, 9)):
        pattern, commands = there[number % len(there)]
        paths = sorted(path for path in sound.glob(pattern) if path.is_file())
        path, words = task.rng.choice(paths), task.rng.choice(commands)
        folder = task.folder / "damaged"
        shutil.copytree(sound, folder)
        victim = folder / path.relative_to(sound)
        how = _damage(victim, task)
        after = victim.read_bytes()
        ended = programs.here(_within(folder, words), folder / "state")
        outcome.runs += 1
        outcome.seen["refused in one line"] += ended.refused
        outcome.seen["read all the same"] += ended.code == 0
        name = f"{path.relative_to(sound)} {how}, {' '.join(words)}"
        outcome.check(ended.refused or ended.fine, f"{name}: {ended}")
        if ended.refused and after:  # of an empty file nothing can be lost
            same = victim.exists() and victim.read_bytes() == after
            outcome.check(same, f"{name}: the file was changed")
        shutil.rmtree(folder)
    return outcome


def _within(folder: Path, words: Sequence[str]) -> list[str]:
    """Return words with the paths of a folder."""
    return [str(folder / x) if x.partition("/")[0] in PATHS else x for x in words]


PATHS = {"run", "results", "data", "curves", "games.pgn"}


def _damage(path: Path, task: Task) -> str:
    """Damage a file; say how."""
    data, rng = path.read_bytes(), task.rng
    garbage: dict[str, Callable[[], bytes]] = {
        "cut short": lambda: data[: rng.randrange(max(len(data), 1))],
        "empty": lambda: b"",
        "of garbage": lambda: rng.randbytes(max(len(data), 100)),
        "of zeros": lambda: bytes(len(data)),
        "with garbage in it": lambda: _changed(data, rng),
        "of braces": lambda: b"[" * 100_000,
        "of other JSON": lambda: rng.choice((b"null", b"[1]", b'{"a": {}}', b"1e999", b'"x"')),
    }
    how = rng.choice(list(garbage))
    path.write_bytes(garbage[how]())
    return how


def _changed(data: bytes, rng) -> bytes:
    at = rng.randrange(max(len(data), 1))
    return data[:at] + rng.randbytes(8) + data[at + 8 :]


def _make(folder: Path, task: Task) -> None:
    """Fill a folder with what is kept of games, a dataset, a training, results, a calibration.

    In the quick form without the last three, and without games to estimate.
    """
    import evenmatch

    folder.mkdir()
    state = folder / "state"
    play_some(folder, "4\n3\n", new=True)
    (folder / "games.pgn").write_text(jobs.some_games(40, task.seed))
    (state / "curves").mkdir()
    shipped = Path(evenmatch.__file__).parent / "nets" / "connect4-style-curve.json"
    shutil.copy(shipped, state / "curves" / "connect4-style.json")
    programs.here(_within(folder, ["dataset", "build", "games.pgn", "--out", "data"]), state)
    if task.quick:
        (folder / "games.pgn").unlink()  # an estimate loads networks
        return
    for words in (
        TRAIN,
        ["experiment", "elo_table", "--quick", "--out", "results"],
        ["calibrate", "connect4", "--minutes", "0.02", "--out", "curves/curve.json"],
    ):
        programs.here(_within(folder, words), state)
