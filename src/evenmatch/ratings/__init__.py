"""Elo arithmetic: the score of a match, ratings with error bars, and tests that stop when sure.

Imports nothing of ours but the errors: anything that yields wins, draws and losses can be rated.
"""

from evenmatch.ratings.bradley_terry import BradleyTerry, EloEstimate, EloRating, RatingTable
from evenmatch.ratings.pentanomial import Pentanomial
from evenmatch.ratings.score import Interval, PairingScore, Score, elo_from_score, expected_score
from evenmatch.ratings.sprt import Sprt, SprtSettings, log_likelihood_ratio

__all__ = [
    "BradleyTerry",
    "EloEstimate",
    "EloRating",
    "Interval",
    "PairingScore",
    "Pentanomial",
    "RatingTable",
    "Score",
    "Sprt",
    "SprtSettings",
    "elo_from_score",
    "expected_score",
    "log_likelihood_ratio",
]
