"""Ours: a rating from all that a game's moves say together.

The paper keeps of a game the mean of one score. Here a game is a row of features: of every number
that is known of its moves (``move_numbers``) the mean, the spread, and the means over opening,
middle and end. What such a row says of every rating follows from a normal model (``normal``), whose
means are smooth in the rating: ranks with few games learn from their neighbours.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import normal
from evenmatch.estimation.losses import lost_chances, winning_chances
from evenmatch.estimation.methods import Floats, Method, Verdicts, chances
from evenmatch.estimation.outputs import (
    CHOICE,
    ENTROPY,
    EVALS,
    LIKELIHOOD,
    STRENGTH,
    VALUE,
    MoveOutputs,
)
from evenmatch.estimation.ranks import Ranks
from evenmatch.network.strength_head import LOGITS, rank_logits

SEGMENTS = ((0, 10), (10, 25), (25, 10_000))  #: own moves of opening, middle and end
LOSS_STEPS = (0.005, 0.02, 0.05, 0.1, 0.2)  #: of the chance to win, that moves lose more than
MOST_LOST = 6.0  #: pawns beyond which a loss is cut
UNDECIDED = (0.15, 0.85)  #: chances to win between which a game is open
CLIP = 4.0  #: standard deviations beyond which a feature is cut
STEP = 20.0  #: Elo between the ratings that are compared
TAILS = (0.025, 0.975)  #: chances below the ends of an interval
LEAST_GAMES = 2  #: of each rank, to learn from
VERSION = 1  #: of the features; fitted ones are of no use to another


class GameModel(NamedTuple):
    """What was learned of one kind of games."""

    mean: Floats  # [F] of the features
    deviation: Floats  # [F], infinite for features that say nothing
    curve: normal.NormalCurve

    def rows(self, features: Floats) -> Floats:
        """Return features of mean 0 and deviation 1, cut; 0 where a game has none."""
        return np.nan_to_num(np.clip((features - self.mean) / self.deviation, -CLIP, CLIP))


class PooledFeatures(Method):
    """The likeliest rank by the features of games.

    Games that came with evaluations are judged by a model of their own, if it learned from such.
    """

    def __init__(self, scale: int, ranks: Ranks | None = None, *, evals: bool = True) -> None:
        """``scale`` is the number of the network's rating scale, ``ranks`` are those of its head.

        ``evals`` says whether the record's evaluations count, where there are some.
        """
        super().__init__(ranks)
        self.scale, self.evals = scale, evals
        self.models: dict[bool, GameModel] = {}  #: for games without and with evaluations

    @property
    def grid(self) -> Floats:
        """The ratings that are compared, [S]."""
        return np.arange(self.ranks.lowest, self.ranks.highest, STEP) + STEP / 2

    def features(self, moves: MoveOutputs, evals: bool) -> Floats:
        """Return the features of each game, [G, F]; NaN where a game has none."""
        logits = rank_logits(self.scale, self.ranks.count)
        numbers, places = move_numbers(moves, logits, evals), moves.places
        mean = moves.means(numbers)
        spread = np.sqrt(np.maximum(moves.means(numbers**2) - mean**2, 0))
        parts = [
            moves.means(np.where(((places >= low) & (places < high))[:, None], numbers, np.nan))
            for low, high in SEGMENTS
        ]
        length = np.log(np.maximum(moves.counts, 1))[:, None]
        return np.hstack([mean, spread, *parts, length])

    def evidence(self, moves: MoveOutputs) -> Floats:
        """Return what each game says of each rating of the grid, and a one: [G, S + 1].

        A game without moves says nothing, and has a zero there.
        """
        if not self.models:
            raise UsageError(
                "the estimator knows no games yet; call learn with games to learn from"
            )
        said, told = np.zeros((len(moves.counts), len(self.grid))), with_evals(moves)
        for evals, model in self.models.items():
            fits = (told == evals) if len(self.models) > 1 else np.ones_like(told)
            fits &= moves.counts > 0
            rows = model.rows(self.features(moves, evals)[fits])
            said[fits] = model.curve.logs(rows, moves.counts[fits], self.grid)
        return np.hstack([said, (moves.counts > 0)[:, None]])

    def learn(self, moves: MoveOutputs, ratings: Floats, players: NDArray[np.int64]) -> None:
        """Learn from games of known ratings; all ranks count the same, however many their games.

        They should be of players that the network did not learn from. UsageError names a rank with
        fewer than two games.
        """
        labels = np.where(moves.counts > 0, self.ranks.of(ratings), 0)
        scarce = _scarce(labels, self.ranks)
        if scarce:
            raise UsageError(f"fewer than two games rated {self.ranks.name(scarce)}; add some")
        self.models = {False: self._model(moves, ratings, labels, players, False)}
        labels = np.where(with_evals(moves), labels, 0)
        if self.evals and not _scarce(labels, self.ranks):
            self.models[True] = self._model(moves, ratings, labels, players, True)

    def _model(
        self,
        moves: MoveOutputs,
        ratings: Floats,
        labels: NDArray[np.int64],
        players: NDArray[np.int64],
        evals: bool,
    ) -> GameModel:
        """Learn from the games that have a label."""
        chosen = np.nonzero(labels)[0]
        raw = self.features(moves, evals)[chosen]
        raw[:, np.isnan(raw).all(0)] = 0.0
        mean, deviation = np.nanmean(raw, 0), np.nanstd(raw, 0)
        varies = deviation > 1e-6 * (1 + np.abs(mean))  # else it is rounding that varies
        scale = GameModel(mean, np.where(varies, deviation, np.inf), normal.NOTHING)
        weights = 1.0 / np.bincount(labels)[labels[chosen]]
        known = (ratings[chosen], moves.counts[chosen], weights / weights.sum(), players[chosen])
        return scale._replace(curve=normal.fit(normal.Sample(scale.rows(raw), *known)))

    def decide(self, evidence: Floats, one_player: bool = False) -> Verdicts:
        """Return the likeliest ranks, the mean ratings by their chances, and what holds 95%.

        Where games with and without evaluations are mixed, the larger kinship counts.
        """
        said, games = evidence[:, :-1], evidence[:, -1:]
        if one_player:
            kinship = max(model.curve.kinship for model in self.models.values())
            said = said / (1 + kinship * np.maximum(games - 1, 0))
        shares = chances(said)
        by_rank = shares @ np.eye(1 + self.ranks.count)[self.ranks.of(self.grid)][:, 1:]
        return Verdicts(1 + by_rank.argmax(1), shares @ self.grid, self._intervals(shares))

    def _intervals(self, shares: Floats) -> Floats:
        """Return the ratings [n, 2] between which 95% of the chances [n, S] lie."""
        ends = np.append(self.grid - STEP / 2, self.grid[-1] + STEP / 2)
        below = np.hstack([np.zeros((len(shares), 1)), shares.cumsum(1)])
        return np.array([np.interp(TAILS, row, ends) for row in below]).reshape(-1, 2)


def with_evals(moves: MoveOutputs) -> NDArray[np.bool_]:
    """Return which games have evaluations of at least half of their moves, [G]."""
    missing = np.isnan(moves.columns[EVALS]).any(1)
    known = moves.sums(np.logical_not(missing)[:, None])[:, 0]
    return (known > 0) & (2 * known >= moves.counts)


def _scarce(labels: NDArray[np.int64], ranks: Ranks) -> int:
    """Return a rank with too few games to learn from; 0 if there is none."""
    counts = np.bincount(labels, minlength=1 + ranks.count)[1:]
    return 1 + int(counts.argmin()) if counts.min() < LEAST_GAMES else 0


def move_numbers(moves: MoveOutputs, logits: slice, evals: bool) -> Floats:
    """Return the numbers of each move that are pooled, [M, C]; NaN where one is not known.

    They are the strength scores; the log-chances of the ranks; how likely the move was to players
    of some ratings, and how open the choice; how many moves were likelier; what the network, and
    the record, say it gave up, and how the game stood.
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
    ]
    if evals:
        parts.append(_of_evals(columns[EVALS]))
    return np.hstack(parts)


def _of_evals(evals: Floats) -> Floats:
    """Return how often and how much moves lost, and how the game stood, [M, 12] of [M, 2]."""
    lost, chance = lost_chances(evals), winning_chances(evals[:, 0])
    pawns = np.clip((evals[:, 0] - evals[:, 1]) / 100, 0, MOST_LOST)
    undecided = (chance > UNDECIDED[0]) & (chance < UNDECIDED[1])
    rows = [lost, np.sqrt(lost), *(lost > step for step in LOSS_STEPS)]
    rows += [pawns, np.log1p(pawns), chance, np.abs(chance - 0.5), undecided]
    return np.where(np.isnan(lost)[:, None], np.nan, np.stack(rows, 1))
