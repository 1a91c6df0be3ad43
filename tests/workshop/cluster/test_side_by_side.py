"""Parts of an experiment in processes of their own."""

import atexit
import os
import pickle
import signal
import time
from functools import partial

import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch.progress import ignore
from evenmatch.workshop.cluster import Here, Processes, side_by_side
from evenmatch.workshop.cluster.cores import claimed, cores, shares
from evenmatch.workshop.cluster.side_by_side import RETRIES
from evenmatch_lab.runner import Experiment, Part, run

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


def process_of(key, progress):
    return {"process": os.getpid()}


def is_killed_once(folder, key, progress):
    if key == "b" and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"key": key}


def says_a_lambda(key, progress):
    return {"key": lambda: None}


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

    def started(key):
        heard.append(key)
        return ignore

    page = run(SOME, tmp_path, started=started, executor=Processes(2), finished=ended.append)
    alone = run(SOME, tmp_path / "alone")
    numbers = {line for line in page.read_text().splitlines() if line[1:3] == ": "}
    assert numbers == {"a: 1", "b: 2", "c: 1", "d: 4"}
    assert numbers == {line for line in alone.read_text().splitlines() if line[1:3] == ": "}
    assert sorted(heard) == sorted(ended) == list("abcd")
    heard.clear()
    run(SOME, tmp_path, started=started, executor=Processes(2))
    assert heard == []


@pytest.mark.parametrize("executor", [Here, lambda: Processes(1)])
def test_it_ends_when_it_is_late_and_a_part_waits_for_another(executor):
    """The one that ran is done; nobody waits for ever for what never begins."""
    done = []
    works = {"a": ready(process_of), "b": lambda: None}
    for key, _ in side_by_side(works, executor(), late=lambda: bool(done)):
        done.append(key)
    assert done == ["a"]


class OddError(Exception):
    """Cannot be made again from what pickle keeps of it."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fails_oddly(key, progress):
    raise OddError("this", "that")


def test_errors_that_cannot_be_sent_are_told_in_words():
    with pytest.raises(StateError, match="OddError: this and that"):
        dict(side_by_side({"a": ready(fails_oddly)}, Processes(1)))


def leaves_at_its_end(path, key, progress):
    atexit.register(path.touch)
    return {}


def test_processes_clean_up_at_their_end(tmp_path):
    dict(side_by_side({"a": ready(partial(leaves_at_its_end, tmp_path / "clean"))}, Processes(1)))
    assert (tmp_path / "clean").exists()


@two_cores
def test_a_process_does_many_parts():
    works = {str(n): ready(process_of) for n in range(9)}
    found = dict(side_by_side(works, Processes(2)))
    assert found.keys() == works.keys()
    assert len({row["process"] for row in found.values()}) <= 2


@two_cores
def test_a_part_whose_process_is_killed_begins_again(tmp_path):
    """It is told how it was lost; what comes of it, and of the others, is as if it had not been."""
    works = {key: ready(partial(is_killed_once, tmp_path)) for key in "abc"}
    lost = []
    found = dict(side_by_side(works, Processes(2), lost=lambda *what: lost.append(what)))
    assert found == {key: {"key": key} for key in "abc"}
    assert lost == [("b", "its process ended, by signal 9")]


@two_cores
def test_a_process_that_is_killed_between_parts_is_replaced():
    """Once it has nothing to do, while the other part goes on: the third part gets another."""
    ids = []

    def third():
        if not ids:
            return None
        os.kill(ids[0], signal.SIGKILL)
        time.sleep(0.1)
        return process_of

    works = {"a": ready(process_of), "b": ready(process_of), "c": third}
    for _, row in side_by_side(works, Processes(2)):
        ids.append(row["process"])
    assert len(ids) == 3


@two_cores
def test_what_a_process_cannot_say_is_an_error():
    with pytest.raises((AttributeError, pickle.PicklingError), match=r"says_a_lambda|pickle"):
        dict(side_by_side({"a": ready(says_a_lambda)}, Processes(2)))


def test_cores_are_claimed_by_one_alone():
    every = cores()
    with claimed(len(every)):
        assert cores() == every
        with claimed(1):  # none is left
            assert cores() == every
    with claimed(1):
        assert len(cores()) == 1 or not hasattr(os, "sched_setaffinity")
    assert cores() == every


@two_cores
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
def test_each_process_has_its_own_cores():
    works = {key: ready(cores_of) for key in "ab"}
    found = dict(side_by_side(works, Processes(2)))
    assert {key: row["key"] for key, row in found.items()} == {"a": "a", "b": "b"}
    every = sorted(os.sched_getaffinity(0))
    mine = [every[n::2] for n in range(2)]
    assert all(row["cores"] in mine for row in found.values())


@two_cores
@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (refuses, UsageError, "a cannot be"),
        (
            is_killed,
            StateError,
            f"a was lost {RETRIES + 1} times .its process ended, by signal 9.; the",
        ),
    ],
)
def test_what_goes_wrong_ends_all(work, error, message):
    """At once: the other part would take ten minutes."""
    works = {"a": ready(work), "b": ready(waits)}
    start = time.monotonic()
    with pytest.raises(error, match=message):
        dict(side_by_side(works, Processes(2)))
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
