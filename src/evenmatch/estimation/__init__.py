"""Estimation: how strong someone is, from their moves."""

from evenmatch.estimation.estimator import Estimate, PlayerGame, Scorer, StrengthEstimator
from evenmatch.estimation.fitted import shipped_estimator
from evenmatch.estimation.methods import (
    Method,
    NearestScore,
    SummedChances,
    Verdicts,
    Votes,
    rating_at,
)
from evenmatch.estimation.outputs import MoveOutputs
from evenmatch.estimation.pooled import PooledFeatures
from evenmatch.estimation.protocol import Accuracy, measure
from evenmatch.estimation.ranks import Ranks
from evenmatch.estimation.running import RunningEstimates
from evenmatch.estimation.scorer import NetworkScorer

__all__ = [
    "Accuracy",
    "Estimate",
    "Method",
    "MoveOutputs",
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
    "measure",
    "rating_at",
    "shipped_estimator",
]
