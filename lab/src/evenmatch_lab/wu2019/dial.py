"""What a dial's games say: Elo or its bound by z, E_norm, and H, with intervals.

Openings are drawn again, 2,000 times, for all points and positions at once: they share them.
Where a point won nothing or everything, its games bound its Elo on one side only. Such a point
has a bound in place of an Elo, no fit uses it, and an H that needs it is a bound as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import Interval, elo_from_score
from evenmatch.strength.analysis import ELO_PER_NAT, strength_index
from evenmatch_lab.runner import Results
from evenmatch_lab.shared.opponents import pairs_of
from evenmatch_lab.wu2019.dial_games import CURVE, INF, LINEAR, SEED, USUAL, Candidates

DRAWS = 2000


@dataclass(frozen=True)
class Dial:
    """The parts of one choice of candidates together. O openings, B draws of them."""

    parts: tuple[dict[str, Any], ...]

    @property
    def settings(self) -> dict[str, Any]:
        """What all parts have in common."""
        return self.parts[0]["settings"]

    @property
    def candidates(self) -> Candidates:
        """Which moves it chooses among."""
        return Candidates(self.settings["r_th"], self.settings["top"])

    @cached_property
    def points(self) -> dict[float, dict[str, Any]]:
        """The points' rows by z, the strongest first."""
        return {float(point["z"]): point for part in self.parts for point in part["points"]}

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """How many positions the points of finite z met, [O]."""
        return np.sum([part["positions"] for part in self.parts], axis=0)

    def mean(self, key: str) -> Any:
        """Return the mean over positions of what parts hold as theirs: a number or a list."""
        weights = [sum(part["positions"]) for part in self.parts]
        return np.average([part[key] for part in self.parts], axis=0, weights=weights)

    def e_norm(self, z: float) -> float:
        """Return E_norm(z); eq. 14."""
        return float(self._strengths(z).sum() / self.positions.sum())

    def power_mean(self, power: float, z: float) -> float:
        """Return (1/k) ln of the mean of R_i^k over moves and positions."""
        weights = [sum(part["positions"]) for part in self.parts]
        means = [part["powers"][str(power)][str(z)] for part in self.parts]
        return math.log(np.average(means, weights=weights)) / power

    def itself(self, z: float) -> bool:
        """Whether the point is its own opponent."""
        return z == 0 and self.candidates == USUAL

    def elo(self, z: float) -> float:
        """Return the Elo above the opponent; infinite where the games only bound it."""
        return 0.0 if self.itself(z) else pairs_of(self.points[z]).elo

    def elo_interval(self, z: float) -> Interval:
        """Return its 95% interval, by pairs."""
        return Interval(0.0, 0.0) if self.itself(z) else pairs_of(self.points[z]).elo_interval()

    def bounded(self, zs: Sequence[float]) -> dict[float, float]:
        """Return the Elo of those points that have one."""
        elo = {z: self.elo(z) for z in zs if z in self.points}
        return {z: x for z, x in elo.items() if math.isfinite(x)}

    @property
    def has_ends(self) -> bool:
        """Whether z = inf and z = -inf have an Elo, in the right order."""
        ends = self.bounded((INF, -INF))
        return len(ends) == 2 and ends[INF] > ends[-INF]

    @cached_property
    def _draws(self) -> NDArray[np.int64]:
        """How often each opening is drawn, [B, O]."""
        count = len(self.positions)
        return np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), DRAWS)

    def elo_drawn(self, z: float) -> NDArray[np.float64]:
        """Return the Elo by the openings drawn, [B]."""
        if self.itself(z):
            return np.zeros(DRAWS)
        halves = np.array(self.points[z]["halves"])
        fractions = self._draws @ halves / (4 * len(halves))
        return np.array([elo_from_score(fraction) for fraction in fractions])

    def e_norm_drawn(self, z: float) -> NDArray[np.float64]:
        """Return E_norm(z) by the openings drawn, [B]."""
        return (self._draws @ self._strengths(z)) / (self._draws @ self.positions)

    def _strengths(self, z: float) -> NDArray[np.float64]:
        return np.sum([part["strengths"][str(z)] for part in self.parts], axis=0)

    def gap(self, high: float, low: float) -> tuple[float, Interval]:
        """Return Elo(high) - Elo(low); a bound where one of them has no Elo."""
        value = self.elo(high) - self.elo(low)
        if math.isfinite(value):
            return value, quantiles(self.gaps_drawn(high, low))
        (least, most), (bottom, top) = self.elo_interval(high), self.elo_interval(low)
        return value, Interval(least - top, most - bottom)

    def gaps_drawn(self, high: float, low: float) -> NDArray[np.float64]:
        """Return Elo(high) - Elo(low) by the openings drawn, [B], of two that have an Elo.

        A point that wins nothing or everything by the openings drawn makes it infinite.
        """
        with np.errstate(invalid="ignore"):  # both lose everything: nothing is known
            gaps = self.elo_drawn(high) - self.elo_drawn(low)
        return np.nan_to_num(gaps, nan=0.0, posinf=INF, neginf=-INF)

    def h(self) -> tuple[float, Interval]:
        """Return H and its interval; eq. 17."""
        value, (low, _) = self.gap(INF, -INF)
        lowest = self.e_norm(-INF)
        if not math.isfinite(value):
            return value, Interval(strength_index(-low, lowest), INF)
        drawn = -self.gaps_drawn(INF, -INF) / ELO_PER_NAT / self.e_norm_drawn(-INF)
        return strength_index(-value, lowest), quantiles(drawn)

    def shape(self) -> dict[float, float]:
        """Return E_norm(z) / E_norm(-inf) in [-2, 2]: it is 0 at z = inf and 1 at z = -inf."""
        return {z: self.e_norm(z) / self.e_norm(-INF) for z in LINEAR}


def quantiles(drawn: NDArray[np.float64]) -> Interval:
    """Return what holds 95% of what was drawn; ends may be infinite."""
    low, high = np.quantile(drawn, (0.025, 0.975), method="inverted_cdf")
    return Interval(float(low), float(high))


def dials(results: Results, name: str) -> list[Dial]:
    """Return the dials whose parts' names begin so, each of the parts that are done."""
    found: dict[str, list[dict]] = {}
    for key, part in results.items():
        if key.startswith(name) and "points" in part:
            found.setdefault(key.partition(", ")[0], []).append(part)
    return [Dial(tuple(parts)) for parts in found.values()]


def curve(dial: Dial) -> tuple[list[float], list[float]]:
    """Return z and E_norm(z), to draw."""
    return list(CURVE), list(dial.mean("e_norm"))


def elo_text(value: float, interval: Interval) -> str:
    """Write an Elo with its interval, or its bound."""
    low, high = interval
    if not math.isfinite(value):
        return f"below {high:+.0f}" if value < 0 else f"above {low:+.0f}"
    return f"{value:+.0f} ({low:+.0f} to {high:+.0f})"


def number_text(value: float, interval: Interval, digits: int = 2) -> str:
    """Write a number above 0 with its interval, or its lower bound."""
    low, high = interval
    if not math.isfinite(value):
        return f"above {low:.{digits}f}"
    ends = f"{low:.{digits}f} to {high:.{digits}f}" if math.isfinite(high) else "no upper end"
    return f"{value:.{digits}f} ({ends})"
