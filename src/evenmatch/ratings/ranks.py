"""Ranks: bands of ratings, numbered from the strongest as in Chen et al. 2025."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Ranks:
    """``count`` bands of ``width`` rating points, the weakest beginning at ``lowest``.

    Rank 1 is the strongest, ``count`` the weakest; 0 stands for a rating outside all of them.
    """

    lowest: int = 1000
    width: int = 200
    count: int = 8

    def __post_init__(self) -> None:
        if self.width < 1 or self.count < 2:
            raise UsageError(
                f"{self.count} ranks of {self.width} points cannot be distinguished; use at "
                "least 2 ranks of at least 1 point"
            )

    @property
    def highest(self) -> int:
        """The first rating above all ranks."""
        return self.lowest + self.count * self.width

    def of(self, ratings: ArrayLike) -> NDArray[np.int64]:
        """Return the ranks of ratings, in the same shape; 0 where outside."""
        ratings = np.asarray(ratings)
        inside = (ratings >= self.lowest) & (ratings < self.highest)
        steps = (np.where(inside, ratings, self.highest) - self.lowest) // self.width
        return self.count - steps.astype(np.int64)

    def middle(self, ranks: ArrayLike) -> NDArray[np.float64]:
        """Return the ratings in the middle of ranks; a fractional rank lies between two."""
        return self.highest - (np.asarray(ranks) - 0.5) * self.width

    def name(self, rank: int) -> str:
        """Return a rank's first and last rating, such as ``2400-2599``."""
        last = self.highest - (rank - 1) * self.width - 1
        return f"{last - self.width + 1}-{last}"
