"""Teachers are chosen by how well they foresee moves, and their targets are as said."""

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.estimation import Ranks
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.training.ranked import MixedPositions
from evenmatch.workshop.training.teachers import Teachers, with_moves

GAME = Chess()
PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    path = tmp_path_factory.mktemp("teachers")
    random_dataset(path, games=80, shares=(1, 1, 0, 0), bands=PAIRS)
    mixed = MixedPositions(
        [Dataset.open(path / "dataset")],
        GAME,
        split="train",
        samples=3,
        replies=20,
        ranks=Ranks(),
        moves=2,
        planes=112,
    )
    return mixed.draw(np.random.default_rng(1))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    return [random_network(folder / f"{seed}.onnx", seed=seed) for seed in (1, 2)]


def policy_of(path, states):
    """What a network says, legal moves alone; written anew."""
    evaluation = NetworkEvaluator(path, GAME).evaluate(states)
    weights = np.exp(evaluation.logits.astype(float)) * GAME.legal_mask(states)
    return weights / weights.sum(1, keepdims=True)


def test_targets_are_between_the_teacher_and_the_move(batch, paths):
    teachers = Teachers(paths[:1], GAME)
    teachers.choose([batch])
    policy = with_moves(teachers.policies([batch])[0], batch.actions, 0.75)
    wanted = policy_of(paths[0], batch.states)
    rows = np.arange(len(wanted))
    wanted *= 0.75
    wanted[rows, batch.actions] += 0.25
    assert np.allclose(policy, wanted, atol=0.01)  # batches round differently
    assert np.allclose(policy.sum(1), 1, atol=1e-4)


def test_where_the_game_is_over_there_is_no_policy(batch, paths):
    """A random move may give mate, and its position is in the batch; nothing may warn of it."""
    teachers = Teachers(paths[:1], GAME)
    teachers.choose([batch])
    states = batch.states.copy()
    states[0] = GAME.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    with np.errstate(all="raise"):
        [policy] = teachers.policies([batch._replace(states=states)])
    assert policy[0].sum() == pytest.approx(0)
    assert np.allclose(policy[1:].sum(1), 1, atol=1e-4)


def test_each_rating_is_taught_by_who_foresees_it_best(batch, paths):
    teachers = Teachers(paths, GAME)
    teachers.choose([batch])
    rows = np.arange(len(batch.actions))
    chances = [np.log(policy_of(path, batch.states)[rows, batch.actions]) for path in paths]
    policy = teachers.policies([batch])[0]
    said = [policy_of(path, batch.states) for path in paths]
    chosen = set()
    for cell in np.unique(batch.cells):
        own = batch.cells == cell
        best = int(np.argmax([each[own].sum() for each in chances]))
        assert np.allclose(policy[own], said[best][own], atol=0.01)
        chosen.add(best)
    assert chosen == {0, 1}


def test_several_batches_at_once_are_taught_as_each_alone(batch, paths):
    teachers = Teachers(paths, GAME)
    teachers.choose([batch])
    part = type(batch)._make([x[:5] for x in batch[:-1]] + [batch.ranked])
    both = teachers.policies([part, batch])
    assert [len(policy) for policy in both] == [5, len(batch.actions)]
    for one, policy in zip((part, batch), both, strict=True):
        assert np.allclose(policy, teachers.policies([one])[0], atol=0.01)


def test_ratings_that_were_never_seen_are_taught_by_the_best_of_all(batch, paths):
    teachers = Teachers(paths, GAME)
    teachers.choose([batch])
    rows = np.arange(len(batch.actions))
    sums = [np.log(policy_of(x, batch.states)[rows, batch.actions]).sum() for x in paths]
    strange = batch._replace(cells=np.full_like(batch.cells, 999))
    wanted = policy_of(paths[int(np.argmax(sums))], batch.states)
    assert np.allclose(teachers.policies([strange])[0], wanted, atol=0.01)


def test_positions_in_which_a_draw_can_be_claimed_are_taught_too(batch, paths):
    teachers = Teachers(paths, GAME)
    teachers.choose([batch])
    state = GAME.from_fen("8/8/8/8/8/4k3/8/4K2R w - - 100 90")
    action = int(GAME.unclaimed(state[None])[0][0, 0])
    one = batch._replace(
        states=state[None], cells=batch.cells[:1], actions=np.array([action]), values=np.zeros(1)
    )
    policy = with_moves(teachers.policies([one])[0], one.actions, 0.5)
    assert np.isfinite(policy).all()
    assert policy.sum() == pytest.approx(1, abs=1e-4)
