"""Networks as a search is to see them: told a rating, with another's strength score."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA
from evenmatch.search.evaluator import Evaluation, Evaluator


class NetworkView:
    """An evaluator over a network whose policy is told one rating at all positions."""

    def __init__(self, network: NetworkEvaluator, told: NDArray[np.float32] | None = None):
        """``told`` [1, K] are conditions, None tells nothing."""
        self._network, self._told = network, told

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S]."""
        told = self._told
        if told is not None:
            told = np.broadcast_to(told, (len(states), told.shape[1]))
        return self._network.evaluate(states, head_dropout, seeds, told)


class StrengthScores:
    """What a network's strength head says of positions, and nothing else: beta, no logits."""

    def __init__(self, network: NetworkEvaluator, column: int = BETA):
        """Beta is ``column`` of the strength head's outputs."""
        self._network, self._column = network, column

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Score positions [n, S]; the logits are [n, 0]."""
        found = self._network.evaluate(states)
        assert self._network.strength is not None
        beta = self._network.strength[:, self._column].copy()
        return Evaluation(np.empty((len(states), 0), np.float32), found.values, beta)


class Scored:
    """An evaluator whose beta another tells."""

    def __init__(self, evaluator: Evaluator, scores: Evaluator):
        self._evaluator, self._scores = evaluator, scores

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S] and score them."""
        found = self._evaluator.evaluate(states, head_dropout, seeds)
        return found._replace(beta=self._scores.evaluate(states).beta)
