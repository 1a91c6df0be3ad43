"""The strength estimator of Chen et al. 2025: a rank from moves (section 4.2).

A network scores every move. A *method* turns the scores of a game into a row of evidence, and adds
up the evidence of several games, so that 500 repeats of 100 games cost 500 sums. What the games of
each rank look like is learned from candidate games.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.estimation.player_games import PlayerGame
from evenmatch.network.card import BETA
from evenmatch.ratings.ranks import Ranks
from evenmatch.records.record import Speed

Floats = NDArray[np.float64]


class Verdicts(NamedTuple):
    """What n sets of games say of their players."""

    ranks: NDArray[np.int64]  # [n] from 1, the strongest
    ratings: Floats  # [n]
    intervals: Floats | None = (
        None  # [n, 2] that hold a rating with 95%; None if the method has none
    )


class Method(ABC):
    """A method that estimates ranks."""

    def __init__(self, ranks: Ranks | None = None):
        self.ranks = ranks or Ranks()

    @property
    def reads_evals(self) -> bool:
        """Whether evaluations of a game count, where it has some."""
        return False

    @abstractmethod
    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return what each game says, [G, D]."""

    def at_speeds(self, evidence: Floats, speeds: Sequence[Speed]) -> Floats:
        """Return the evidence of games of these speeds, [G, D]; most methods know no speeds."""
        return evidence

    def fit(self, evidence: Floats, labels: NDArray[np.int64]) -> None:
        """Learn from candidate games of known ranks ``labels`` [G]; some methods need not."""
        return None

    @abstractmethod
    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the verdicts on n sets of games, whose evidence [n, D] is added up.

        ``one_player`` says that the games of a set are of one person, whose peculiarities do not
        average out; methods without intervals judge alike.
        """


class NearestScore(Method):
    """SE and SE_inf: the rank whose candidates' mean score is nearest (section 4.2).

    Means are over moves, the log of the geometric mean of their strengths (eqs. 2 and 3).
    """

    def __init__(self, column: int, ranks: Ranks | None = None):
        """``column`` of the strength head: BETA or BETA_PLAIN."""
        super().__init__(ranks)
        self.column = column
        self.targets: Floats | None = None  #: [R] mean score of ranks 1 to R

    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return the sum of the scores and the number of moves, [G, 2]."""
        scores = moves.columns[STRENGTH][:, [self.column]]
        return moves.sums(np.hstack([scores, np.ones_like(scores)]))

    def fit(self, evidence: Floats, labels: NDArray[np.int64]) -> None:
        """Learn each rank's mean score; UsageError names a rank without moves."""
        totals, counts = (np.bincount(labels, x, 1 + self.ranks.count)[1:] for x in evidence.T)
        if not counts.all():
            empty = 1 + int(np.argmin(counts))
            raise UsageError(
                f"no candidate moves rated {self.ranks.name(empty)}; add games of such players"
            )
        self.targets = totals / counts

    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the nearest rank, and a rating between the two nearest."""
        if self.targets is None:
            raise UsageError("the estimator knows no ranks yet; call fit with candidate games")
        scores = mean_scores(evidence)
        nearest = 1 + np.abs(scores[:, None] - self.targets).argmin(1)
        return Verdicts(nearest, rating_at(scores, self.targets, self.ranks))


class SummedChances(Method):
    """SL_sum: the chances of each rank summed over all moves (Moudrik & Neruda 2016)."""

    def __init__(self, logits: slice, ranks: Ranks | None = None, classes: Ranks | None = None):
        """``logits`` are the columns of the ranks' logits (see ``rank_logits``).

        They are of the ranks ``classes``, each of which counts for all ``ranks`` that it overlaps,
        by the share of it that does.
        """
        super().__init__(ranks)
        self.logits = logits
        self._kept = _overlaps(classes or self.ranks, self.ranks)

    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return the sums, [G, R]."""
        return moves.sums(chances(moves.columns[STRENGTH][:, self.logits])) @ self._kept

    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the rank with the largest sum, and the mean rating by these shares."""
        totals = evidence.sum(1, keepdims=True)
        if not totals.all():
            raise UsageError(NO_MOVES)
        middles = self.ranks.middle(np.arange(1, 1 + self.ranks.count))
        return Verdicts(1 + evidence.argmax(1), evidence / totals @ middles)


class Votes(SummedChances):
    """SL_vote: the rank that is most often the most likely one for a move."""

    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return how many moves vote for each rank, [G, R]."""
        logits = moves.columns[STRENGTH][:, self.logits]
        return moves.sums(np.eye(logits.shape[1])[logits.argmax(1)]) @ self._kept


def _overlaps(classes: Ranks, ranks: Ranks) -> Floats:
    """Return how much of each class lies in each rank, [classes, R], from 0 to 1."""
    middles, of = (x.middle(np.arange(1, 1 + x.count)) for x in (classes, ranks))
    apart = np.abs(np.subtract.outer(middles, of))
    common = (classes.width + ranks.width) / 2 - apart
    return np.clip(common, 0, min(classes.width, ranks.width)) / classes.width


NO_MOVES = "no moves to judge; give games in which the player moved"


def chances(logits: NDArray) -> Floats:
    """Return the softmax of each row."""
    powers = np.exp(logits - logits.max(1, keepdims=True), dtype=np.float64)
    return powers / powers.sum(1, keepdims=True)


def mean_scores(evidence: Floats) -> Floats:
    """Return the mean score of all moves, of sums and counts [n, 2]; eq. 3."""
    totals, counts = evidence.T
    if not counts.all():
        raise UsageError(NO_MOVES)
    return totals / counts


def rating_at(scores: Floats, targets: Floats, ranks: Ranks) -> Floats:
    """Return ratings for scores [n], linear between the ranks' targets [R]; ours.

    Beyond the first and last target they extend for half a band. Targets that are not in order
    are first made so by the nearest monotone sequence (pooling neighbours).
    """
    rising = _monotone(targets[::-1])
    ratings = ranks.middle(np.arange(ranks.count, 0, -1))
    steps = np.diff(rising)
    ends = (rising[0] - steps[0] / 2, rising[-1] + steps[-1] / 2)
    half = ranks.width / 2
    return np.interp(
        scores,
        [ends[0], *rising, ends[1]],
        [ratings[0] - half, *ratings, ratings[-1] + half],
    )


def _monotone(values: Floats) -> Floats:
    """Return the non-decreasing sequence with the least squared distance to ``values``."""
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(values).x
    return fitted + np.arange(len(fitted)) * 1e-9 * (1 + np.ptp(fitted))  # no two the same


class Scorer(Protocol):
    """Rates moves."""

    def __call__(self, games: Sequence[PlayerGame]) -> MoveFeatures:
        """Return what it says of the players' own moves."""
        ...


@dataclass(frozen=True)
class Estimate:
    """How strong someone is by their games."""

    rank: int  #: 1 the strongest
    rating: float
    score: float  #: mean beta
    moves: int
    interval: tuple[float, float] | None = None  #: holds the rating with 95%, if the method says so


class StrengthEstimator:
    """Ranks players by their moves: ``scorer`` rates them, ``method`` says what that amounts to."""

    def __init__(self, scorer: Scorer, method: Method):
        self.scorer = scorer
        self.method = method

    @property
    def ranks(self) -> Ranks:
        """The ranks that are estimated."""
        return self.method.ranks

    def fit(self, games: Sequence[PlayerGame]) -> "StrengthEstimator":
        """Learn what each rank's games amount to from candidate games with ratings; return itself.

        Candidates must be other players than those to be asked about. UsageError if a rank has no
        moves.
        """
        ratings = np.array([np.nan if game.rating is None else game.rating for game in games])
        moves = self.scorer(games)
        self.method.fit(self.method.evidence(moves), self.ranks.of(ratings))
        return self

    def score(self, games: Sequence[PlayerGame]) -> float:
        """Return the mean score beta of the players' own moves in all games; eq. 3."""
        return _mean_beta(self.scorer(games))

    def predict_rank(self, games: Sequence[PlayerGame]) -> Estimate:
        """Return the rank of the one player of these games. UsageError before ``fit``."""
        moves = self.scorer(games)
        score = _mean_beta(moves)
        speeds = [game.record.speed for game in games]
        evidence = self.method.at_speeds(self.method.evidence(moves), speeds).sum(0)[None]
        (estimate,) = estimates(self.method, evidence, [score], [moves.moves])
        return estimate


def estimates(
    method: Method, evidence: NDArray, scores: Sequence[float], moves: Sequence[int]
) -> list[Estimate]:
    """Return the verdicts on n people, whose evidence [n, D] is added up, as estimates."""
    verdicts = method.decide(evidence, one_player=True)
    ends: list[tuple[float, float] | None] = [None] * len(scores)
    if verdicts.intervals is not None:
        ends = [(low, high) for low, high in verdicts.intervals.tolist()]
    rows = zip(verdicts.ranks.tolist(), verdicts.ratings.tolist(), scores, moves, ends, strict=True)
    return [Estimate(*row) for row in rows]


def _mean_beta(moves: MoveFeatures) -> float:
    if not moves.moves:
        raise UsageError(NO_MOVES)
    return float(moves.columns[STRENGTH][:, BETA].mean(dtype=np.float64))


def player_numbers(games: Sequence[PlayerGame]) -> NDArray[np.int64]:
    """Number the players of games by their names; -1 for those without one."""
    names = [game.name for game in games]
    known = {name: number for number, name in enumerate(dict.fromkeys(filter(None, names)))}
    return np.array([known.get(name, -1) for name in names], np.int64)
