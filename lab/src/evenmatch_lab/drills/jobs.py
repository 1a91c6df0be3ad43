"""Drills of long jobs: killed at random moments, they go on and end as if nothing had been."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenmatch_lab.drills import programs
from evenmatch_lab.drills.drill import Outcome, Task
from evenmatch_lab.drills.programs import command
from evenmatch_lab.result_files import ResultFile, fingerprint

TIMES = {"seconds", "games_per_second", "evaluations_per_second"}
TIMES |= {"self_play_seconds", "learning_seconds"}  #: what a row of training says of its own time
SEED = "1"


@dataclass(frozen=True)
class Job:
    """A program that is killed and started again."""

    words: Callable[[Path], Sequence[str]]  #: by its folder, what starts it or goes on with it
    result: Callable[[Path], Any]  #: of its folder, when it is done
    done: Callable[[Path], int]  #: how much is kept, at any moment; ValueError if it is damaged
    work: str  #: the folder within its own where it writes


def killed(task: Task, job: Job, kills: int) -> Outcome:
    """Kill a job so many times in all; compare each of its ends with an undisturbed one."""
    outcome, alone, log = Outcome(), task.folder / "alone", task.folder / "log"
    code, longest = undisturbed(job, alone)
    if code:
        outcome.wrong.append(f"the job fails undisturbed: {(alone / 'log').read_text()[-300:]}")
        return outcome
    expected, number = job.result(alone), 0
    while outcome.runs < kills and not outcome.wrong:
        folder = task.folder / f"killed{number}"
        (folder / job.work).mkdir(parents=True)
        _to_its_end(outcome, job, folder, log, task.rng, kills, longest)
        if not outcome.wrong:
            outcome.check(job.result(folder) == expected, f"{folder.name}: another result")
        number += 1
    outcome.seen["jobs that ended as undisturbed"] = number - bool(outcome.wrong)
    return outcome


def _to_its_end(
    outcome: Outcome, job: Job, folder: Path, log: Path, rng: random.Random, kills: int, longest
) -> None:
    """Start a job again and again, kill it a few times, then let it end."""
    kept, due = 0, rng.randint(1, 4)
    while due and outcome.runs < kills:
        process = programs.start(job.words(folder), folder, log)
        hit = programs.killed_at_random(process, rng, folder / job.work, longest)
        due -= 1
        if not hit:
            return
        outcome.runs += 1
        try:
            now = job.done(folder)
        except (ValueError, LookupError, OSError) as error:
            outcome.wrong.append(f"{folder.name}: {type(error).__name__}: {error}")
            return
        outcome.check(now >= kept, f"{folder.name}: {now} of {kept} left after a kill")
        kept = max(kept, now)
        outcome.seen["kills after something was kept"] += now > 0
    ended = programs.run(job.words(folder), folder)
    outcome.check(ended.fine, f"{folder.name} does not go on: {ended}")


def undisturbed(job: Job, folder: Path) -> tuple[int, float]:
    """Do a job; return its status, and how long its work took, from its first file on."""
    (folder / job.work).mkdir(parents=True)
    process = programs.start(job.words(folder), folder, folder / "log")
    before = programs.entries(folder / job.work)
    while programs.entries(folder / job.work) == before and process.poll() is None:
        time.sleep(programs.MOMENT)
    began = time.monotonic()
    return process.wait(), max(time.monotonic() - began, 0.1)


# Training


def training(task: Task) -> Outcome:
    """Kill a training by self-play: iterations in a folder."""
    return killed(task, of_training(), task.times(24, 2))


def of_training(*more: str) -> Job:
    """Return the job of a short training, with more words."""

    def words(folder: Path) -> list[str]:
        asked = ["train", "connect4", "--preset", "tiny", "--seed", SEED, "--out", "run", *more]
        return command(*asked, *["--resume"][: (folder / "run" / "run.json").exists()])

    return Job(words, trained, iterations, "run")


def trained(folder: Path) -> Any:
    """Return the network's weights, the positions played, and the numbers of each iteration."""
    from evenmatch.network.artifact import graph_digest

    run = folder / "run"
    replay = {path.name: digest(path) for path in (run / "replay").glob("[0-9]*.npz")}
    rows = [
        {key: value for key, value in row.items() if key not in TIMES} for row in _progress(run)
    ]
    return graph_digest(run / "network.onnx"), replay, rows


def iterations(folder: Path) -> int:
    """Return how many iterations are kept; whatever is there must be whole."""
    from evenmatch.network.artifact import graph_digest

    run = folder / "run"
    if (run / "network.onnx").exists():
        graph_digest(run / "network.onnx")
    return len(_progress(run))


def _progress(run: Path) -> list[dict[str, Any]]:
    path = run / "progress.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def digest(path: Path) -> str:
    """Return a hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


# Experiments

RESULTS = "results/elo_table_quick.json"


def experiment(task: Task) -> Outcome:
    """Kill an experiment."""
    return killed(task, Job(_experiment, _rows, _parts, "results"), task.times(10, 1))


def _experiment(folder: Path) -> list[str]:
    return command("experiment", "elo_table", "--quick", "--out", "results")


def _rows(folder: Path) -> Any:
    rows = ResultFile.read(folder / RESULTS).parts
    assert (folder / RESULTS).with_suffix(".md").exists(), "the page is written"
    return {key: fingerprint([row]) for key, row in rows.items()}


def _parts(folder: Path) -> int:
    return len(ResultFile.read(folder / RESULTS).rows)


# A worker of an experiment


def worker(task: Task) -> Outcome:
    """Kill one of two processes that do an experiment's parts; the experiment itself goes on."""
    outcome = Outcome()
    alone, words = task.folder / "alone", _experiment(task.folder)
    alone.mkdir()
    programs.run(words, alone)
    expected = _rows(alone)
    for number in range(task.times(4, 1)):
        folder = task.folder / f"killed{number}"
        folder.mkdir()
        process = programs.start([*words, "--jobs", "2"], folder, folder / "log")
        until = time.monotonic() + programs.LONGEST
        workers: list[int] = []
        while not workers and process.poll() is None and time.monotonic() < until:
            workers = _workers(process.pid)
            time.sleep(0.01)
        time.sleep(task.rng.uniform(0.2, 3))
        victims = [pid for pid in _workers(process.pid) if process.poll() is None]
        if victims:
            os.kill(task.rng.choice(victims), signal.SIGKILL)
            outcome.runs += 1
        code = process.wait(programs.LONGEST)
        said = (folder / "log").read_text()
        outcome.check(code == 0, f"{folder.name}: status {code}: {said[-200:]}")
        if code == 0:
            outcome.check(_rows(folder) == expected, f"{folder.name}: another result")
        outcome.seen["parts begun again, as was said"] += said.count("begins again")
    return outcome


def _workers(pid: int) -> list[int]:
    """Return the processes that a process started to work for it, but for what watches them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            words = (path.parent / "cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            continue
        if parent == pid and b"spawn_main" in words:
            found.append(int(path.parent.name))
    return found


# Calibration: games are chosen by the time they take, so that time must be the same in each run

CALIBRATE = """
import sys
import time
from itertools import count
from types import SimpleNamespace
from evenmatch.workshop.calibration import calibration
calibration.time = SimpleNamespace(perf_counter=count().__next__)
sys.argv = ["evenmatch", *sys.argv[1:]]
from evenmatch.frontends.cli import main
main()
"""


def calibration(task: Task) -> Outcome:
    """Kill a calibration."""
    return killed(task, of_calibration(), task.times(10, 1))


def of_calibration() -> Job:
    """Return the job of a calibration."""
    return Job(_calibrate, _curve, _batches, "curves")


def _calibrate(folder: Path) -> list[str]:
    words = ["calibrate", "connect4", "--within", "400", "--minutes", "9", "--out"]
    return [sys.executable, "-c", CALIBRATE, *words, "curves/curve.json", "--seed", SEED]


def _curve(folder: Path) -> Any:
    return [digest(folder / "curves" / name) for name in ("curve.json", "curve.games.json")]


def _batches(folder: Path) -> int:
    path = folder / "curves" / "curve.games.json"
    return json.loads(path.read_text())["batches"] if path.exists() else 0


# Datasets


def dataset(task: Task) -> Outcome:
    """Kill the building of a dataset."""
    games = task.times(60_000, 6_000)
    file = task.folder / "games.pgn"
    file.write_text(some_games(games, task.seed))
    outcome = killed(task, of_dataset(file), task.times(20, 1))
    left = [path for path in task.folder.glob("killed*/built/.*") if path.is_dir()]
    outcome.seen["hidden folders of halves left"] = len(left)
    return outcome


def of_dataset(file: Path) -> Job:
    """Return the job that builds a dataset; there is nothing to do where it is whole already."""

    def words(folder: Path) -> list[str]:
        if (folder / "built" / "data").exists():
            return command("dataset", "info", "built/data")
        return command("dataset", "build", str(file), "--out", "built/data")

    return Job(words, _built, _whole, "built")


def _built(folder: Path) -> Any:
    data = folder / "built" / "data"
    return {str(p.relative_to(data)): digest(p) for p in data.rglob("*") if p.is_file()}


def _whole(folder: Path) -> int:
    """Return 1 if the dataset is there; it must be whole."""
    from evenmatch.workshop.datasets.dataset import Dataset

    data = folder / "built" / "data"
    return int(data.exists() and len(Dataset.open(data)) > 0)


def some_games(count: int, seed: int) -> str:
    """Return records of chess: fifty random games, again and again by other people."""
    import chess
    import chess.pgn

    rng, texts = random.Random(seed), []
    for _ in range(min(count, 50)):
        board = chess.Board()
        for _ in range(rng.randint(4, 60)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        moves = chess.Board().variation_san(board.move_stack)
        texts.append(f"{moves} {rng.choice(('1-0', '0-1', '1/2-1/2'))}\n\n")
    return "".join(_heads(n) + texts[n % len(texts)] for n in range(count))


def _heads(number: int) -> str:
    white, black = number % 97, 97 + number % 89
    heads = {"Event": "Rated rapid game", "White": f"p{white}", "Black": f"p{black}"}
    heads |= {"WhiteElo": str(1000 + 10 * white), "BlackElo": str(900 + 5 * black)}
    heads |= {"TimeControl": "600+0", "Date": "2024.01.02"}
    return "".join(f'[{key} "{value}"]\n' for key, value in heads.items()) + "\n"
