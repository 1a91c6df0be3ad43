"""A drill of self-play on Ray: machines and the learner are killed, and the training goes on.

The cluster is Ray's own for tests: a head without cores and two nodes of one core each, which are
processes of this machine. Ray kills a node as ``kill -9`` does: with all that runs on it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

from evenmatch.workshop.cluster.ray_tasks import SETTINGS
from evenmatch_lab.drills import programs
from evenmatch_lab.drills.drill import Outcome, Task
from evenmatch_lab.drills.jobs import iterations, of_training, trained, undisturbed

WORKERS = 2
NO_RAY = "for want of Ray: pip install 'evenmatch[cluster]'"
MOST_KILLS = 3  #: of one training


def self_play(task: Task) -> Outcome:
    """Kill nodes, and the learner itself, at random moments of trainings by two workers."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        return Outcome(skipped=NO_RAY)
    outcome, alone = Outcome(), task.folder / "alone"
    job = of_training("--workers", str(WORKERS))
    code, longest = undisturbed(job, alone)
    outcome.check(code == 0, f"the training fails undisturbed: status {code}")
    with nodes(Cluster) as cluster:
        number, due = 0, task.times(12, 1)
        while outcome.runs < due and not outcome.wrong:
            folder = task.folder / f"killed{number}"
            folder.mkdir()
            _disturbed(outcome, task, cluster, folder, longest)
            if not outcome.wrong:
                same = _without_losses(trained(folder)) == _without_losses(trained(alone))
                outcome.check(same, f"{folder.name}: another result")
            number += 1
    return outcome


def _disturbed(outcome: Outcome, task: Task, cluster: Any, folder: Path, longest: float) -> None:
    """Do a training to its end on the cluster, and kill a few times meanwhile."""
    more = ("--workers", str(WORKERS), "--cluster", cluster.address)
    job, log = of_training(*more), folder / "log"
    process, kept = programs.start(job.words(folder), folder, log), 0
    for _ in range(task.rng.randint(1, MOST_KILLS)):
        if not _has_begun(process, folder / job.work):
            break
        time.sleep(task.rng.uniform(0, longest))
        if process.poll() is not None:
            break
        if task.rng.random() < 0.5:
            programs.kill(process)
            process = programs.start(job.words(folder), folder, log)
            outcome.seen["learners killed"] += 1
        else:
            _lose_a_node(task, cluster)
            outcome.seen["nodes killed"] += 1
        outcome.runs += 1
        now = iterations(folder)
        outcome.check(now >= kept, f"{folder.name}: {now} of {kept} iterations left")
        kept = now
    code = process.wait(programs.LONGEST)
    outcome.check(code == 0, f"{folder.name}: status {code}: {log.read_text()[-300:]}")
    *_, rows = trained(folder)
    outcome.seen["parts played again, as was said"] += sum(r.get("parts_lost", 0) for r in rows)


def _lose_a_node(task: Task, cluster: Any) -> None:
    """Kill one of the two nodes, and let another join."""
    workers = [node for node in cluster.list_all_nodes() if node is not cluster.head_node]
    cluster.remove_node(task.rng.choice(workers), allow_graceful=False)
    cluster.add_node(num_cpus=1)


def _has_begun(process: Popen, folder: Path) -> bool:
    """Wait until a training writes, and return whether it still runs."""
    until = time.monotonic() + programs.LONGEST
    while not programs.entries(folder) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    return process.poll() is None


def _without_losses(result: Any) -> Any:
    """Return what a training ended with, but for how many parts were lost meanwhile."""
    *kept, rows = result
    return kept, [{key: row[key] for key in row if key != "parts_lost"} for row in rows]


@contextmanager
def nodes(cluster: Any) -> Iterator[Any]:
    """Yield a cluster of two nodes of one core, which end with it."""
    os.environ |= SETTINGS | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    made = cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        for _ in range(WORKERS):
            made.add_node(num_cpus=1)
        yield made
    finally:
        made.shutdown()
