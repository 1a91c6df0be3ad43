"""Evaluators made of others: the policy of one network, the values or the scores of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.artifact import human_policy_path, shipped_path
from evenmatch.network.backend import Floats
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search.evaluator import NOTHING, Evaluation, Evaluator, Request


class WithOurScores:
    """A network of KataGo's that knows profiles, and the strength scores of ours.

    For estimators, which read both. Its card is that of our network of people's moves. The policy
    is conditioned on ranks of KGS, whatever the scale of a rank.
    """

    def __init__(self, people: NetworkEvaluator, scores: NetworkEvaluator):
        self.card, self.game, self.lock = scores.card, people.game, people.lock
        self._people, self._scores = people, scores

    def evaluate_worth(self, states: NDArray[np.uint64]) -> Evaluation:
        """Return what `NetworkEvaluator.evaluate_worth` does."""
        scores = self._scores.evaluate_worth(states).scores
        return self._people.evaluate_worth(states)._replace(scores=scores)

    def evaluate_policies(
        self, states: NDArray[np.uint64], conditions: Sequence[RatingCondition]
    ) -> tuple[Floats, Floats]:
        """Return what `NetworkEvaluator.evaluate_policies` does."""
        of_kgs = [RatingCondition(one.rating, 0) for one in conditions]
        return self._people.evaluate_policies(states, of_kgs)


def with_strength_head(
    evaluator: NetworkEvaluator | WithOurScores,
) -> NetworkEvaluator | WithOurScores:
    """Return an evaluator that estimators can read: with our scores where it knows profiles."""
    if not evaluator.card.profiles or isinstance(evaluator, WithOurScores):
        return evaluator
    game = evaluator.game
    ours = human_policy_path(game.id) or shipped_path(game.id, game.family)
    return WithOurScores(evaluator, NetworkEvaluator(ours, game))


class Conditioned:
    """A network whose policy is asked for one rating, where a request names none."""

    def __init__(self, network: NetworkEvaluator, condition: RatingCondition):
        self._network, self._condition = network, condition
        self.lock = network.lock

    def evaluate(self, states, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S]."""
        if request.ratings is None:
            n, (rating, scale) = len(states), self._condition
            request = request._replace(ratings=np.full(n, rating), scales=np.full(n, scale))
        return self._network.evaluate(states, request)


class WithPolicy:
    """An evaluator whose policy is that of another one, which may be conditioned on ratings.

    The policy alone is asked for a request's ratings. Positions are judged twice.
    """

    def __init__(self, evaluator: Evaluator, policy: Evaluator):
        self._evaluator, self._policy = evaluator, policy

    def evaluate(self, states, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S]."""
        logits = self._policy.evaluate(states, request).logits.copy()
        unrated = request._replace(ratings=None, scales=None)
        return self._evaluator.evaluate(states, unrated)._replace(logits=logits)
