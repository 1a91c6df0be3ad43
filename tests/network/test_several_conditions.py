"""Several policies of one network at once are what they are one by one."""

from itertools import islice

import numpy as np
import pytest
from random_networks import random_network

from evenmatch.games import get_game
from evenmatch.games.game import random_positions
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search import Request

ASKED = [
    RatingCondition(1000.0, 0),
    RatingCondition(1800.0, 1),
    RatingCondition(2600.0, 1),
    RatingCondition(1810.0, 0),
]


@pytest.mark.parametrize("game", ["chess", "go9"])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_they_are_as_one_by_one(game, count, tmp_path):
    rules = get_game(game)
    path = random_network(tmp_path / "n.onnx", ("a", "b"), strength=2 + 2 * 8, game=game)
    net = NetworkEvaluator(path, rules, precision="f32", sizes=(1, 8))
    states = np.concatenate(list(islice(random_positions(rules, 2, 0), 10)))[:count]
    logits, values = net.evaluate_policies(states, ASKED)
    assert logits.shape == (len(ASKED), count, rules.num_actions)
    for (rating, scale), found in zip(ASKED, logits, strict=True):
        request = Request(ratings=np.full(count, rating), scales=np.full(count, scale))
        wanted = net.evaluate(states, request)
        assert found == pytest.approx(wanted.logits, abs=1e-4)
        assert values == pytest.approx(wanted.values, abs=1e-5)
    if count > 1:
        assert np.abs(logits[0] - logits[2]).max() > 1e-3, "they differ by rating"
