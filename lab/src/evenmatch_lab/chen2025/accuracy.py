"""Accuracy of rank estimates by number of games: the protocol of Chen et al. 2025, section 4.2.

Query games are drawn with replacement, all of one rank at a time, 500 times for each number of
games; a prediction is right if it is the rank, or with tolerance a neighbour of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.strength_estimator import Method

REPEATS = 500  #: predictions for each rank and number of games, as in the paper


@dataclass(frozen=True)
class Accuracy:
    """What came of the predictions from one number of games."""

    games: int
    confusion: NDArray[np.int64]  #: [R, R] true rank by predicted rank, counts
    error: float  #: mean absolute error of the rating, Elo

    @property
    def by_rank(self) -> NDArray[np.float64]:
        """Share of right predictions for each true rank, [R]."""
        return np.diag(self.confusion) / self.confusion.sum(1)

    @property
    def exact(self) -> float:
        """Share of right predictions."""
        return float(self.by_rank.mean())

    @property
    def within_one(self) -> float:
        """Share of predictions that are the rank or a neighbour of it."""
        near = np.abs(np.subtract.outer(*[np.arange(len(self.confusion))] * 2)) <= 1
        return float(((self.confusion * near).sum(1) / self.confusion.sum(1)).mean())


def measure(
    method: Method,
    evidence: NDArray[np.float64],
    labels: NDArray[np.int64],
    ratings: NDArray,
    numbers: Sequence[int],
    *,
    repeats: int = REPEATS,
    seed: int = 0,
) -> list[Accuracy]:
    """Return the accuracy from each of ``numbers`` of games, whose ``evidence`` [G, D] is given.

    ``labels`` [G] are the query games' ranks (0: left out), ``ratings`` [G] what their players
    had; the error compares with the mean rating of the games drawn. UsageError if a rank has no
    query games.
    """
    rng, ranks = np.random.default_rng(seed), method.ranks
    of_rank = [np.nonzero(labels == rank)[0] for rank in range(1, 1 + ranks.count)]
    for rank, games in enumerate(of_rank, start=1):
        if not len(games):
            raise UsageError(f"no query games of players rated {ranks.name(rank)}; add some")
    accuracies = []
    for number in numbers:
        drawn = np.concatenate([rng.choice(games, (repeats, number)) for games in of_rank])
        truth = np.repeat(np.arange(1, 1 + ranks.count), repeats)
        guess, rating, _ = method.decide(evidence[drawn].sum(1))
        confusion = np.zeros((ranks.count, ranks.count), np.int64)
        np.add.at(confusion, (truth - 1, guess - 1), 1)
        error = float(np.abs(rating - ratings[drawn].mean(1)).mean())
        accuracies.append(Accuracy(number, confusion, error))
    return accuracies
