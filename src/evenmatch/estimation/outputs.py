"""What a network says of moves, game by game."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class MoveOutputs(NamedTuple):
    """Rows of M moves in G games, those of each game together and in order."""

    rows: NDArray[np.float32]  # [M, K]; what the columns are is for who made them to say
    counts: NDArray[np.int64]  # [G] moves of each game; their sum is M

    @property
    def games(self) -> NDArray[np.int64]:
        """Which game each move belongs to, [M]."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def places(self) -> NDArray[np.int64]:
        """The number of each move in its game, [M], from 0."""
        return np.arange(len(self.rows)) - np.repeat(
            np.cumsum(self.counts) - self.counts, self.counts
        )

    def __add__(self, other: "MoveOutputs") -> "MoveOutputs":  # type: ignore[override]
        """Return the games of both."""
        return MoveOutputs(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.counts, other.counts])
        )

    def only(self, chosen: NDArray[np.bool_]) -> "MoveOutputs":
        """Return the moves chosen [M]; no game is dropped, even if it has none left."""
        counts = np.bincount(self.games[chosen], minlength=len(self.counts))
        return MoveOutputs(self.rows[chosen], counts.astype(np.int64))

    def first(self, count: int) -> "MoveOutputs":
        """Return the first ``count`` moves of each game."""
        return self.only(self.places < count)

    def last(self, count: int) -> "MoveOutputs":
        """Return the last ``count`` moves of each game."""
        return self.only(self.places >= self.counts[self.games] - count)

    def one_each(self, rng: np.random.Generator) -> "MoveOutputs":
        """Return one random move of each game."""
        return self.only(
            self.places == (rng.random(len(self.counts)) * self.counts).astype(np.int64)[self.games]
        )

    def sums(self, values: NDArray) -> NDArray[np.float64]:
        """Add up ``values`` [M, D] of the moves over each game, [G, D]."""
        totals = np.zeros((len(self.counts), values.shape[1]))
        some = self.counts > 0
        if some.any():
            starts = (np.cumsum(self.counts) - self.counts)[some]
            totals[some] = np.add.reduceat(values, starts, dtype=np.float64)
        return totals
