"""Parts of an experiment in processes of their own."""

import os
import signal
import time

import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch_lab.runner import Experiment, Part, run
from evenmatch_lab.side_by_side import shares, side_by_side

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
two_cores = pytest.mark.skipif(CORES < 2, reason="one core here")


def number(progress, done):
    progress(1, 2)
    return {"number": 1 + sum(row["number"] for row in done.values()), "process": os.getpid()}


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


def ignored(key):
    return lambda done, due: None


def cores_of(key, progress):
    return {"cores": sorted(os.sched_getaffinity(0)), "key": key}


def waits(key, progress):
    time.sleep(600)


def refuses(key, progress):
    raise UsageError(f"{key} cannot be")


def is_killed(key, progress):
    os.kill(os.getpid(), signal.SIGKILL)


@two_cores
def test_parts_that_need_others_come_to_the_same(tmp_path):
    """Whatever is done at once: a chain of needs is kept, and nothing is done twice."""
    heard, ended = [], []
    page = run(SOME, tmp_path, started=lambda key: heard.append(key) or ignored(key), jobs=2,
               finished=ended.append)  # fmt: skip
    alone = run(SOME, tmp_path / "alone")
    numbers = {line for line in page.read_text().splitlines() if line[1:3] == ": "}
    assert numbers == {"a: 1", "b: 2", "c: 1", "d: 4"}
    assert numbers == {line for line in alone.read_text().splitlines() if line[1:3] == ": "}
    assert sorted(heard) == sorted(ended) == list("abcd")
    heard.clear()
    run(SOME, tmp_path, started=lambda key: heard.append(key) or ignored(key), jobs=2)
    assert heard == []


@two_cores
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
def test_each_process_has_its_own_cores():
    works = {key: ready(cores_of) for key in "ab"}
    found = dict(side_by_side(works, 2, ignored))
    assert {key: row["key"] for key, row in found.items()} == {"a": "a", "b": "b"}
    every = sorted(os.sched_getaffinity(0))
    mine = [every[n::2] for n in range(2)]
    assert all(row["cores"] in mine for row in found.values())


@two_cores
@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (refuses, UsageError, "a cannot be"),
        (is_killed, StateError, "a was ended from outside; the same command goes on"),
    ],
)
def test_what_goes_wrong_ends_all(work, error, message):
    """At once: the other part would take ten minutes."""
    works = {"a": ready(work), "b": ready(waits)}
    start = time.monotonic()
    with pytest.raises(error, match=message):
        dict(side_by_side(works, 2, ignored))
    assert time.monotonic() - start < 300


def test_there_is_a_core_for_each_job():
    for jobs in range(1, CORES + 1):
        found = shares(jobs)
        assert len(found) == jobs
        assert sorted(len(share) for share in found)[0] == CORES // jobs
        assert len({core for share in found for core in share}) == CORES
    for jobs in (0, CORES + 1):
        with pytest.raises(UsageError, match=f"{jobs} jobs at once; give 1 to {CORES}"):
            shares(jobs)
