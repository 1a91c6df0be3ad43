"""What is known of moves, game by game: columns of numbers under a few names."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STRENGTH = "strength"  #: [M, n] all that the strength head says of the position after the move
LIKELIHOOD = "likelihood"  #: [M, K] log P(move) by the policy, conditioned on each of K ratings
ENTROPY = "entropy"  #: [M, K] of the policy, conditioned on them
CHOICE = "choice"  #: [M, 2] at the highest: P of the likeliest move, log(1 + moves likelier)
POLICIES = "policies"
"""[M, 4 N] of N other networks, each: log P(move), entropy, log(1 + moves likelier), and how far
below the likeliest log P is."""
VALUE = "value"  #: [M, 2] of the network for the mover, before and after the move
EVALS = "evals"  #: [M, 2] centipawns of the record for the mover, likewise; NaN: none
MADE = "made"  #: [M, 1] 1 where EVALS were made by an engine here, 0 where they were recorded
PLACE = "place"
"""[M, 2] a move's number in its game, from 0, and of how many; where some were left out."""


class MoveFeatures(NamedTuple):
    """Columns of M moves in G games, those of each game together and in order."""

    columns: dict[str, NDArray[np.float32]]  # name, of those above, -> [M, ...]
    counts: NDArray[np.int64]  # [G] moves of each game; their sum is M

    @property
    def games(self) -> NDArray[np.int64]:
        """Which game each move belongs to, [M]."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def places(self) -> NDArray[np.int64]:
        """The number of each move in its game, [M], from 0."""
        if PLACE in self.columns:
            return self.columns[PLACE][:, 0].astype(np.int64)
        return np.arange(self.moves) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)

    @property
    def left(self) -> NDArray[np.int64]:
        """How many moves of its game come from each move on, [M], from 1."""
        whole = self.counts[self.games]
        if PLACE in self.columns:
            whole = self.columns[PLACE][:, 1].astype(np.int64)
        return whole - self.places

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return int(self.counts.sum())

    def __add__(self, other: "MoveFeatures") -> "MoveFeatures":  # type: ignore[override]
        """Return the games of both."""
        columns = {
            name: np.concatenate([rows, other.columns[name]]) for name, rows in self.columns.items()
        }
        return MoveFeatures(columns, np.concatenate([self.counts, other.counts]))

    def only(self, chosen: NDArray[np.bool_]) -> "MoveFeatures":
        """Return the moves chosen [M]; no game is dropped, even if it has none left."""
        counts = np.bincount(self.games[chosen], minlength=len(self.counts))
        columns = {name: rows[chosen] for name, rows in self.columns.items()}
        return MoveFeatures(columns, counts.astype(np.int64))

    def games_only(self, chosen: NDArray[np.bool_]) -> "MoveFeatures":
        """Return the games chosen [G]; the others are dropped."""
        kept = self.only(np.repeat(chosen, self.counts))
        return kept._replace(counts=self.counts[chosen])

    def first(self, count: int) -> "MoveFeatures":
        """Return the first ``count`` moves of each game."""
        return self.only(self.places < count)

    def last(self, count: int) -> "MoveFeatures":
        """Return the last ``count`` moves of each game."""
        return self.only(self.left <= count)

    def one_each(self, rng: np.random.Generator) -> "MoveFeatures":
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
