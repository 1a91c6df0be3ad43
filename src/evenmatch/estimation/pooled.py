"""Ours: ranks from all that a game's moves say together.

The paper keeps of a game the mean of one score. Here a game is a row of features: of every column
of its moves the mean, the spread, and the means over opening, middle and end. The mean of such rows
over N games is nearly normal, with a rank's mean and N-th part of the games' covariance; the
rank is the one under which it is likeliest. (With a common covariance that is Fisher's linear
discriminant, and needs no training by descent: its numbers follow from sums.)
"""

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.methods import Floats, Method, Verdicts, chances
from evenmatch.estimation.outputs import MoveOutputs
from evenmatch.estimation.ranks import Ranks

SEGMENTS = ((0, 10), (10, 25), (25, 10_000))  #: own moves of opening, middle and end
CLIP = 4.0  #: standard deviations beyond which a feature is cut
RIDGE = 1e-3  #: added to the variance of standardized features


class PooledFeatures(Method):
    """The likeliest rank of the mean of games' features.

    ``scores`` are columns as they are; ``logits``, (first, count), those of the ranks, which count
    as logs of chances; ``losses``, if given, the column of what moves gave up (see ``losses``).
    """

    def __init__(self, scores: tuple[int, ...], logits: tuple[int, int], losses: int | None = None):
        self.scores, self.logits, self.losses = scores, logits, losses
        self._scale: tuple[Floats, Floats] | None = None  # mean and deviation of features, [F] both
        self.means: Floats | None = None  #: [R, F] of ranks 1 to R, standardized
        self.precision: Floats | None = None  #: [F, F] inverse of the covariance within ranks

    def columns(self, moves: MoveOutputs) -> Floats:
        """Return the numbers of each move that are pooled, [M, C]; NaN where there is none."""
        first, count = self.logits
        parts = [moves.rows[:, self.scores].astype(np.float64)]
        parts.append(np.log(chances(moves.rows[:, first : first + count])))
        if self.losses is not None:
            parts.append(_of_losses(moves.rows[:, self.losses].astype(np.float64)))
        return np.hstack(parts)

    def features(self, moves: MoveOutputs) -> Floats:
        """Return the features of each game, [G, F]; NaN where a game has none."""
        columns, places = self.columns(moves), moves.places
        mean = _means(moves, columns)
        spread = np.sqrt(np.maximum(_means(moves, columns**2) - mean**2, 0))
        parts = [
            _means(moves, np.where(((places >= low) & (places < high))[:, None], columns, np.nan))
            for low, high in SEGMENTS
        ]
        length = np.log(np.maximum(moves.counts, 1))[:, None]
        return np.hstack([mean, spread, *parts, length])

    def evidence(self, moves: MoveOutputs) -> Floats:
        """Return the standardized features and a one, [G, F + 1]; ``learn`` comes first."""
        if self._scale is None:
            raise UsageError(
                "the estimator knows no games yet; call learn with games to learn from"
            )
        mean, deviation = self._scale
        rows = np.clip((self.features(moves) - mean) / deviation, -CLIP, CLIP)
        return np.hstack([np.nan_to_num(rows), np.ones((len(rows), 1))])

    def learn(self, moves: MoveOutputs, labels: NDArray[np.int64], ranks: Ranks) -> None:
        """Learn the features' means and covariance from games of ranks ``labels`` [G].

        They should be of players that the network did not learn from. UsageError names a rank with
        fewer than two games.
        """
        raw = self.features(moves)[labels > 0]
        raw[:, np.isnan(raw).all(0)] = 0.0
        mean, deviation = np.nanmean(raw, 0), np.nanstd(raw, 0)
        varies = deviation > 1e-6 * (1 + np.abs(mean))  # else it is rounding that varies
        self._scale = mean, np.where(varies, deviation, np.inf)
        rows, known = self.evidence(moves)[labels > 0, :-1], labels[labels > 0]
        of_rank = [rows[known == rank] for rank in range(1, 1 + ranks.count)]
        for rank, games in enumerate(of_rank, start=1):
            if len(games) < 2:
                raise UsageError(f"fewer than two games rated {ranks.name(rank)}; add some")
        self.means = np.array([games.mean(0) for games in of_rank])
        within = np.mean([np.cov(games.T) for games in of_rank], 0)
        self.precision = np.linalg.inv(within + RIDGE * np.eye(len(within)))

    def decide(self, evidence: Floats, ranks: Ranks) -> Verdicts:
        """Return the likeliest rank, and the mean rating by the ranks' chances."""
        assert self.means is not None, "evidence() has refused before"
        assert self.precision is not None
        games = evidence[:, -1:]
        off = (evidence[:, :-1] / games)[:, None] - self.means
        logs = -0.5 * games * np.einsum("nrf,fg,nrg->nr", off, self.precision, off, optimize=True)
        shares = chances(logs)
        return Verdicts(1 + shares.argmax(1), shares @ ranks.middle(np.arange(1, 1 + ranks.count)))


def _means(moves: MoveOutputs, values: Floats) -> Floats:
    """Return the means over each game of values [M, C] that are there; NaN where none is."""
    known = ~np.isnan(values)
    totals, counts = moves.sums(np.where(known, values, 0.0)), moves.sums(known.astype(float))
    return np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0.5)


def _of_losses(lost: Floats) -> Floats:
    """Return how often and how much moves lost, [M, 7] of [M]: chances to win, from 0 to 1."""
    steps = [
        np.where(np.isnan(lost), np.nan, lost > bound) for bound in (0.005, 0.02, 0.05, 0.1, 0.2)
    ]
    return np.column_stack([lost, np.sqrt(lost), *steps])
