"""Parts on a cluster of two nodes of this machine: as alone, whatever is lost meanwhile.

It takes Ray, and is skipped without.
"""

import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import ray_works

from evenmatch import __version__
from evenmatch.errors import StateError, UsageError
from evenmatch.workshop.tasks import RETRIES, Shared, run_tasks

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'evenmatch[cluster]'")

from ray.cluster_utils import Cluster  # noqa: E402

from evenmatch.workshop.ray_tasks import SETTINGS, RayExecutor  # noqa: E402

#: A lost node is noticed within two seconds, not half a minute.
SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 3,
}


@pytest.fixture(scope="module")
def head():
    """A cluster whose head has no cores, so that it does no part."""
    with pytest.MonkeyPatch.context() as patch:
        here = str(Path(ray_works.__file__).parent)
        patch.setenv("PYTHONPATH", os.pathsep.join([here, *filter(None, sys.path)]))
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": SOON})
        yield made
        made.shutdown()


@pytest.fixture
def nodes(head):
    """Two nodes of one core; those that a test before left are used again."""
    made = [node for node in head.list_all_nodes() if not node.head]
    made += [head.add_node(num_cpus=1) for _ in range(2 - len(made))]
    yield made
    ray.shutdown()


def ready(work):
    return lambda: work


def test_parts_are_done_on_both_nodes_and_progress_is_heard(head, nodes, tmp_path):
    """However long that takes: a part ends when the progress of both was heard."""
    heard = {key: [] for key in "ab"}

    def hears(key):
        def progress(*count):
            heard[key].append(count)
            (tmp_path / key).touch()

        return progress

    works = {
        key: ready(partial(ray_works.waits_until_heard, tmp_path, len(heard))) for key in heard
    }
    found = dict(run_tasks(works, RayExecutor(head.address), hears))
    assert {row["node"] for row in found.values()} == {node.node_id for node in nodes}
    assert heard == {key: [(1, 2)] for key in heard}


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (ray_works.refuses, UsageError, "a cannot be"),
        (ray_works.is_killed, StateError, f"a was lost {RETRIES + 1} times .its process ended."),
    ],
)
def test_what_goes_wrong_ends_all(head, nodes, work, error, message):
    """At once: the other part would take ten minutes."""
    works = {"a": ready(work), "b": ready(partial(ray_works.waits, 600))}
    with pytest.raises(error, match=message):
        dict(run_tasks(works, RayExecutor(head.address)))


def test_a_node_with_another_version_is_refused(head, nodes, monkeypatch):
    monkeypatch.setattr("evenmatch.workshop.ray_tasks.__version__", "0.0.0")
    works = {"a": ready(partial(ray_works.waits, 0))}
    message = f"has evenmatch {__version__}, not 0.0.0; install the same on both"
    with pytest.raises(StateError, match=message):
        dict(run_tasks(works, RayExecutor(head.address)))


def test_what_is_shared_comes_whole_and_is_stored_once(head, nodes):
    table = Shared(np.arange(100_000))
    works = {key: ready(partial(ray_works.adds_up, table, table)) for key in "abc"}
    executor = RayExecutor(head.address)
    found = dict(run_tasks(works, executor))
    assert found == {key: {"sum": 2 * int(table.value.sum())} for key in "abc"}
    assert len(executor._stored) == 1


def test_a_node_lost_in_the_middle_of_a_training_changes_no_network(
    head, nodes, tmp_path, monkeypatch
):
    """The part of its worker is played again on the other node, and is counted."""
    pytest.importorskip("torch", reason="training needs the [train] extra")
    from evenmatch.workshop.training import workers
    from evenmatch.workshop.training.alphazero import train

    alone = train("connect4", "tiny", tmp_path / "alone", seed=5, workers=2)
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    monkeypatch.setattr(workers, "play_on", partial(ray_works.meets, meeting, workers.play_on))
    loses = Thread(target=lose_one, args=(head, nodes[0], meeting))
    loses.start()
    there = train(
        "connect4",
        "tiny",
        tmp_path / "there",
        seed=5,
        workers=2,
        executor=RayExecutor(head.address),
    )
    loses.join()
    assert there.read_bytes() == alone.read_bytes()
    rows = (there.parent / "progress.jsonl").read_text().splitlines()
    assert [json.loads(row).get("parts_lost") for row in rows] == [1, None]


def lose_one(head, node, meeting):
    """Remove a node once parts are played on two."""
    by = time.monotonic() + 120
    while len(list(meeting.iterdir())) < 2 and time.monotonic() < by:
        time.sleep(0.05)
    head.remove_node(node, allow_graceful=False)
    (meeting / ray_works.LOST).touch()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "host:none"])
def test_no_cluster_is_told_of(address):
    with pytest.raises(UsageError, match=f"no cluster answers at '{address}' .*; start one with"):
        RayExecutor(address)
