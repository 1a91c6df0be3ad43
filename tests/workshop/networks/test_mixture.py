"""Mixtures: the graph says what its networks and weights say; what cannot be mixed is refused."""

from pathlib import Path

import numpy as np
import pytest
from random_networks import random_network

from evenmatch.errors import NetworkError
from evenmatch.games import get_game
from evenmatch.games.game import random_positions
from evenmatch.network.artifact import named_path, read_card
from evenmatch.network.conditions import RatingCondition, conditions
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search import Request
from evenmatch.workshop.networks.mixture import write_mixture

SCALES = ("rapid", "fide")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A mixture of three networks, those networks, and its weights."""
    folder = tmp_path_factory.mktemp("mixture")
    first = random_network(folder / "first.onnx", scales=SCALES, strength=10)
    others = [random_network(folder / f"{k}.onnx", seed=k) for k in (1, 2)]
    rows = 1 + 2 * len(read_card(first).condition_knots)
    weights = np.random.default_rng(1).normal(size=(rows, 3)).astype(np.float32)
    card = write_mixture([first, *others], weights, folder / "mixed.onnx", command="x", notes="y")
    return folder / "mixed.onnx", [first, *others], weights, card


def evaluators(paths):
    game = get_game("chess")
    return [NetworkEvaluator(path, game, precision="f32", threads=1) for path in paths]


@pytest.fixture(scope="module")
def mixture(mixed):
    return evaluators([mixed[0]])[0]


@pytest.fixture(scope="module")
def nets(mixed):
    """Evaluators of the networks that are mixed."""
    return evaluators(mixed[1])


@pytest.fixture(scope="module")
def states():
    return list(random_positions(get_game("chess"), 8, 3))[20]


def expected(nets, weights, states, told, request):
    """The sum of logits by hand, without their means, which softmax does not see."""
    said = [net.evaluate(states, request if not k else Request()) for k, net in enumerate(nets)]
    shares = told @ weights
    total = sum(shares[:, k : k + 1] * one.logits for k, one in enumerate(said))
    return total - total.mean(1, keepdims=True), said[0]


@pytest.mark.parametrize("rating", [0.0, 700.0, 1510.0, 2900.0])
@pytest.mark.parametrize("scale", [0, 1])
def test_the_policy_is_the_weighed_sum(mixed, mixture, nets, states, rating, scale):
    _, _, weights, card = mixed
    ratings = np.full(len(states), rating)
    request = Request(ratings=ratings, scales=np.full(len(states), scale, np.int32))
    told = conditions(ratings, scale, 2, card.condition_knots)
    found = mixture.evaluate(states, request)
    policy = found.logits - found.logits.mean(1, keepdims=True)
    values, scores = found.values.copy(), found.scores.copy()
    sums, first = expected(nets, weights, states, told, request)
    scale_of = np.abs(sums).max()
    np.testing.assert_allclose(policy, sums, atol=0.02 * scale_of)  # weights of int8
    np.testing.assert_allclose(values, first.values, atol=0.02)
    np.testing.assert_allclose(scores, first.scores, atol=0.02 * np.abs(first.scores).max())


def test_the_error_is_that_of_the_steps_of_int8(mixed, mixture, nets, states):
    """Far smaller than what any of the weights is worth: a wrong weight would be seen."""
    _, _, weights, card = mixed
    told = conditions(np.full(len(states), 1500.0), 0, 2, card.condition_knots)
    request = Request(ratings=np.full(len(states), 1500.0), scales=np.zeros(len(states), np.int32))
    found = mixture.evaluate(states, request).logits
    found = found - found.mean(1, keepdims=True)
    right, _ = expected(nets, weights, states, told, request)
    off = np.abs(found - right).mean()
    for k in range(3):
        other = weights.copy()
        other[:, k] *= 1.2
        wrong, _ = expected(nets, other, states, told, request)
        assert np.abs(found - wrong).mean() > 3 * off


def test_policies_of_several_are_asked_for_at_once(mixed, mixture, states):
    [again] = evaluators([mixed[0]])
    asked = [RatingCondition(1200.0, 0), RatingCondition(2000.0, 1), RatingCondition(0.0, 0)]
    logits, values = mixture.evaluate_policies(states, asked)
    for k, (rating, scale) in enumerate(asked):
        rows = np.full(len(states), rating), np.full(len(states), scale, np.int32)
        alone = again.evaluate(states, Request(ratings=rows[0], scales=rows[1]))
        np.testing.assert_allclose(logits[k], alone.logits, atol=1e-3)
        np.testing.assert_allclose(values, alone.values, atol=1e-4)


def test_values_alone(mixture, states):
    whole = mixture.evaluate(states).values.copy()
    np.testing.assert_allclose(mixture.evaluate_worth(states).values, whole, atol=1e-5)


def test_dropout_is_the_first_networks(mixture, states):
    seeds = np.arange(1, len(states) + 1, dtype=np.uint64)
    dropped = Request(dropout=np.full(len(states), 0.5), seeds=seeds)
    plain = mixture.evaluate(states).values.copy()
    assert np.abs(mixture.evaluate(states, dropped).values - plain).max() > 1e-3


def test_the_card(mixed):
    _, _, _, card = mixed
    assert (card.blocks, card.scales, card.torch) == (3, list(SCALES), False)
    assert (card.command, card.notes) == ("x", "y")
    assert read_card(mixed[0]) == card


def test_what_cannot_be_mixed(mixed, tmp_path):
    _, paths, weights, _ = mixed
    out = tmp_path / "out.onnx"
    with pytest.raises(NetworkError, match="knows no ratings; name a network first that does"):
        write_mixture(paths[1:], weights[:, :2], out)
    other = random_network(tmp_path / "go.onnx", game="go9")
    with pytest.raises(NetworkError, match="different games, planes or moves"):
        write_mixture([paths[0], other], weights[:, :2], out)
    with pytest.raises(NetworkError, match="only the first of mixed networks may know ratings"):
        write_mixture([paths[0], paths[0]], weights[:, :2], out)
    assert not out.exists()


@pytest.fixture(scope="module")
def shipped():
    return evaluators([named_path(Path("chess-people"))])[0]


@pytest.mark.parametrize("batch", [8, 64])
def test_the_one_that_ships_runs_at_every_size_of_batch(shipped, batch):
    """Of 64 channels; a batch of 64 was once refused. The rows alone are batches of one."""
    some = list(random_positions(get_game("chess"), batch, 5))[6]
    ratings = np.linspace(1000, 2400, batch)
    request = Request(ratings=ratings, scales=np.zeros(batch, np.int32))
    together = shipped.evaluate(some, request).logits.copy()
    for row in (0, batch - 1):
        asked = Request(ratings=ratings[row : row + 1], scales=np.zeros(1, np.int32))
        alone = shipped.evaluate(some[row : row + 1], asked).logits[0]
        np.testing.assert_allclose(together[row], alone, atol=1e-3)
