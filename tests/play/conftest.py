"""What tests of sessions share: a network of fixed values, or none."""

import numpy as np
import pytest

from evenmatch.play import session as module
from evenmatch.search.evaluator import Evaluation


class Optimist:
    """An evaluator that gives every side to move the value 0.5."""

    def __init__(self, game):
        self.game = game

    def evaluate(self, states, request=None):
        n = len(states)
        return Evaluation(
            np.zeros((n, self.game.num_actions), np.float32), np.full(n, 0.5, np.float32)
        )


@pytest.fixture
def with_network(monkeypatch):
    monkeypatch.setattr(module, "_evaluator_of", lambda networks, opponent: Optimist(networks.game))


@pytest.fixture
def without_network(monkeypatch):
    monkeypatch.setattr(module, "_evaluator_of", lambda networks, opponent: None)
