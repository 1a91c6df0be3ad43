"""Tasks in this process and in others: results, errors, retries, and what a command prints."""

import os
import pickle
import signal
import sys
import time
from functools import partial

import pytest
from task_works import (
    fails_oddly,
    is_killed,
    is_killed_once,
    leaves_a_folder,
    number,
    process_of,
    refuses,
    returns_a_generator,
    returns_its_progress,
    waits,
)
from typer.testing import CliRunner

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.cli import app
from evenmatch.frontends.cli.parts import Retries
from evenmatch.network.processor import core_count
from evenmatch.progress import ignore
from evenmatch.workshop.ray_tasks import executor
from evenmatch.workshop.tasks import RETRIES, InlineExecutor, ProcessExecutor, run_tasks
from evenmatch_lab.runner import Experiment, Part, run

two_cores = pytest.mark.skipif(core_count() < 2, reason="one core here")


def some_parts(quick):
    return {
        "a": Part({}, number),
        "b": Part({}, number, needs=("a",)),
        "c": Part({}, number),
        "d": Part({}, number, needs=("b", "c")),
    }


def some_page(results):
    return [f"{key}: {row['number']}" for key, row in results.items()]


SOME = Experiment("some", "Some parts", some_parts, some_page)


def ready(work):
    return lambda: work


@two_cores
def test_parts_that_need_others_come_to_the_same(tmp_path):
    """Needed parts run first, and a second run repeats nothing."""
    heard, ended = [], []

    def started(key):
        heard.append(key)
        return ignore

    page = run(SOME, tmp_path, started=started, executor=ProcessExecutor(2), finished=ended.append)
    alone = run(SOME, tmp_path / "alone")
    for one in (page, alone):
        rows = {line for line in one.read_text().splitlines() if line[1:3] == ": "}
        assert rows == {"a: 1", "b: 2", "c: 1", "d: 4"}
    assert sorted(heard) == sorted(ended) == list("abcd")
    heard.clear()
    run(SOME, tmp_path, started=started, executor=ProcessExecutor(2))
    assert heard == []


@pytest.mark.parametrize("make", [InlineExecutor, lambda: ProcessExecutor(1)])
def test_progress_is_reported_to_its_end(make):
    heard = []
    started = lambda key: lambda *counts: heard.append((key, *counts))  # noqa: E731
    assert dict(run_tasks({"a": ready(returns_its_progress)}, make(), started)) == {"a": {}}
    assert heard[-1] == ("a", 2, 2)


def test_after_the_deadline_no_task_starts():
    """Not even while one waits for another that never starts."""
    tasks = {"a": ready(process_of), "b": lambda: None}
    assert not dict(run_tasks(tasks, InlineExecutor(), deadline=time.monotonic()))


@two_cores
def test_processes_run_many_tasks_and_share_the_cores():
    tasks = {str(n): ready(process_of) for n in range(9)}
    found = dict(run_tasks(tasks, ProcessExecutor(2)))
    assert found.keys() == tasks.keys()
    assert len({row["process"] for row in found.values()}) <= 2
    assert {row["threads"] for row in found.values()} == {str(core_count() // 2)}


@two_cores
def test_a_task_whose_process_is_killed_runs_again_and_no_other(tmp_path):
    tasks = {key: ready(partial(is_killed_once, tmp_path)) for key in "abc"}
    lost = []
    found = dict(run_tasks(tasks, ProcessExecutor(2), on_retry=lambda *what: lost.append(what)))
    assert found == {key: {"key": key} for key in "abc"}
    assert lost == [("b", "its process ended, SIGKILL(-9)")]


@two_cores
def test_a_process_that_is_killed_while_idle_is_replaced():
    found, killed = [], []

    def third():
        if not found:
            return None
        if len(killed) == 0:
            killed.append(found[0])
            os.kill(found[0], signal.SIGKILL)
        return process_of

    tasks = {"a": ready(process_of), "b": ready(process_of), "c": third}
    for _, row in run_tasks(tasks, ProcessExecutor(2)):
        found.append(row["process"])
    assert len(found) == 3


@two_cores
@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (refuses, UsageError, "a cannot be"),
        (fails_oddly, StateError, "OddError: this and that"),
        (returns_a_generator, (TypeError, pickle.PicklingError), "pickle"),
        (is_killed, StateError, f"a was lost {RETRIES + 1} times .its process ended, SIGKILL"),
    ],
)
def test_an_error_stops_all_tasks(work, error, message):
    """At once: the other task would take ten minutes."""
    with pytest.raises(error, match=message):
        dict(run_tasks({"a": ready(work), "b": ready(waits)}, ProcessExecutor(2)))


def test_temporary_folders_of_processes_vanish(tmp_path):
    """Such as those of networks that were sent: of one that is killed and of one that ends."""
    notes = tmp_path / "notes"
    dict(run_tasks({"a": ready(partial(leaves_a_folder, notes))}, ProcessExecutor(1)))
    folders = notes.read_text().splitlines()
    assert [os.path.exists(folder) for folder in folders] == [False, False]


@pytest.mark.parametrize(
    ("jobs", "kind"), [(None, InlineExecutor), (1, InlineExecutor), (2, ProcessExecutor)]
)
def test_without_a_cluster_tasks_run_here(monkeypatch, jobs, kind):
    monkeypatch.setattr("evenmatch.workshop.tasks.core_count", lambda: 2)
    with executor(None, jobs) as made:
        assert type(made) is kind


@pytest.mark.parametrize("jobs", [0, -1, 10**6])
def test_there_is_a_core_for_each_job(jobs):
    with pytest.raises(UsageError, match=f"{jobs} jobs at once; give 1 to {core_count()}"):
        executor(None, jobs)


def test_a_cluster_without_ray(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ["experiment", "elo_table", "--quick", "--cluster", "auto", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "pip install 'evenmatch[cluster]'" in result.output
    assert not list(tmp_path.iterdir())


def test_retries_are_reported_and_counted(capsys):
    retries = Retries()
    retries.tell()
    assert capsys.readouterr().err == ""
    retries("a", "its machine was lost")
    retries("a", "its process ended")
    retries.tell()
    assert capsys.readouterr().err.splitlines() == [
        "note: a begins again: its machine was lost",
        "note: a begins again: its process ended",
        "2 lost parts done again",
    ]


def test_retries_are_counted_after_an_interruption_too(monkeypatch, tmp_path):
    def interrupted(*args):
        args[-1]("a", "its machine was lost")
        raise KeyboardInterrupt

    monkeypatch.setattr("evenmatch_lab.runner.run", interrupted)
    result = CliRunner().invoke(app, ["experiment", "elo_table", "--quick", "--out", str(tmp_path)])
    lines = result.output.splitlines()
    assert lines[-2:][0] == "1 lost part done again"
    assert "Interrupted; finished parts are kept" in lines[-1]
