import numpy as np
import pytest
from random_networks import random_network

from evenmatch.games.chess import Chess
from evenmatch.network.conditions import conditions
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA, BETA_PLAIN
from evenmatch.network.views import NetworkView

GAME = Chess()


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = random_network(
        tmp_path_factory.mktemp("views") / "net.onnx", scales=("here", "there"), strength=2 + 16
    )
    return NetworkEvaluator(path, GAME, precision="f32")


def test_a_view_is_told_one_rating_everywhere(network):
    states = GAME.initial(3)
    told = conditions(1500, 1, 2)
    wanted = network.evaluate(states, conditions=np.repeat(told, 3, 0)).logits.copy()
    assert np.array_equal(NetworkView(network, told).evaluate(states).logits, wanted)
    untold = network.evaluate(states).logits.copy()
    assert np.array_equal(NetworkView(network).evaluate(states).logits, untold)
    assert not np.allclose(wanted, untold)


def test_policy_and_value_of_another_network(network, tmp_path):
    other = NetworkEvaluator(random_network(tmp_path / "o.onnx", seed=3), GAME, precision="f32")
    states = GAME.initial(2)
    shown = NetworkView(network, policy=other).evaluate(states)
    logits, values, beta = (array.copy() for array in shown)
    wanted = other.evaluate(states)
    assert np.array_equal(logits, wanted.logits)
    assert np.array_equal(values, wanted.values)
    assert np.array_equal(beta, network.evaluate(states).beta)


def test_a_view_shows_either_strength_score(network):
    states = GAME.initial(2)
    for column in (BETA, BETA_PLAIN):
        shown = NetworkView(network, column=column).evaluate(states).beta.copy()
        network.evaluate(states)
        assert np.array_equal(shown, network.strength[:, column])
    assert not np.allclose(network.strength[:, BETA], network.strength[:, BETA_PLAIN])
