"""How even a player is with many opponents: means of |W - L|, and what chance does to them.

W and L are shares of the games. Such a mean is not 0 between equals, for each |W - L| strays to
one side only, the farther the fewer games there are. Its intervals are from games drawn with
replacement, each opponent's by itself: by pairs of one opening, by series where a player learns,
and by games of a side where a table has no more than counts (the papers'). A table of another
number of games is set beside ours as it would look in as many as ours has (``mean_in``, ``d_in``).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import Interval
from evenmatch.ratings.pentanomial import SCORES
from evenmatch_lab.shared.opponents import Row, both, by_side, imbalance, metric_d

DRAWS, SEED = 2000, 0
SIDES = ("first", "second")
OUTCOMES = np.array([1.0, -1.0, 0.0])  #: of [wins, losses, draws]

Draw = Callable[[Row, np.random.Generator], NDArray[np.float64]]
"""Draws the games of a row; returns ``DRAWS`` absolute differences, those of each side apart."""


def mean_imbalance(rows: Mapping[str, Row]) -> float:
    """Return the mean of |W - L| over opponents."""
    return sum(abs(imbalance(both(row))) for row in rows.values()) / len(rows)


def mean_by_side(rows: Mapping[str, Row]) -> float:
    """Return the mean of |W - L| over opponents and sides."""
    return sum(map(by_side, rows.values())) / len(rows)


def d_per_game(rows: Mapping[str, Row]) -> float:
    """Return D (Fujita 2022 eq. 11) divided by the games against each opponent."""
    return metric_d(rows) / both(next(iter(rows.values()))).games


def equals_show(games: int) -> float:
    """Return the mean of |W - L| of equals who never draw, in so many independent games.

    By the normal distribution, whose mean of |x| is sqrt(2 / pi) standard deviations.
    """
    return math.sqrt(2 / (math.pi * games))


class Drawn(NamedTuple):
    """A statistic of a table, and what it is with the games drawn anew."""

    value: float
    draws: NDArray[np.float64]  #: [DRAWS]

    def __sub__(self, other: "Drawn") -> "Drawn":  # type: ignore[override]
        return Drawn(self.value - other.value, self.draws - other.draws)

    def __abs__(self) -> "Drawn":
        return Drawn(abs(self.value), np.abs(self.draws))

    @property
    def interval(self) -> Interval:
        """Both ends at 95%."""
        low, high = np.quantile(self.draws, (0.025, 0.975))
        return Interval(float(low), float(high))

    @property
    def sign(self) -> int:
        """1 or -1 where the interval leaves out 0, else 0."""
        return -self.side_of(0.0)

    def side_of(self, value: float) -> int:
        """Return 1 for a value above the interval, -1 for one below, else 0."""
        low, high = self.interval
        return int(value > high) - int(value < low)

    def text(self, form: str = ".2f") -> str:
        """Write the value with its interval."""
        low, high = self.interval
        return f"{self.value:{form}} ({low:{form}} to {high:{form}})"


def drawn_mean(rows: Mapping[str, Row], seed: int = SEED) -> Drawn:
    """Return the mean of |W - L| over opponents."""
    return Drawn(mean_imbalance(rows), _sum(rows, _differences, seed) / len(rows))


def drawn_d(rows: Mapping[str, Row], seed: int = SEED) -> Drawn:
    """Return D per game. Games of either side are drawn apart."""
    return Drawn(d_per_game(rows), _sum(rows, _by_side, seed) / 2)


def mean_in(rows: Mapping[str, Row], games: int) -> Drawn:
    """Return the mean of |W - L| that so many games with each opponent would show.

    As many with either side, at the chances that the rows tell, as uncertain as they are. The value
    is the mean of the draws. A mean of as many games that lies outside the interval is of other
    chances (at 95%, games taken as independent).
    """
    return _drawn_only(_sum(rows, partial(_new_differences, games), SEED) / len(rows))


def d_in(rows: Mapping[str, Row], games: int) -> Drawn:
    """Return D per game that so many games with each opponent would show; as ``mean_in``."""
    return _drawn_only(_sum(rows, partial(_new_by_side, games), SEED) / 2)


def _drawn_only(draws: NDArray[np.float64]) -> Drawn:
    return Drawn(float(draws.mean()), draws)


def _sum(rows: Mapping[str, Row], draw: Draw, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return np.sum([draw(row, rng) for row in rows.values()], axis=0)


def _differences(row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of a row's games, drawn by the largest unit that it names."""
    if "series" in row:
        counts = np.array(row["series"], float)  # [series, 3]
        drawn = counts[rng.integers(0, len(counts), (DRAWS, len(counts)))].sum(1)
        return np.abs(drawn @ OUTCOMES) / drawn.sum(1)
    if "pairs" in row:
        return np.abs(_mean(row["pairs"], 2 * np.array(SCORES) - 1, rng))
    sides = [row[side] for side in SIDES]
    games = np.sum(sides)
    return np.abs(sum(_mean(side, OUTCOMES, rng) * np.sum(side) for side in sides)) / games


def _by_side(row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of each side, added up."""
    return sum((np.abs(_mean(row[side], OUTCOMES, rng)) for side in SIDES), start=np.zeros(DRAWS))


def _new_differences(games: int, row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of new games, half with each side."""
    first, second = (_new_mean(row[side], games // 2, rng) for side in SIDES)
    return np.abs(first + second) / 2


def _new_by_side(games: int, row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of each side's new games, added up."""
    first, second = (np.abs(_new_mean(row[side], games // 2, rng)) for side in SIDES)
    return first + second


def _new_mean(counts: Iterable[int], games: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return W - L [DRAWS] of so many games, at shares drawn from counts [wins, losses, draws]."""
    seen = np.array(counts)
    shares = rng.multinomial(seen.sum(), seen / seen.sum(), DRAWS) / seen.sum()
    return rng.multinomial(games, shares) @ OUTCOMES / games


def _mean(counts: Iterable[int], values: NDArray, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the means [DRAWS] of values that occurred so often, drawn with replacement."""
    seen = np.array(counts)
    return rng.multinomial(seen.sum(), seen / seen.sum(), DRAWS) @ values / seen.sum()
