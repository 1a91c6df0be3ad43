"""The most likely ratings of a logistic regression, how sure they are, and which are unbounded.

Error bars: the inverse observed information `H^-1` of the likelihood overstates the spread of
drawn games, so they are `H^-1 J H^-1`, where `J` has `p (1 - p) - d/4` for the variance of a game
in the place of `p (1 - p)`, and `d` is the pairing's draw rate counted with 4 more decisive games
(all draws must not mean certainty). Without draws `J = H`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.ratings.score import ELO_PER_LOGIT, Score, normal_quantile

Array = NDArray[np.floating]
Bools = NDArray[np.bool_]

_DECISIVE_GAMES = 4
_NEWTON_STEPS = 200


@dataclass(frozen=True, kw_only=True)
class EloEstimate:
    """An estimated Elo (a rating, a difference or an advantage) and how sure it is.

    elo: the estimate. standard_error: one standard error, in Elo; 0 if anchored.
    low, high: the confidence interval; an end the games do not bound is infinite.
    """

    elo: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The regression in log-odds: X parameters (P players, then the advantage), R pairings."""

    names: tuple[str, ...]  # [P], sorted
    scores: Mapping[str, Score]  # name -> all games of that player
    design: Array  # [R, X]: +1 moved first, -1 second, +1 advantage
    wins: Array  # [R], by the first player
    draws: Array  # [R]
    losses: Array  # [R]
    virtual: Array  # [R] draws of the prior
    origin: Array  # [X] the given part of the parameters, in log-odds
    basis: Array  # [X, F] parameters = origin + basis @ free
    held: Bools  # [X] the anchors
    reference: Array  # [X] weights of the players from which unboundedness is judged; 0 if anchored

    @property
    def games(self) -> Array:
        """[R], those of the prior included."""
        return self.wins + self.draws + self.losses + self.virtual

    @property
    def points(self) -> Array:
        """[R], of the first player."""
        return self.wins + (self.draws + self.virtual) / 2


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The maximum: parameters in log-odds, and their covariance."""

    problem: Problem
    parameters: Array  # [X]
    covariance: Array  # [X, X]
    cone: "Cone"
    quantile: float

    def estimate(self, contrast: Array) -> EloEstimate:
        """The estimate of `contrast @ parameters`, in Elo; contrast is [X]."""
        elo = ELO_PER_LOGIT * float(contrast @ self.parameters)
        variance = float(contrast @ self.covariance @ contrast)
        error = ELO_PER_LOGIT * math.sqrt(max(variance, 0.0))
        return EloEstimate(
            elo=elo,
            standard_error=error,
            low=-math.inf if self.cone.is_open(-contrast) else elo - self.quantile * error,
            high=math.inf if self.cone.is_open(contrast) else elo + self.quantile * error,
        )


@dataclass(frozen=True, kw_only=True)
class Cone:
    """Directions of the parameters along which the games' likelihood never falls.

    If a pairing's games, all won, can be made likelier for ever, no estimate is finite there.
    The directions are `span @ z` with `rising @ z >= 0`: the span leaves every pairing that saw
    both results, or a draw, as it is. Whether a contrast rises along one is a linear programme.
    Without anchors the likelihood is blind to a common shift of all players, so a contrast is
    judged relative to the `reference` players.
    """

    span: Array  # [X, Z]
    rising: Array  # [I, Z] one row per pairing that saw one result only
    players: int  # P
    reference: Array  # [X]

    def is_open(self, contrast: Array) -> bool:
        """Whether `contrast @ parameters`, contrast [X], can rise for ever."""
        relative = contrast - contrast[: self.players].sum() * self.reference
        return self.rises(relative @ self.span)

    def rises(self, slope: Array) -> bool:
        """Whether some direction has `slope @ z > 0`; slope is [Z]."""
        if not len(self.rising) or np.allclose(slope, 0, atol=1e-9):
            return False
        from scipy.optimize import linprog

        lowest = linprog(-slope, -self.rising, np.zeros(len(self.rising)), bounds=(-1, 1))
        return lowest.fun < -1e-6


def solve(problem: Problem, confidence: float) -> Fit:
    """The most likely parameters and their covariance."""
    cone = _cone(problem)
    if not problem.virtual.any() and len(cone.rising):
        raise UsageError(
            "some ratings are unbounded, for a player or group only won or only lost: "
            "set prior_draws above 0, or add games"
        )
    parameters = _maximise(problem)
    return Fit(
        problem=problem,
        parameters=parameters,
        covariance=_covariance(problem, parameters),
        cone=cone,
        quantile=normal_quantile(confidence),
    )


def _cone(problem: Problem) -> Cone:
    """The directions that raise the likelihood for ever; no `rising` rows if there are none."""
    only_won = problem.draws + problem.losses == 0
    only_lost = problem.draws + problem.wins == 0
    span = _null_space(problem.design[~(only_won | only_lost)], problem.held)
    rising = np.concatenate([problem.design[only_won], -problem.design[only_lost]]) @ span
    cone = Cone(
        span=span,
        rising=rising[np.abs(rising).max(axis=1, initial=0) > 1e-9],
        players=len(problem.names),
        reference=problem.reference,
    )
    return cone if cone.rises(cone.rising.sum(axis=0)) else replace(cone, rising=rising[:0])


def _null_space(rows: Array, held: Bools) -> Array:
    """[X, Z] orthonormal directions that leave `rows @ parameters` and the held parameters."""
    fixed = np.concatenate([rows, np.eye(len(held))[held]])
    values, vectors = np.linalg.eigh(fixed.T @ fixed)
    return vectors[:, values < 1e-9]


def _maximise(problem: Problem) -> Array:
    """[X] parameters of greatest likelihood, by Newton's method with step halving."""
    free = np.zeros(problem.basis.shape[1])  # [F]
    best = _log_likelihood(problem, problem.origin)
    for _ in range(_NEWTON_STEPS):
        parameters = problem.origin + problem.basis @ free
        step = _newton_step(problem, parameters)
        if not np.any(np.abs(step) > 1e-11):
            break
        while True:
            value = _log_likelihood(problem, problem.origin + problem.basis @ (free + step))
            if value >= best - 1e-13 * abs(best) or not np.any(np.abs(step) > 1e-11):
                break
            step = step / 2
        free, best = free + step, value
    return problem.origin + problem.basis @ free


def _newton_step(problem: Problem, parameters: Array) -> Array:
    """[F] the step to the maximum of the quadratic that fits the likelihood at `parameters`."""
    p = _sigmoid(problem.design @ parameters)
    gradient = problem.basis.T @ (problem.design.T @ (problem.points - problem.games * p))
    information = _information(problem, problem.games * p * (1 - p))
    try:
        return np.linalg.solve(information, gradient)
    except np.linalg.LinAlgError as error:
        raise UsageError("the anchors are too far apart to rate anyone between them") from error


def _information(problem: Problem, weight: Array) -> Array:
    """[F, F] the sum over pairings of weight [R] times the outer square of its free design row."""
    free_design = problem.design @ problem.basis  # [R, F]
    return free_design.T @ (weight[:, None] * free_design)


def _log_likelihood(problem: Problem, parameters: Array) -> float:
    log_odds = problem.design @ parameters
    return float(problem.points @ log_odds - problem.games @ np.logaddexp(0, log_odds))


def _covariance(problem: Problem, parameters: Array) -> Array:
    """[X, X] of the parameters: `H^-1 J H^-1` of the module's docstring."""
    p = _sigmoid(problem.design @ parameters)
    spread = p * (1 - p)
    played = problem.games - problem.virtual
    draw_rate = np.minimum(problem.draws / (played + _DECISIVE_GAMES), 2 * np.minimum(p, 1 - p))
    inverse = np.linalg.inv(_information(problem, problem.games * spread))
    middle = _information(problem, problem.games * spread - played * draw_rate / 4)
    return problem.basis @ inverse @ middle @ inverse @ problem.basis.T


def _sigmoid(log_odds: Array) -> Array:
    return np.exp(-np.logaddexp(0, -log_odds))
