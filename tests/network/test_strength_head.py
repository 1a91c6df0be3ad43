import numpy as np
import pytest
from random_networks import random_network

from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator, WithStrengthHead
from evenmatch.search import Request

GAME = Chess()
SCALES = ("here", "there")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("scored") / "net.onnx"
    random_network(path, scales=SCALES, strength=2 + 16)
    return NetworkEvaluator(path, GAME, precision="f32")


def test_the_strength_scores_of_another_network(network, tmp_path):
    path = random_network(tmp_path / "o.onnx", scales=SCALES, seed=3)
    other = NetworkEvaluator(path, GAME, precision="f32")
    states = GAME.initial(2)
    request = Request(ratings=np.full(2, 1500.0), scales=np.ones(2, int))
    wanted = other.evaluate(states, request)
    logits, values = wanted.logits.copy(), wanted.values.copy()
    assert wanted.scores is None
    shown = WithStrengthHead(other, network).evaluate(states, request)
    assert np.array_equal(shown.logits, logits)
    assert np.array_equal(shown.values, values)
    assert np.array_equal(shown.scores, network.evaluate(states).scores)
