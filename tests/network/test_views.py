import numpy as np
import pytest
from random_networks import random_network

from evenmatch.games.chess import Chess
from evenmatch.network.conditions import conditions
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA, BETA_PLAIN
from evenmatch.network.views import NetworkView, Scored

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


@pytest.mark.parametrize("column", [BETA, BETA_PLAIN])
def test_a_view_shows_either_strength_score(network, column):
    states = GAME.initial(2)
    wanted = network.evaluate(states)
    logits, strength = wanted.logits.copy(), network.strength.copy()
    shown = NetworkView(network, column=column).evaluate(states)
    beta = shown.beta
    assert np.array_equal(shown.logits, logits)
    network.evaluate(GAME.after(states, np.array([322, 322])))
    assert np.array_equal(beta, strength[:, column]), "it is not what is asked next"
    assert not np.allclose(strength[:, BETA], strength[:, BETA_PLAIN])


def test_the_strength_score_of_another_network(network, tmp_path):
    path = random_network(tmp_path / "o.onnx", scales=("here", "there"), seed=3)
    other = NetworkEvaluator(path, GAME, precision="f32")
    states, told = GAME.initial(2), conditions(1500, 1, 2)
    wanted = other.evaluate(states, conditions=np.repeat(told, 2, 0))
    logits, values = wanted.logits.copy(), wanted.values.copy()
    view = NetworkView(network, column=BETA_PLAIN)
    shown = Scored(NetworkView(other, told), view).evaluate(states)
    assert np.array_equal(shown.logits, logits)
    assert np.array_equal(shown.values, values)
    assert np.array_equal(shown.beta, network.strength[:, BETA_PLAIN])
