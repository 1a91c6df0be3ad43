"""Networks as a search is to see them: told a rating, with either strength score or another's."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA
from evenmatch.search.evaluator import Evaluation, Evaluator


class NetworkView:
    """An evaluator over a network that is told one rating, and gives one of its strength scores."""

    def __init__(
        self,
        network: NetworkEvaluator,
        told: NDArray[np.float32] | None = None,
        column: int = BETA,
    ):
        """``told`` [1, K] are conditions for the policy at all positions, None tells nothing.

        Beta is ``column`` of the strength head's outputs, where there is such a head.
        """
        self._network, self._told, self._column = network, told, column

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S]."""
        told = self._told
        if told is not None:
            told = np.broadcast_to(told, (len(states), told.shape[1]))
        found = self._network.evaluate(states, head_dropout, seeds, told)
        if self._network.strength is None:
            return found
        return found._replace(beta=self._network.strength[:, self._column].copy())


class Scored:
    """An evaluator whose beta another tells."""

    def __init__(self, evaluator: Evaluator, scores: Evaluator):
        self._evaluator, self._scores = evaluator, scores

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S] and score them."""
        found = self._evaluator.evaluate(states, head_dropout, seeds)
        return found._replace(beta=self._scores.evaluate(states).beta)
