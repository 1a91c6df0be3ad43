"""Drills in their quick form, and that they notice what is wrong."""

import subprocess
import sys
import time

import pytest

from evenmatch_lab.drills import __main__ as program
from evenmatch_lab.drills import disks, engines, games, jobs, programs
from evenmatch_lab.drills.drill import Drill, Outcome, Task
from evenmatch_lab.drills.table import DRILLS

#: Those that take seconds; the full form runs all.
QUICK = ("terminal_game", "full_disk", "files", "engines", "networks")


@pytest.mark.parametrize("name", QUICK)
def test_nothing_is_lost(name, tmp_path):
    outcome = DRILLS[name].run(Task(tmp_path, 1, quick=True))
    assert outcome.wrong == []
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.runs > 0


def lossy(task):
    return Outcome(3, wrong=["a move is gone"] * task.seed)


def idle(task):
    return Outcome()


def skipped(task):
    return Outcome(skipped=disks.NO_DISK)


def test_a_drill_that_never_came_to_it_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(DRILLS, "forest", Drill("a", "b", "c", f"{__name__}:idle"))
    assert program.run(["forest"], True, 1, None) == 1
    assert "it never came to what the drill is of" in capsys.readouterr().out


def test_a_drill_that_is_skipped_has_no_row(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(DRILLS, "full_disk", Drill("a", "b", "c", f"{__name__}:skipped"))
    assert program.run(["full_disk"], True, 1, tmp_path / "drills.json") == 0
    assert not (tmp_path / "drills.json").exists()
    assert "skipped, for a small disk" in capsys.readouterr().out


#: Counts to ten, a number a file; kills of it lose nothing, or, asked to, all.
COUNTER = """
import os, sys, time
from pathlib import Path
kept = Path("work/count")
for number in range(int(kept.read_text()) if kept.exists() else 0, 10):
    time.sleep(0.05)
    if "careless" in sys.argv:
        kept.write_text("")
        time.sleep(0.05)
    Path("work/new").write_text(str(number + 1))
    os.replace("work/new", kept)
"""


def counting(*words):
    def count(folder):
        path = folder / "work" / "count"
        return int(path.read_text()) if path.exists() else 0

    def words_of(folder):
        return [sys.executable, "-c", COUNTER, *words]

    return jobs.Job(words_of, count, count, "work")


def folder_of(tmp_path, name):
    (tmp_path / name).mkdir()
    return Task(tmp_path / name, 1)


def test_jobs_that_go_on_pass_and_those_that_lose_do_not(tmp_path):
    sound = jobs.killed(folder_of(tmp_path, "sound"), counting(), 6)
    assert sound.wrong == []
    assert sound.runs == 6
    careless = jobs.killed(folder_of(tmp_path, "careless"), counting("careless"), 40)
    assert careless.wrong


def test_another_result_is_noticed(tmp_path):
    job = counting()
    ends = iter([10, 9] + [9] * 9)
    other = jobs.Job(job.words, lambda folder: next(ends), job.done, job.work)
    outcome = jobs.killed(folder_of(tmp_path, "other"), other, 2)
    assert outcome.wrong == ["killed0: another result"]


@pytest.mark.parametrize(
    ("code", "errors", "refused"),
    [
        (2, "error: no\n", True),
        (2, "note: so\nerror: no\n", True),
        (2, "error: no\nTraceback\n", False),
        (1, "error: no\n", False),
        (2, "", False),
    ],
)
def test_what_a_refusal_is(code, errors, refused):
    assert programs.Ended(code, "", errors).refused is refused


def test_a_traceback_within_this_process_is_noticed(monkeypatch, tmp_path):
    def fails(*_, **__):
        raise ZeroDivisionError("of no use")

    monkeypatch.setattr("evenmatch.frontends.commands.matches.match", fails)
    ended = programs.here(["match", "random", "random", "--game", "connect4"], tmp_path)
    assert (ended.code, ended.refused, ended.fine) == (1, False, False)
    assert "ZeroDivisionError: of no use" in str(ended)


def test_an_engine_that_runs_on_is_noticed(monkeypatch):
    process = subprocess.Popen(
        [sys.executable, str(engines.FAKE), "uci", "hang"], stdin=subprocess.PIPE
    )  # it ends where its input does
    try:
        by = time.monotonic() + 30  # until it is that program
        while process.pid not in engines._running() and time.monotonic() < by:
            time.sleep(0.05)
        assert process.pid in engines._running()
    finally:
        process.kill()
        process.communicate()


def test_losses_of_other_drills_are_told():
    seen = {"kills": 3, "moves": 9, "gone": 2}
    assert games.told(seen, False, ("gone",)) == Outcome(3, {"moves": 9}, ["2 gone"])
    assert games.told(seen | {"gone": 0}, False, ("gone",)).wrong == ["not enough was played"]


def test_games_to_build_of_are_read(tmp_path):
    from evenmatch.workshop.datasets.build import build
    from evenmatch.workshop.datasets.dataset import Dataset

    (tmp_path / "games.pgn").write_text(jobs.some_games(60, 1))
    assert len(build([tmp_path / "games.pgn"], tmp_path / "data")) == 60
    assert Dataset.open(tmp_path / "data").facts["skipped"] == {}
    assert jobs.some_games(3, 1) == jobs.some_games(3, 1)
