"""Estimation: how strong someone is, from their moves."""

from evenmatch.estimation.estimator_files import shipped_estimator
from evenmatch.estimation.methods import (
    Method,
    NearestScore,
    SummedChances,
    Verdicts,
    Votes,
    rating_at,
)
from evenmatch.estimation.move_features import MoveFeatures
from evenmatch.estimation.pooled import PooledFeatures
from evenmatch.estimation.running import RunningEstimates
from evenmatch.estimation.scorer import NetworkScorer
from evenmatch.estimation.strength_estimator import Estimate, PlayerGame, Scorer, StrengthEstimator
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
