"""Estimation: how strong someone is, from their moves."""

from evenmatch.estimation.estimator_files import shipped_estimator
from evenmatch.estimation.move_features import MoveFeatures, NetworkScorer
from evenmatch.estimation.player_games import PlayerGame
from evenmatch.estimation.pooled import PooledFeatures
from evenmatch.estimation.running import RunningEstimates
from evenmatch.estimation.strength_estimator import (
    Estimate,
    Method,
    NearestScore,
    Scorer,
    StrengthEstimator,
    SummedChances,
    Verdicts,
    Votes,
    rating_at,
)
from evenmatch.ratings.ranks import Ranks

__all__ = [
    "Estimate",
    "Method",
    "MoveFeatures",
    "NearestScore",
    "NetworkScorer",
    "PlayerGame",
    "PooledFeatures",
    "Ranks",
    "RunningEstimates",
    "Scorer",
    "StrengthEstimator",
    "SummedChances",
    "Verdicts",
    "Votes",
    "rating_at",
    "shipped_estimator",
]
