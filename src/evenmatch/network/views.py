"""A network as a search is to see it: told a rating, by another score, with another's policy."""

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
        column: int = BETA,
        policy: NetworkEvaluator | None = None,
    ):
        """``told`` [1, K] are conditions, None tells nothing; ``column`` is the beta shown.

        With ``policy``, such as a network of Maia, policy and value are that network's.
        """
        self._network, self._told, self._column, self._policy = network, told, column, policy

    def evaluate(self, states, head_dropout=None, seeds=None) -> Evaluation:
        """Judge positions [n, S]."""
        told = self._told
        if told is not None:
            told = np.broadcast_to(told, (len(states), told.shape[1]))
        found = self._network.evaluate(states, head_dropout, seeds, told)
        if self._column != BETA and self._network.strength is not None:
            found = found._replace(beta=self._network.strength[:, self._column].copy())
        if self._policy is None:
            return found
        return self._policy.evaluate(states, head_dropout, seeds)._replace(beta=found.beta)
