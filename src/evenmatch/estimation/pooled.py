"""Ours: a rating from all that a game's moves say together.

The paper keeps of a game the mean of one score. Here a small network turns everything that is known
of a move (``move_numbers``) into a few features, whose means over the game count (``move_net``).
What such a row says of every rating follows from a normal model (``normal``), whose means are
smooth in the rating: ranks with few games learn from their neighbours.

People are parted in two. Features learned from one half are modelled on the other, and the other
way round, so that no game is judged by features that know it; the two opinions are averaged.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.move_features import (
    CHOICE,
    ENTROPY,
    EVALS,
    LIKELIHOOD,
    MADE,
    POLICIES,
    STRENGTH,
    VALUE,
    MoveFeatures,
)
from evenmatch.estimation.player_games import lost_chances, winning_chances
from evenmatch.estimation.strength_estimator import Floats, Method, Verdicts, chances
from evenmatch.network.card import LOGITS, rank_logits
from evenmatch.ratings.belief import Belief
from evenmatch.ratings.ranks import Ranks
from evenmatch.records.record import Speed

LOSS_STEPS = (0.005, 0.02, 0.05, 0.1, 0.2)  #: of the chance to win, that moves lose more than
MOST_LOST = 6.0  #: pawns beyond which a loss is cut
UNDECIDED = (0.15, 0.85)  #: chances to win between which a game is open
PHASES = ((0, 5), (0, 10), (10, 25), (40, 10_000))  #: own moves
DEGREE = 3  #: of the curve of means
LEAST_SPREAD = 0.05  #: s(n) is at least this
BLOCK = 65536  #: moves at a time
CLIP = 4.0  #: standard deviations beyond which a number is cut
STEPS = 10  #: ratings of a rank that are compared
HALVES = 2
VERSION = 2  #: of the numbers; what was fitted to others is of no use


class Evals(Enum):
    """Which evaluations a game has. Each kind is judged by models of its own."""

    NONE = "plain"
    RECORDED = "evals"  #: those that the game was recorded with
    MADE = "made"  #: by an engine here

    @property
    def instead(self) -> "tuple[Evals, ...]":
        """Whose models judge such games, the first that there are."""
        kinds = list(Evals)
        return tuple(kinds[kinds.index(self) :: -1])


class Standardization(NamedTuple):
    """Mean and deviation of columns [C]; infinite deviations for columns that say nothing."""

    mean: Floats
    deviation: Floats

    def __call__(self, rows: Floats) -> Floats:
        """Return columns of mean 0 and deviation 1, cut; 0 where a number is not known."""
        return np.nan_to_num(np.clip((rows - self.mean) / self.deviation, -CLIP, CLIP))


class Layer(NamedTuple):
    """A dense layer."""

    weight: NDArray[np.float32]  # [out, in]
    bias: NDArray[np.float32]  # [out]


class NormalCurve(NamedTuple):
    """The fitted model."""

    curve: Floats  # [DEGREE + 1, F] coefficients of m
    precision: Floats  # [F, F] inverse of W
    spread: Floats  # [2] a and b of s(n)
    correlation: float  # intraclass, of what two games of one person say

    def logs(self, rows: Floats, moves: NDArray[np.int64], ratings: Floats) -> Floats:
        """Return what each game says of each scaled rating, [G, len(ratings)]."""
        means = powers(ratings) @ self.curve
        pulled = self.precision @ means.T  # [F, R]
        said = rows @ pulled - 0.5 * np.einsum("fr,rf->r", pulled, means)
        return said / spread_of(self.spread, moves)[:, None]


def spread_of(spread: Floats, moves: NDArray[np.int64]) -> Floats:
    """Return s(n) of games of so many moves."""
    return np.maximum(spread[0] + spread[1] / np.maximum(moves, 1), LEAST_SPREAD)


def powers(ratings: Floats) -> Floats:
    """Return the powers 0 to DEGREE of scaled ratings, [n, DEGREE + 1]."""
    return np.vander(np.asarray(ratings), DEGREE + 1, increasing=True)


def game_features(layers: list[Layer], numbers: NDArray[np.float32], moves: MoveFeatures) -> Floats:
    """Return each game's mean features [G, FEATURES], 0 if it has no moves; ``numbers`` [M, C]."""
    parts = [_forward(layers, numbers[at : at + BLOCK]) for at in range(0, len(numbers), BLOCK)]
    features = np.concatenate([np.zeros((0, len(layers[-1].bias))), *parts])
    return moves.sums(features) / np.maximum(moves.counts, 1)[:, None]


def _forward(layers: list[Layer], x: NDArray[np.float32]) -> NDArray[np.float32]:
    from scipy.special import ndtr

    for number, layer in enumerate(layers):
        x = x @ layer.weight.T + layer.bias
        if number < len(layers) - 1:
            x = x * ndtr(x)  # GELU
    return x


class GameModel(NamedTuple):
    """What was learned of one kind of games from one half of the people."""

    numbers: Standardization  # of the moves' numbers
    layers: list[Layer]
    features: Standardization  # of the games' features
    curve: NormalCurve

    def rows(self, numbers: Floats, moves: MoveFeatures) -> Floats:
        """Return the standardized features of each game, [G, F]."""
        scaled = self.numbers(numbers).astype(np.float32)
        return self.features(game_features(self.layers, scaled, moves))


class PooledFeatures(Method):
    """Estimates the most likely rank from the features of games.

    Games with evaluations, recorded or made here, are judged by models of each kind, if it learned
    from such.
    """

    def __init__(
        self,
        scale: int,
        ranks: Ranks | None = None,
        *,
        classes: int = 0,
        evals: bool = True,
        policies: bool = False,
    ) -> None:
        """``scale`` is the number of the network's rating scale.

        The network's strength head has ``classes`` ranks; 0 means as many as ``ranks``.
        ``evals`` says whether the record's evaluations count, where there are some, ``policies``
        whether what other networks say does, which all moves must come with then.
        """
        super().__init__(ranks)
        self.scale, self.evals, self.policies = scale, evals, policies
        self.classes = classes or self.ranks.count
        self._learned = self.ranks  # whose ratings curves are functions of
        self.shifts: Mapping[str, float] = {}
        """Elo that is taken off games of a speed, by the speed's name."""
        self.models: dict[Evals, list[GameModel]] = {}  #: of each kind of games
        self.centres = self.ranks.middle(np.arange(1, 1 + self.ranks.count))  #: [R] mean ratings

    @property
    def reads_evals(self) -> bool:
        """Whether it has learned from games with evaluations."""
        return Evals.RECORDED in self.models

    @property
    def grid(self) -> Floats:
        """The ratings that are compared, [S]."""
        step = self.ranks.width / STEPS
        return np.arange(self.ranks.lowest, self.ranks.highest, step) + step / 2

    def numbers(self, moves: MoveFeatures, kind: Evals) -> Floats:
        """Return the numbers of each move, [M, C]."""
        evals = kind is not Evals.NONE
        known = move_numbers(moves, rank_logits(self.scale, self.classes), evals)
        return np.hstack([known, moves.columns[POLICIES]]) if self.policies else known

    def evidence(self, moves: MoveFeatures) -> Floats:
        """Return what each game says of each rating of the grid, and a one: [G, S + 1].

        A game without moves says nothing, and has a zero there.
        """
        if not self.models:
            raise UsageError(
                "the estimator knows no games yet; call learn with games to learn from"
            )
        said = np.zeros((len(moves.counts), len(self.grid)))
        judges = {kind: self._judge(kind) for kind in Evals}
        judged_as = np.array([judges[kind].value for kind in kinds_of(moves)])
        grid = self._learned.scaled(self.grid)
        for kind, models in self.models.items():
            fits = (judged_as == kind.value) & (moves.counts > 0)
            chosen = moves.games_only(fits)
            numbers = self.numbers(chosen, kind)
            for model in models:
                logs = model.curve.logs(model.rows(numbers, chosen), chosen.counts, grid)
                said[fits] += logs / len(models)
        return np.hstack([said, (moves.counts > 0)[:, None]])

    def among(self, ranks: Ranks) -> "PooledFeatures":
        """Return the same method restricted to these of its ranks, the strongest first."""
        fewer = copy(self)
        fewer.ranks, fewer.centres = ranks, self.centres[: ranks.count]
        return fewer

    def _judge(self, kind: Evals) -> Evals:
        """Return of which kind the models are that judge games of a kind."""
        known = next((one for one in kind.instead if one in self.models), None)
        return known or next(iter(self.models))

    def at_speeds(self, evidence: Floats, speeds: Sequence[Speed]) -> Floats:
        """Return what games of these speeds say of ratings at their own speed, [G, S + 1]."""
        if not self.shifts:
            return evidence
        by = np.array([self.shifts.get(speed.name, 0.0) for speed in speeds])
        return shifted(evidence, self.grid, by)

    @property
    def correlation(self) -> float:
        """The intraclass correlation of what two games of one person say.

        It is the largest of all models, because evidence does not name its model.
        """
        models = [model for of_kind in self.models.values() for model in of_kind]
        return max((model.curve.correlation for model in models), default=0.0)

    @correlation.setter
    def correlation(self, value: float) -> None:
        self.models = {
            kind: [model._replace(curve=model.curve._replace(correlation=value)) for model in some]
            for kind, some in self.models.items()
        }

    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the most likely ranks, the posterior mean ratings and the 95% intervals.

        One person has the rank that most likely contains their rating. Many people of one rank
        have about its mean rating together: theirs is the rank whose ``centres`` fit best.
        """
        said, games = evidence[:, :-1], evidence[:, -1:]
        if one_player:
            said = said / (1 + self.correlation * np.maximum(games - 1, 0))
        belief = Belief(self.grid)
        belief.update(said)
        if one_player:
            by_rank = (
                belief.probabilities @ np.eye(1 + self.ranks.count)[self.ranks.of(self.grid)][:, 1:]
            )
        else:
            by_rank = np.array([np.interp(self.centres, self.grid, row) for row in said])
        return Verdicts(1 + by_rank.argmax(1), belief.mean, belief.interval())


def shifted(evidence: Floats, grid: Floats, by: Floats) -> Floats:
    """Return evidence [G, S + 1] of games that look stronger than their ratings, ``by`` [G] Elo.

    What was said of a rating is said of one that is lower by so much; beyond the grid's ends it is
    as there.
    """
    said = [np.interp(grid + off, grid, row[:-1]) for row, off in zip(evidence, by, strict=True)]
    return np.hstack([np.reshape(said, (len(by), len(grid))), evidence[:, -1:]])


def with_evals(moves: MoveFeatures) -> NDArray[np.bool_]:
    """Return which games have evaluations of at least half of their moves, [G]."""
    missing = np.isnan(moves.columns[EVALS]).any(1)
    known = moves.sums(np.logical_not(missing)[:, None])[:, 0]
    return (known > 0) & (2 * known >= moves.counts)


def kinds_of(moves: MoveFeatures) -> list[Evals]:
    """Return which evaluations each game has, [G]."""
    made = moves.columns.get(MADE, np.zeros((moves.moves, 1), np.float32))
    here = moves.sums(made)[:, 0] > 0
    return [
        (Evals.MADE if by_us else Evals.RECORDED) if evaluated else Evals.NONE
        for evaluated, by_us in zip(with_evals(moves), here, strict=True)
    ]


def move_numbers(moves: MoveFeatures, logits: slice, evals: bool) -> Floats:
    """Return the numbers of each move that are pooled, [M, C]; NaN where one is not known.

    They are the strength scores; the log-chances of the ranks; how likely the move was to players
    of some ratings, and how open the choice; how many moves were more likely; what the network,
    and the record, say it gave up, and how the game stood; and when it was played.
    """
    columns = {name: rows.astype(np.float64) for name, rows in moves.columns.items()}
    strength, before, after = columns[STRENGTH], *columns[VALUE].T
    parts = [
        strength[:, :LOGITS],
        np.log(chances(strength[:, logits])),
        columns[LIKELIHOOD],
        columns[ENTROPY],
        columns[CHOICE],
        columns[CHOICE][:, 1:] == 0,
        np.stack([before, before - after, np.maximum(before - after, 0)], 1),
        _of_places(moves),
    ]
    if evals:
        parts.append(_of_evals(columns[EVALS]))
    return np.hstack(parts)


def _of_places(moves: MoveFeatures) -> Floats:
    """Return how early and late in the game moves were, [M, 6]."""
    places, left = moves.places, moves.left
    rows: list[NDArray] = [np.minimum(places, 60) / 30, np.minimum(left, 20) / 10]
    rows += [(places >= low) & (places < high) for low, high in PHASES]
    return np.stack(rows, 1).astype(np.float64)


def _of_evals(evals: Floats) -> Floats:
    """Return how often and how much moves lost, and how the game stood, [M, 12] of [M, 2]."""
    lost, chance = lost_chances(evals), winning_chances(evals[:, 0])
    pawns = np.clip((evals[:, 0] - evals[:, 1]) / 100, 0, MOST_LOST)
    undecided = (chance > UNDECIDED[0]) & (chance < UNDECIDED[1])
    rows = [lost, np.sqrt(lost), *(lost > step for step in LOSS_STEPS)]
    rows += [pawns, np.log1p(pawns), chance, np.abs(chance - 0.5), undecided]
    return np.where(np.isnan(lost)[:, None], np.nan, np.stack(rows, 1))
