"""Ratings by the likelihood of moves under a policy of people, for any network that knows ratings.

A network that is conditioned on a rating says how likely each move is to people of that rating. By
Bayes' rule the rating r of a player is as likely as the product of P(move | r) over the moves;
before any move all ratings are alike. Games of one person say less than as many games of different
people, because a person differs from others of the rating in each of them: see `CORRELATION`.

Estimators that were fitted to recorded games (`pooled`) have smaller errors.
"""

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from evenmatch.errors import UsageError
from evenmatch.estimation.move_features import (
    LEAST_LOG,
    LIKELIHOOD,
    STRENGTH,
    AnsweredMoves,
    Columns,
    MoveFeatures,
    NetworkScorer,
    log_chances,
)
from evenmatch.estimation.rating_scales import number_of
from evenmatch.estimation.strength_estimator import Floats, Method, Verdicts
from evenmatch.games.catalog import game_info
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.ratings.belief import Belief
from evenmatch.ratings.ranks import Ranks

STEP = 25  #: of the ratings that are compared
CORRELATION = 0.15
"""The intraclass correlation c of what games of one person say: n count as n / (1 + (n - 1) c).
Chosen for the network of chess that ships: with it 95 to 96% of the ratings of 97 people of
lichess-rapid, at most ten of each band, were in 95% intervals by 1, 2, 4 and 8 games each."""


class PolicyScorer(NetworkScorer):
    """Computes how likely moves are to people of ratings, by a network that knows those."""

    def __init__(self, evaluator: NetworkEvaluator, scale: str | None = None):
        """``scale`` is one of the network's; None: its first. UsageError if it knows none."""
        self.evaluator, self.game = evaluator, evaluator.game
        card = evaluator.card
        number = 0 if scale is None and card.scales else number_of(scale or "", card)
        self.scale = card.scales[number]
        knots, low, high = game_info(card.game).knots, *ends(evaluator)
        self.ratings = [knot for knot in knots if low <= knot <= high]
        if len(self.ratings) < 2:
            raise UsageError(f"this network knows ratings from {low} to {high} alone; use another")
        self._conditions = [RatingCondition(float(rating), number) for rating in self.ratings]

    def rate(self, moves: AnsweredMoves) -> list[Columns]:
        """Return the log-likelihood of each move at each of the ratings, [M, K]."""
        legal = self.game.unclaimed_mask(moves.before)
        logits, _ = self.evaluator.evaluate_policies(moves.before, self._conditions)
        rows = np.arange(len(moves.actions))
        logs = [log_chances(row, legal)[rows, moves.actions] for row in logits]
        none = np.zeros((len(rows), 1), np.float32)  # no strength head judges here
        return [{LIKELIHOOD: np.maximum(np.stack(logs, 1), LEAST_LOG), STRENGTH: none}]


def ends(evaluator: NetworkEvaluator) -> tuple[int, int]:
    """Return the lowest and the highest rating that a network knows."""
    knots = evaluator.card.condition_knots
    return knots[0], knots[-1]


class PolicyLikelihood(Method):
    """Bayes' rule on a grid of ratings; see the module."""

    def __init__(self, ratings: Sequence[int], written: str = "elo"):
        """``ratings`` [K], evenly spaced and increasing, are those of the scorer."""
        width = ratings[1] - ratings[0]
        count = len(ratings) - 1
        super().__init__(Ranks(lowest=ratings[0], width=width, count=count, written=written))
        self._ratings = np.array(ratings, np.float64)
        self.grid = np.arange(ratings[0], ratings[-1], STEP) + STEP / 2  #: compared ratings, [S]

    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return what each game says of each rating of the grid, and a one: [G, S + 1].

        A game without moves has a zero there. Between the scorer's ratings logs are interpolated.
        """
        said = CubicSpline(self._ratings, moves.sums(moves.columns[LIKELIHOOD]), axis=1)(self.grid)
        return np.hstack([said, (moves.counts > 0)[:, None]])

    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the ranks of the posterior means, the means and the 95% intervals."""
        said, games = evidence[:, :-1], evidence[:, -1:]
        if one_player:
            said = said / (1 + CORRELATION * np.maximum(games - 1, 0))
        belief = Belief(self.grid)
        belief.update(said)
        return Verdicts(self.ranks.of(belief.mean), belief.mean, belief.interval())


def by_policy(
    evaluator: NetworkEvaluator, scale: str | None
) -> tuple[PolicyScorer, PolicyLikelihood]:
    """Return what rates moves by a network's policy, and the method that adds it up. UsageError."""
    scorer = PolicyScorer(evaluator, scale)
    written = game_info(evaluator.card.game).source(scorer.scale).written
    return scorer, PolicyLikelihood(scorer.ratings, written)
