"""Tree search: a forest of Monte Carlo trees advanced in lockstep, and two plain baselines."""

from evenmatch.search.evaluator import (
    NOTHING,
    CachedEvaluator,
    Evaluation,
    Evaluator,
    Request,
    RolloutEvaluator,
    UniformEvaluator,
)
from evenmatch.search.plan import Plan, Rule, Scaling, Solve, Unvisited
from evenmatch.search.puct import RootStats, Search

__all__ = [
    "NOTHING",
    "CachedEvaluator",
    "Evaluation",
    "Evaluator",
    "Plan",
    "Request",
    "RolloutEvaluator",
    "RootStats",
    "Rule",
    "Scaling",
    "Search",
    "Solve",
    "UniformEvaluator",
    "Unvisited",
]
