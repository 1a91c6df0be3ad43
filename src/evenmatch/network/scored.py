"""One network's policy and values with another's strength scores."""

from evenmatch.search.evaluator import NOTHING, Evaluation, Evaluator, Request


class Scored:
    """An evaluator whose strength scores another one tells."""

    def __init__(self, evaluator: Evaluator, scores: Evaluator):
        self._evaluator, self._scores = evaluator, scores

    def evaluate(self, states, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S] and score them."""
        evaluation = self._evaluator.evaluate(states, request)
        return evaluation._replace(scores=self._scores.evaluate(states).scores)
