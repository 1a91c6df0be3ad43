"""Ranks: bands of ratings, numbered from the strongest as in Chen et al. 2025."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import UsageError
from evenmatch.ratings.scale import SCALES


@dataclass(frozen=True, kw_only=True)
class Ranks:
    """``count`` bands of ``width`` rating points, the weakest beginning at ``lowest``.

    Rank 1 is the strongest, ``count`` the weakest; 0 stands for a rating outside all of them.
    """

    lowest: int = 1000
    width: int = 200
    count: int = 8
    written: str = "elo"  #: how its ratings are written, a key of `ratings.scale.SCALES`

    @property
    def numbers(self) -> dict[str, int]:
        """Return what a network's card says of them."""
        return {"lowest": self.lowest, "width": self.width, "count": self.count}

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

    @property
    def centre(self) -> float:
        """The rating in the middle of all."""
        return (self.lowest + self.highest) / 2

    def scaled(self, ratings: ArrayLike) -> NDArray[np.float64]:
        """Return ratings in units of half of all ranks: from -1, the lowest, to 1."""
        return (np.asarray(ratings) - self.centre) / (self.highest - self.centre)

    @property
    def bands(self) -> "Bands":
        """The bands of ratings that they are."""
        edges = range(self.lowest, self.highest + 1, self.width)
        return Bands(tuple(edges), self.written)

    def name(self, rank: int) -> str:
        """Return a rank's first and last rating, such as ``2400-2599`` or ``4k-1k``."""
        return self.bands.name(rank)


@dataclass(frozen=True)
class Bands:
    """Bands of ratings that tables are of; number 1 is the strongest, as of ranks.

    ``edges`` increase: where each band begins, the weakest in front, and where the last ends.
    """

    edges: tuple[int, ...]
    written: str = "elo"  #: how ratings are written, a key of `ratings.scale.SCALES`

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each band begins and ends, the strongest in front."""
        return list(pairwise(self.edges))[::-1]

    @property
    def middles(self) -> NDArray[np.float64]:
        """The ratings in the middle of the bands, the strongest in front."""
        return np.array(self.spans, np.float64).mean(1)

    def name(self, number: int) -> str:
        """Return a band's first and last rating, such as ``2400-2599``, ``4k-1k`` or ``9d``."""
        ends = SCALES[self.written].ends(*self.spans[number - 1])
        return "-".join(dict.fromkeys(ends))
