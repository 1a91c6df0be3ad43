"""How even a player is with many opponents: means of |W - L|, and what chance does to them.

W and L are shares of the games. Such a mean is not 0 between equals, because each |W - L| strays to
one side only, the farther the fewer games there are: sqrt(2 / (pi n)) in n games without draws. A
measure that chance does not fill is in `debiased.py`. Intervals here are from games drawn with
replacement, each opponent's by itself: by pairs of one opening, and by games of a side where a
table has no more than counts (the papers'). A table of another number of games is shown as it
would look in as many as ours has (``mean_in``, ``d_in``); ``compared`` says whether two tables
differ.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


class Drawn(NamedTuple):
    """A statistic of a table, and what it is with the games drawn again."""

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
        """1 or -1 where the interval leaves out 0, otherwise 0."""
        low, high = self.interval
        return int(low > 0) - int(high < 0)

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
    """Return the mean of |W - L| that so many games with each opponent show at the rows' shares.

    Games are independent, and the first side has the odd one. The value is the mean of the draws.
    """
    return _in_games(rows, games, overall)


def d_in(rows: Mapping[str, Row], games: int) -> Drawn:
    """Return D per game that so many games with each opponent show; as ``mean_in``."""
    return _in_games(rows, games, by_sides)


Uneven = Callable[[NDArray[np.float64], NDArray[np.float64], int], NDArray[np.float64]]
"""What W - L, as counts of games moved first and second, says of how uneven so many games are."""


def overall(first: NDArray, second: NDArray, games: int) -> NDArray[np.float64]:
    """Return |W - L| of all games, as shares."""
    return np.abs(first + second) / games


def by_sides(first: NDArray, second: NDArray, games: int) -> NDArray[np.float64]:
    """Return the part of D per game: either side's |W - L|."""
    return (np.abs(first) + np.abs(second)) / games


def compared(ours: Mapping[str, Row], theirs: Mapping[str, Row], uneven: Uneven) -> int:
    """Return 1 if ours are less even, -1 if more, 0 if that is undecided, at 95%.

    If the chances were the same, the most likely are the shares of both tables together. From these
    both are drawn again, each in its own number of games, taken as independent. What is compared is
    the sum over opponents: it strays upwards by chance, the more the fewer games there are, in the
    draws as in the tables.
    """
    rng = np.random.default_rng(SEED)
    seen, drawn = 0.0, np.zeros(DRAWS)
    for name, row in ours.items():
        pooled = [np.add(row[side], theirs[name][side]) for side in SIDES]
        for sign, table in ((1, row), (-1, theirs[name])):
            sizes = [int(np.sum(table[side])) for side in SIDES]
            first, second = (np.array([table[side] @ OUTCOMES]) for side in SIDES)
            seen += sign * uneven(first, second, sum(sizes))[0]
            first, second = _differences_drawn(pooled, sizes, rng)
            drawn += sign * uneven(first, second, sum(sizes))
    low, high = np.quantile(drawn, (0.025, 0.975))
    return int(seen > high) - int(seen < low)


def _in_games(rows: Mapping[str, Row], games: int, uneven: Uneven) -> Drawn:
    rng, sizes = np.random.default_rng(SEED), [games - games // 2, games // 2]
    total = np.zeros(DRAWS)
    for row in rows.values():
        first, second = _differences_drawn([row[side] for side in SIDES], sizes, rng)
        total += uneven(first, second, games)
    total /= 1 if uneven is by_sides else len(rows)  # D is a sum
    return Drawn(float(total.mean()), total)


def _differences_drawn(
    counts: Iterable[ArrayLike], sizes: Iterable[int], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return W - L [DRAWS] of new games of each side, at the shares of [wins, losses, draws]."""
    first, second = (
        rng.multinomial(size, np.array(own) / np.sum(own), DRAWS) @ OUTCOMES
        for own, size in zip(counts, sizes, strict=True)
    )
    return first, second


def _sum(rows: Mapping[str, Row], draw: Draw, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return np.sum([draw(row, rng) for row in rows.values()], axis=0)


def _differences(row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of a row's games, drawn by the largest unit that it names."""
    if "pairs" in row:
        return np.abs(_mean(row["pairs"], 2 * np.array(SCORES) - 1, rng))
    sides = [row[side] for side in SIDES]
    games = np.sum(sides)
    return np.abs(sum(_mean(side, OUTCOMES, rng) * np.sum(side) for side in sides)) / games


def _by_side(row: Row, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return |W - L| [DRAWS] of each side, added up."""
    return sum((np.abs(_mean(row[side], OUTCOMES, rng)) for side in SIDES), start=np.zeros(DRAWS))


def _mean(counts: Iterable[int], values: NDArray, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the means [DRAWS] of values that occurred so often, drawn with replacement."""
    seen = np.array(counts)
    return rng.multinomial(seen.sum(), seen / seen.sum(), DRAWS) @ values / seen.sum()
