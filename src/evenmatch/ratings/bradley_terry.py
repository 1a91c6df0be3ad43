"""Elo ratings by maximum likelihood from pairwise results, with error bars (Bradley-Terry).

Model: the expected score of the player moving first is eq. 16 of Fujita 2022,
`1 / (1 + 10^(-(e(first) + advantage - e(second)) / 400))`; the first-move advantage is 0 unless
asked for.

Draws count as half a win and half a loss. Davidson's model (1970) was the alternative; there a
rating difference means the odds of winning a *decisive* game, so at a 60 % score with half the
games drawn it says 147 Elo where eq. 16 says 70, and its ratings fit neither `Score.elo` nor
players anchored to a published Elo. With half-wins the rating is the expected score whatever makes
games drawn, and the likelihood is a logistic regression: concave, with one maximum.

Error bars: the inverse observed information `H^-1` of the likelihood overstates the spread of drawn
games, so they are `H^-1 J H^-1`, where `J` has `p (1 - p) - d/4` for the variance of a game in the
place of `p (1 - p)`, and `d` is the pairing's draw rate counted with 4 more decisive games (all
draws must not mean certainty). Without draws `J = H`. They are relative to what the ratings are
relative to: the mean of all players, or the anchors. Anchors count as exact. Simulated round robins
of 4 and 5 players (2 to 50 games per ordered pair, 0 to 85 % draws, gaps of 60 to 500 Elo) gave 95
% intervals a coverage of 94 to 99.9 %, the widest where games were few and mostly drawn.
To compare two players use `RatingTable.difference`, which knows how their errors are correlated.

Prior: a player who only won, or only lost, has no finite maximum-likelihood rating. Every player
therefore brings `prior_draws / 2` virtual draws, spread over the opponents in proportion to the
games, which keeps all ratings finite and moves them a little towards each other. The prior is not
evidence: an end of an interval that the games alone do not bound is infinite.

Not done: drifting strengths, and more than about a thousand players (matrices are dense).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.ratings.score import (
    ELO_PER_LOGIT,
    PairingScore,
    Score,
    expected_score,
    normal_quantile,
)

Array = NDArray[np.floating]
Bools = NDArray[np.bool_]

_DECISIVE_GAMES = 4


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

    If the likelihood of a pairing's games, all won, grows without bound, no estimate is finite.
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
    """[X] parameters of greatest likelihood: a trust-region method, and two steps of Newton's.

    The method ends where rounding hides that the likelihood still rises; the last steps are exact.
    """
    from scipy.optimize import minimize

    def at(free: Array) -> Array:
        return problem.origin + problem.basis @ free

    def gradient(free: Array) -> Array:
        missing = problem.points - problem.games * _sigmoid(problem.design @ at(free))
        return -problem.basis.T @ (problem.design.T @ missing)

    def curvature(free: Array) -> Array:
        p = _sigmoid(problem.design @ at(free))
        return _information(problem, problem.games * p * (1 - p))

    start = np.zeros(problem.basis.shape[1])  # [F]
    if not len(start):
        return problem.origin
    best = minimize(
        lambda free: -_log_likelihood(problem, at(free)),
        start, jac=gradient, hess=curvature, method="trust-exact", options={"gtol": 1e-5},
    ).x  # fmt: skip
    try:
        for _ in range(2):
            best = best - np.linalg.solve(curvature(best), gradient(best))
    except np.linalg.LinAlgError as error:
        raise UsageError("the anchors are too far apart to rate anyone between them") from error
    return at(best)


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


# -- from results to the regression and back -----------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EloRating(EloEstimate):
    """One player's estimate, with the name and the score over all games played."""

    name: str
    score: Score


@dataclass(frozen=True, kw_only=True)
class RatingTable:
    """Fitted ratings.

    ratings: strongest first, ties by name.
    advantage: Elo that moving first is worth; None if it was not fitted.
    relative_to: what ratings and error bars are relative to, in words for a caption.
    """

    ratings: tuple[EloRating, ...]
    advantage: EloEstimate | None
    relative_to: str
    _fit: "Fit" = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> EloRating:
        """The rating of a player; UsageError lists the names if there is none."""
        for rating in self.ratings:
            if rating.name == name:
                return rating
        names = ", ".join(sorted(rating.name for rating in self.ratings))
        raise UsageError(f"no player {name!r} in this table; there are {names}")

    def difference(self, player: str, opponent: str) -> EloEstimate:
        """How many Elo `player` is above `opponent`, with the interval of the difference."""
        names = self._fit.problem.names
        contrast = np.zeros(self._fit.parameters.size)  # [X]
        contrast[names.index(self[player].name)] += 1
        contrast[names.index(self[opponent].name)] -= 1
        return self._fit.estimate(contrast)

    def expected_score(self, first: str, second: str) -> float:
        """Expected score fraction of `first`, moving first, against `second`."""
        advantage = self.advantage.elo if self.advantage else 0.0
        return expected_score(self[first].elo + advantage - self[second].elo)


@dataclass(frozen=True, kw_only=True)
class BradleyTerry:
    """Settings of the fit.

    first_move_advantage: whether to fit what moving first is worth, one number for all players.
    prior_draws: strength of the prior: each player brings half this many virtual draws, 0 or more;
        0 is plain maximum likelihood, which refuses results that leave a rating unbounded.
    anchors: name -> Elo of players whose rating is given, such as those of an earlier table.
    mean: mean Elo of all players, used without anchors.
    confidence: of the intervals.
    """

    first_move_advantage: bool = False
    prior_draws: float = 1.0
    anchors: Mapping[str, float] = field(default_factory=dict)
    mean: float = 1500.0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 <= self.prior_draws < math.inf:
            raise UsageError(f"prior_draws is 0 or more games, not {self.prior_draws}")
        for name, elo in {**self.anchors, "mean": self.mean}.items():
            if not math.isfinite(elo):
                raise UsageError(f"the Elo given for {name!r} must be finite, not {elo}")
        normal_quantile(self.confidence)

    def fit(self, pairings: Iterable[PairingScore]) -> RatingTable:
        """Ratings of everyone in `pairings`, which may repeat and come in any order.

        Raises UsageError without games, if an anchor did not play, if the players fall into groups
        that never met (each group needs an anchor), if first moves are so lopsided that the
        advantage cannot be separated from the ratings, or if a rating is unbounded without a prior.
        """
        problem = _build_problem(self, _tally(pairings, ordered=self.first_move_advantage))
        fit = solve(problem, self.confidence)
        ratings = [
            _name_estimate(fit.estimate(contrast), name, problem.scores[name])
            for name, contrast in zip(problem.names, np.eye(fit.parameters.size), strict=False)
        ]
        advantage = None
        if self.first_move_advantage:
            advantage = fit.estimate(np.eye(fit.parameters.size)[-1])
        return RatingTable(
            ratings=tuple(sorted(ratings, key=lambda rating: (-rating.elo, rating.name))),
            advantage=advantage,
            relative_to=_caption(self),
            _fit=fit,
        )


def _tally(pairings: Iterable[PairingScore], *, ordered: bool) -> dict[tuple[str, str], Score]:
    """(first, second) -> their score; without `ordered` both orders share one entry.

    Sorted by names, so that the order of `pairings` cannot matter, not even in the last digit.
    """
    tally: dict[tuple[str, str], Score] = {}
    for pairing in pairings:
        first, second, score = pairing.first, pairing.second, pairing.score
        if not ordered and second < first:
            first, second, score = second, first, -score
        if score.games:
            tally[first, second] = tally.get((first, second), Score()) + score
    if not tally:
        raise UsageError("there are no games to rate: pass at least one pairing with games")
    return dict(sorted(tally.items()))


def _build_problem(settings: BradleyTerry, tally: Mapping[tuple[str, str], Score]) -> Problem:
    names = tuple(sorted({name for pair in tally for name in pair}))
    counts = np.array([(s.wins, s.draws, s.losses) for s in tally.values()], dtype=float)  # [R, 3]
    design = _design(names, tally, settings.first_move_advantage)
    anchored = _anchored(settings, names)  # [P]
    origin, basis = _gauge(settings, names, design.shape[1])
    if basis.shape[1] and np.linalg.matrix_rank(design @ basis) < basis.shape[1]:
        _refuse_unconnected(names, tally, anchored)
    return Problem(
        names=names,
        scores=_totals(names, tally),
        design=design,
        wins=counts[:, 0],
        draws=counts[:, 1],
        losses=counts[:, 2],
        virtual=_virtual_draws(settings.prior_draws, design[:, : len(names)], counts.sum(axis=1)),
        origin=origin,
        basis=basis,
        held=np.concatenate([anchored, np.zeros(design.shape[1] - len(names), dtype=bool)]),
        reference=_reference(design, counts, anchored),
    )


def _design(
    names: tuple[str, ...], tally: Mapping[tuple[str, str], Score], advantage: bool
) -> Array:
    """[R, X] which parameters enter the first player's log-odds of each pairing."""
    column = {name: index for index, name in enumerate(names)}
    design = np.zeros((len(tally), len(names) + advantage))
    for row, (first, second) in zip(design, tally, strict=True):
        row[column[first]], row[column[second]] = 1, -1
        if advantage:
            row[-1] = 1
    return design


def _anchored(settings: BradleyTerry, names: tuple[str, ...]) -> Bools:
    """[P] whose rating is given."""
    absent = sorted(set(settings.anchors) - set(names))
    if absent:
        raise UsageError(
            f"anchor {absent[0]!r} played no games; the players are {', '.join(names)}"
        )
    return np.array([name in settings.anchors for name in names])


def _gauge(settings: BradleyTerry, names: tuple[str, ...], parameters: int) -> tuple[Array, Array]:
    """Origin [X] and basis [X, F] of the parameters that the anchors, or the mean, leave free."""
    origin, players = np.zeros(parameters), len(names)
    basis = np.eye(parameters)
    if not settings.anchors:
        origin[:players] = settings.mean / ELO_PER_LOGIT
        basis[:players, :players] -= 1 / players
        return origin, basis[:, 1:]
    origin[:players] = sum(settings.anchors.values()) / len(settings.anchors) / ELO_PER_LOGIT
    for name, elo in settings.anchors.items():
        origin[names.index(name)] = elo / ELO_PER_LOGIT
    free = [index >= players or names[index] not in settings.anchors for index in range(parameters)]
    return origin, basis[:, free]


def _refuse_unconnected(
    names: tuple[str, ...], tally: Mapping[tuple[str, str], Score], anchored: Bools
) -> None:
    """Say why the parameters are not determined: groups that never met, or lopsided sides."""
    met = np.zeros((len(names), len(names)), dtype=bool)
    for first, second in tally:
        met[names.index(first), names.index(second)] = True
    reached = _reachable(met | met.T | np.outer(anchored, anchored))[0]
    if reached.all():
        raise UsageError(
            "the first-move advantage cannot be separated from the ratings: let players move first "
            "and second against the same opponents, or set first_move_advantage=False"
        )
    inside = ", ".join(name for name, here in zip(names, reached, strict=True) if here)
    outside = ", ".join(name for name, here in zip(names, reached, strict=True) if not here)
    raise UsageError(
        f"{inside} never met {outside}, even through others: "
        "add games between the groups, or anchor a player in each"
    )


def _totals(names: tuple[str, ...], tally: Mapping[tuple[str, str], Score]) -> dict[str, Score]:
    """Name -> score over all games."""
    totals = dict.fromkeys(names, Score())
    for (first, second), score in tally.items():
        totals[first] += score
        totals[second] += -score
    return totals


def _virtual_draws(prior_draws: float, design: Array, games: Array) -> Array:
    """[R] virtual draws: each player's prior_draws / 2 in proportion to the games [R] there."""
    played = np.abs(design)  # [R, P]
    share = played * games[:, None] / (games @ played)
    return prior_draws / 2 * share.sum(axis=1)


def _reachable(adjacent: Bools) -> Bools:
    """[P, P] whether a path of any length leads from row to column."""
    reach = adjacent | np.eye(len(adjacent), dtype=bool)
    for _ in range(len(adjacent).bit_length()):
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return reach


def _reference(design: Array, counts: Array, anchored: Bools) -> Array:
    """[X] weights of the reference players: without anchors the largest group or all.

    A group took points off each other, in a chain if not directly. So a player that lost every game
    is unbounded below, rather than all the others above.
    """
    players = len(anchored)
    weights = np.zeros(design.shape[1])
    if anchored.any():
        return weights
    first, second = np.maximum(design[:, :players], 0), np.maximum(-design[:, :players], 0)
    gained, yielded = counts[:, 0] + counts[:, 1] > 0, counts[:, 1] + counts[:, 2] > 0
    beat = first[gained].T @ second[gained] + second[yielded].T @ first[yielded]
    reach = _reachable(beat > 0)
    group = reach & reach.T  # [P, P]
    sizes = group.sum(axis=1)
    largest = sizes == sizes.max()
    weights[:players] = largest if largest.sum() == sizes.max() > 1 else True
    return weights / weights.sum()


def _name_estimate(estimate: EloEstimate, name: str, score: Score) -> EloRating:
    return EloRating(name=name, score=score, **vars(estimate))


def _caption(settings: BradleyTerry) -> str:
    """What the ratings are relative to, in words."""
    if not settings.anchors:
        return f"mean of all players = {settings.mean:g}"
    return ", ".join(f"{name} = {elo:g}" for name, elo in sorted(settings.anchors.items()))
