"""What a dial's games say: Elo or its bound by z, E_norm, and H, with intervals.

Openings are drawn again, ``DRAWS`` times, for all points and positions at once: they share them.
Where a point won nothing or everything, its games bound its Elo on one side only. Such a point
has a bound in place of an Elo, no fit uses it, and an H that needs it is a bound as well.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import Interval, elo_from_score
from evenmatch_lab.runner import Results
from evenmatch_lab.shared.intervals import quantiles
from evenmatch_lab.shared.opponents import pairs_of
from evenmatch_lab.wu2019.analysis import ELO_PER_NAT, strength_index
from evenmatch_lab.wu2019.dial_games import CURVE, INF, LINEAR, SEED, USUAL, Candidates

DRAWS = 2000
BEST = "R_th = 0.1, z = inf"  # the part of the player that is best at every R_th


@dataclass(frozen=True)
class Dial:
    """The points of one choice of candidates, by z. O openings, B draws of them.

    A point that was played from fewer openings has the first of them.

    ``best`` is z = inf where that is not among the parts: it is the same player for all.
    """

    parts: Mapping[float, dict[str, Any]]  #: z -> the part's settings and results
    best: dict[str, Any] | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What all parts have in common, and the z of one."""
        return next(iter(self.parts.values()))["settings"]

    @property
    def candidates(self) -> Candidates:
        """Which moves it chooses among."""
        return Candidates(self.settings["r_th"], self.settings["top"])

    @property
    def played(self) -> list[dict[str, Any]]:
        """The rows of its own games."""
        return [part["point"] for part in self.parts.values()]

    @cached_property
    def points(self) -> dict[float, dict[str, Any]]:
        """The points' rows by z, the strongest first."""
        rows = {z: part["point"] for z, part in self.parts.items()}
        if self.best and INF not in rows:
            halves = self.best["halves"][: self.openings]  # of the same openings
            rows[INF] = {"halves": halves, "pairs": [halves.count(n) for n in range(5)], "own": 0.0}
        return dict(sorted(rows.items(), reverse=True))

    @cached_property
    def roots(self) -> list[dict[str, Any]]:
        """What is kept of the positions of the points of finite z: the paper's data set."""
        return [part["roots"] for z, part in self.parts.items() if math.isfinite(z)]

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """How many of those positions there are, [O]."""
        return self._by_opening("positions").astype(np.int64)

    @cached_property
    def openings(self) -> int:
        """How many there are, O."""
        return max(len(row["halves"]) for row in self.played)

    def _by_opening(self, key: str) -> NDArray[np.float64]:
        """Return the sums over roots of numbers that are kept by opening, [O]."""
        total = np.zeros(self.openings)
        for roots in self.roots:
            total[: len(roots[key])] += roots[key]
        return total

    def mean(self, key: str) -> Any:
        """Return the mean over positions of a number or list that is kept of roots."""
        weights = [sum(roots["positions"]) for roots in self.roots]
        return np.average([roots[key] for roots in self.roots], axis=0, weights=weights)

    @cached_property
    def lowest(self) -> NDArray[np.float64]:
        """The sums of what eq. 6 says of them for z = -inf, [O]."""
        return self._by_opening("lowest")

    def e_norm(self, z: float) -> float:
        """Return E_norm(z), eq. 14, for z = -inf or one of ``CURVE``."""
        if z == -INF:
            return float(self.lowest.sum() / self.positions.sum())
        return float(self.mean("e_norm")[CURVE.index(z)])

    def power_mean(self, power: float, z: float) -> float:
        """Return (1/k) ln of the mean of R_i^k over moves and positions."""
        weights = [sum(roots["positions"]) for roots in self.roots]
        means = [roots["powers"][str(power)][str(z)] for roots in self.roots]
        return math.log(np.average(means, weights=weights)) / power

    def is_opponent(self, z: float) -> bool:
        """Whether the point is its own opponent."""
        return z == 0 and self.candidates == USUAL

    def elo(self, z: float) -> float:
        """Return the Elo above the opponent; infinite where the games only bound it."""
        return 0.0 if self.is_opponent(z) else pairs_of(self.points[z]).elo

    def elo_interval(self, z: float) -> Interval:
        """Return its 95% interval, by pairs."""
        return (
            Interval(0.0, 0.0) if self.is_opponent(z) else pairs_of(self.points[z]).elo_interval()
        )

    def bounded(self, zs: Sequence[float]) -> dict[float, float]:
        """Return the Elo of those points that have one."""
        elo = {z: self.elo(z) for z in zs if z in self.points or self.is_opponent(z)}
        return {z: x for z, x in elo.items() if math.isfinite(x)}

    @property
    def has_ends(self) -> bool:
        """Whether z = inf and z = -inf have an Elo, in the right order."""
        ends = self.bounded((INF, -INF))
        return len(ends) == 2 and ends[INF] > ends[-INF]

    @cached_property
    def _draws(self) -> NDArray[np.int64]:
        """How often each opening is drawn, [B, O]."""
        return openings_drawn(self.openings)

    def elo_drawn(self, z: float) -> NDArray[np.float64]:
        """Return the Elo by the openings drawn, [B]."""
        if self.is_opponent(z):
            return np.zeros(DRAWS)
        return elo_of_draws(self._draws, self.points[z]["halves"])

    def lowest_drawn(self) -> NDArray[np.float64]:
        """Return E_norm(-inf) by the openings drawn, [B]."""
        return (self._draws @ self.lowest) / (self._draws @ self.positions)

    def gap(self, high: float, low: float) -> tuple[float, Interval]:
        """Return Elo(high) - Elo(low); a bound where one of them has no Elo."""
        value = self.elo(high) - self.elo(low)
        if math.isfinite(value):
            return value, quantiles(self.gaps_drawn(high, low))
        (least, most), (bottom, top) = self.elo_interval(high), self.elo_interval(low)
        return value, Interval(least - top, most - bottom)

    def gaps_drawn(self, high: float, low: float) -> NDArray[np.float64]:
        """Return Elo(high) - Elo(low) by the openings drawn, [B], of two that have an Elo.

        A point that wins nothing or everything by the openings drawn makes it infinite; where both
        win nothing, or both everything, nothing is known of the gap: it is nan.
        """
        with np.errstate(invalid="ignore"):
            return self.elo_drawn(high) - self.elo_drawn(low)

    def h(self) -> tuple[float, Interval]:
        """Return H and its interval; eq. 17."""
        value, (low, _) = self.gap(INF, -INF)
        lowest = self.e_norm(-INF)
        if not math.isfinite(value):
            return value, Interval(strength_index(-low, lowest), INF)
        drawn = -self.gaps_drawn(INF, -INF) / ELO_PER_NAT / self.lowest_drawn()
        return strength_index(-value, lowest), quantiles(drawn)

    def shape(self) -> dict[float, float]:
        """Return E_norm(z) / E_norm(-inf) in [-2, 2]: it is 0 at z = inf and 1 at z = -inf."""
        return {z: self.e_norm(z) / self.e_norm(-INF) for z in LINEAR}


def openings_drawn(count: int) -> NDArray[np.int64]:
    """Return how often each of so many openings is drawn, [B, O]."""
    return np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), DRAWS)


def elo_of_draws(draws: NDArray[np.int64], halves: Sequence[int]) -> NDArray[np.float64]:
    """Return a player's Elo above its opponent by the openings drawn [B, O], [B].

    ``halves`` [O] are the half points, 0 to 4, of each opening's two games; fewer are those of the
    first openings. A draw of none of these says nothing: it is nan.
    """
    own = draws[:, : len(halves)]
    with np.errstate(invalid="ignore"):
        fractions = own @ np.array(halves) / (4 * own.sum(1))
    different, which = np.unique(fractions, return_inverse=True)
    return np.array([_elo(fraction) for fraction in different])[which]


def _elo(fraction: float) -> float:
    return math.nan if math.isnan(fraction) else elo_from_score(fraction)


def dials(results: Results, name: str) -> list[Dial]:
    """Return the dials whose parts' names begin so, of the parts that are done.

    Without a point of finite z there is no dial yet.
    """
    found: dict[str, dict[float, dict]] = {}
    for key, part in results.items():
        if key.startswith(name) and "roots" in part:
            found.setdefault(key.partition(", ")[0], {})[float(part["settings"]["z"])] = part
    best = results.get(BEST, {}).get("point")
    made = []
    for parts in found.values():
        settings = next(iter(parts.values()))["settings"]
        same = best and settings["simulations"] == results[BEST]["settings"]["simulations"]
        if any(map(math.isfinite, parts)):
            made.append(Dial(parts, best if same else None))
    return made


def curve(dial: Dial) -> tuple[list[float], list[float]]:
    """Return z and E_norm(z), to draw."""
    return list(CURVE), list(dial.mean("e_norm"))
