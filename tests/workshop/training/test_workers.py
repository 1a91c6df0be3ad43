"""Workers of self-play: alone, side by side, lost, and interrupted."""

import json
import os
import time
from dataclasses import replace
from functools import partial

import numpy as np
import part_works
import pytest

pytest.importorskip("torch", reason="training needs the [train] extra")

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.workshop.tasks import InlineExecutor, ProcessExecutor
from evenmatch.workshop.training import workers as training_workers
from evenmatch.workshop.training.alphazero import train
from evenmatch.workshop.training.presets import PRESETS
from evenmatch.workshop.training.runs import Quiet
from evenmatch.workshop.training.workers import Workers, joined, share_of

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
two_cores = pytest.mark.skipif(CORES < 2, reason="one core here")

TINY = PRESETS["tiny"]["connect4"]


class KilledError(Exception):
    """Stands for a kill at an arbitrary moment."""


class KillAt(Quiet):
    def __init__(self, iteration, phase):
        self.left, self.name = iteration - 1, phase

    def phase(self, name, done, due, **numbers):
        if self.left == 0 and name == self.name:
            raise KilledError

    def iteration(self, row):
        self.left -= 1


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network as a training begins with."""
    out = tmp_path_factory.mktemp("begun")
    with pytest.raises(KilledError):
        train("connect4", "tiny", out, seed=5, listener=KillAt(1, "self-play"))
    return (out / "network.onnx").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    return train("connect4", "tiny", out, seed=5, workers=2).read_bytes()


def some_workers(**how):
    return Workers(get_game("connect4"), TINY, 7, **how)


def samples_of(delivered):
    return joined([one.samples for one in delivered])


def test_shares_are_the_games_and_positions_of_the_preset():
    shares = [share_of(TINY, 3 * 2, 3, number) for number in (1, 2, 3)]
    assert [share.games for share in shares] == [6, 5, 5]  # of 16
    assert {share.positions for share in shares} == {34}  # of 200
    assert shares[0] == replace(TINY, games=6, positions=34)
    assert share_of(TINY, 1, 1, 1) == TINY


def test_more_workers_than_games():
    with pytest.raises(UsageError, match="17 workers share 16 games; ask for 16 at most"):
        some_workers(count=17)


def test_workers_play_games_of_their_own(network):
    heard = []
    with some_workers(count=2) as workers:
        found = workers.play(network, 3, lambda *told: heard.append(told))
    assert [one.worker for one in found] == ["worker 1", "worker 2"]
    assert {one.iteration for one in found} == {3}
    assert all(len(one.samples.states) >= TINY.positions / 2 for one in found)
    first, second = ({bytes(state) for state in one.samples.states} for one in found)
    assert len(first & second) < len(first) / 2
    assert heard[-1][0] == len(samples_of(found).states)
    assert sum(one.games for one in found) == workers.games_finished > 0
    assert all(one.evaluations > len(one.samples.states) for one in found)


def test_a_state_goes_on_to_the_same_positions(network):
    with some_workers(count=2) as one:
        one.play(network, 0)
        kept = one.state_dict()
        expected = samples_of(one.play(network, 1))
    with some_workers(count=2) as other:
        other.load_state_dict(kept)
        found = samples_of(other.play(network, 1))
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


@two_cores
def test_a_run_in_processes_ends_in_the_same_bytes(undisturbed, tmp_path):
    there = train("connect4", "tiny", tmp_path, seed=5, workers=2, executor=ProcessExecutor(2))
    assert there.read_bytes() == undisturbed


@pytest.mark.parametrize("moment", [(1, "self-play"), (2, "self-play")])
def test_a_killed_run_goes_on_to_the_same_network(moment, undisturbed, tmp_path):
    with pytest.raises(KilledError):
        train("connect4", "tiny", tmp_path, seed=5, workers=2, listener=KillAt(*moment))
    again = train("connect4", "tiny", tmp_path, seed=5, workers=2, resume=True)
    assert again.read_bytes() == undisturbed


def test_a_part_that_is_lost_is_played_again(network, tmp_path, monkeypatch):
    with some_workers() as alone:
        expected = samples_of(alone.play(network, 0))
    monkeypatch.setattr(training_workers, "play_on", partial(part_works.killed_once, tmp_path))
    with some_workers(executor=ProcessExecutor(1)) as workers:
        found = samples_of(workers.play(network, 0))
    assert workers.lost == 1
    np.testing.assert_array_equal(expected.states, found.states)


@two_cores
def test_nobody_waits_for_a_slow_worker_who_plays_freely(network, monkeypatch):
    """While the learner learns, the other goes on; the slow one sleeps for ten minutes."""
    monkeypatch.setattr(training_workers, "play_on", partial(part_works.slowly, "worker 1", 600))
    with some_workers(count=2, free=True, executor=ProcessExecutor(2)) as workers:
        found = workers.play(network, 0)
        assert {one.worker for one in found} == {"worker 2"}
        assert len(samples_of(found).states) >= TINY.positions
        by = time.monotonic() + 120
        while not workers.state_dict()["delivered"] and time.monotonic() < by:
            workers.look()
            time.sleep(0.1)
        kept = workers.state_dict()
    monkeypatch.undo()
    assert kept["delivered"], "it played on meanwhile"
    with some_workers(count=2) as after:
        after.load_state_dict(kept)
        assert len(after.play(network, 1)) == 2 + len(kept["delivered"]), "nothing is lost"


def test_a_learner_is_not_buried(network):
    """Once an iteration's positions wait, nobody is given a part; here each look would do one."""
    with some_workers(count=2, free=True) as workers:
        workers.play(network, 0)
        for _ in range(20):
            workers._looked = 0.0
            workers.look()
        found = workers.play(network, 1)
    most = TINY.positions + 2 * max(len(one.samples.states) for one in found)  # one of each
    assert TINY.positions <= len(samples_of(found).states) <= most


@pytest.mark.parametrize("often", [0.0, 1000.0])
def test_a_free_run_counts_the_games_of_its_parts(often, tmp_path, monkeypatch):
    """Whether all parts were done while the learner learned, or none."""
    monkeypatch.setattr(training_workers, "OFTEN", often)
    train("connect4", "tiny", tmp_path, seed=5, workers=2, free=True)
    rows = [json.loads(row) for row in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert len(rows) == TINY.iterations
    for row in rows:
        assert 7 <= row["plies_per_game"] <= 90  # parts begin and end in the middle of games
        assert row["positions"] < 2 * TINY.positions


def test_in_order_nobody_plays_while_the_learner_learns(network):
    with some_workers(executor=InlineExecutor()) as workers:
        workers.play(network, 0)
        workers.look()
        assert not workers.state_dict()["delivered"]
