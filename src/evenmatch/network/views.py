"""A network as a search is to see it: told a rating, with another's strength score."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA
from evenmatch.search.evaluator import Evaluation


class NetworkView:
    """An evaluator over a network whose policy is told one rating at all positions."""

    def __init__(
        self,
        network: NetworkEvaluator,
        told: NDArray[np.float32] | None = None,
        strength: NetworkEvaluator | None = None,
        column: int = BETA,
    ):
        """``told`` [1, K] are conditions, None tells nothing.

        With ``strength``, another network, which has a strength head, beta is ``column`` of its.
        """
        self._network, self._told, self._strength, self._column = network, told, strength, column

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S]."""
        told = self._told
        if told is not None:
            told = np.broadcast_to(told, (len(states), told.shape[1]))
        found = self._network.evaluate(states, head_dropout, seeds, told)
        if self._strength is None:
            return found
        self._strength.evaluate(states)
        assert self._strength.strength is not None
        return found._replace(beta=self._strength.strength[:, self._column].copy())
