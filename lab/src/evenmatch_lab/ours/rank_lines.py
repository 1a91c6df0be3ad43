"""Lines through the numbers of players of a rank, for `rank_fit`."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch_lab.ours.level_fit import Z, crossing
from evenmatch_lab.shared.clusters import quantile

Floats = NDArray[np.float64]
LAMBDAS_TRIED, T_TRIED = np.geomspace(0.02, 20, 22), np.geomspace(0.6, 1.8, 9)
GROUPS = 10  #: of people, each left out once for the intervals
MIDDLE, UNIT = 2500.0, 1000.0  #: of ratings: lines are of (rating - MIDDLE) / UNIT
ALL = -1  #: no group is left out


class Rank(NamedTuple):
    """What was found of a rank."""

    name: str
    rating: float
    people: int
    moves: int
    costs: Floats  #: [G, L, T] sums of nats of people's moves, by group of people
    gaps: Floats  #: [G, Z] sums of what people's moves are worth more than draws of SA-MCTS
    counts: Floats  #: [G] moves
    policy: float  #: nats a move by the policy alone

    @classmethod
    def of(cls, name: str, row: dict[str, Any]) -> "Rank":
        """Read a part's result."""
        costs, gaps, counts = (np.array(row[key]) for key in ("costs", "gaps", "grouped"))
        rating = row["settings"]["rating"]
        return cls(name, rating, row["movers"], row["moves"], costs, gaps, counts, row["policy"])

    @property
    def x(self) -> float:
        """The rating as lines have it."""
        return (self.rating - MIDDLE) / UNIT

    def mean_costs(self, without: int) -> Floats:
        """Return nats per move [L, T], a group of people left out."""
        kept = np.arange(GROUPS) != without
        return self.costs[kept].sum(0) / max(self.counts[kept].sum(), 1)

    def z(self, without: int) -> tuple[float, bool]:
        """Return z by which draws are worth what people's moves are, and whether one is."""
        kept = np.arange(GROUPS) != without
        return crossing(Z, self.gaps[kept].sum(0) / max(self.counts[kept].sum(), 1), 0.0)


class Numbers(NamedTuple):
    """What `pikl` is set to at a rank."""

    lam: float
    t: float
    cost: float  #: nats of people's moves


def likeliest(rank: Rank, without: int = ALL) -> Numbers:
    """Return the numbers by which people's moves of one rank are most likely."""
    costs = rank.mean_costs(without)
    i, j = np.unravel_index(costs.argmin(), costs.shape)
    logs, cost = least(smooth(costs), np.log([LAMBDAS_TRIED[i], T_TRIED[j]]))
    lam, t = np.exp(logs)
    return Numbers(float(lam), float(t), cost)


def smooth(costs: Floats) -> Callable[[Floats], float]:
    """Return costs [L, T] as a function of the logarithms of lambda and t.

    Outside the grid it is as at the edge, and grows a little, so that a search finds back.
    """
    from scipy.interpolate import RectBivariateSpline

    spline = RectBivariateSpline(np.log(LAMBDAS_TRIED), np.log(T_TRIED), costs)
    low, high = np.log([LAMBDAS_TRIED[0], T_TRIED[0]]), np.log([LAMBDAS_TRIED[-1], T_TRIED[-1]])

    def at(logs: Floats) -> float:
        inside = np.clip(logs, low, high)
        return float(spline(*inside)[0, 0]) + 1e-3 * float(((logs - inside) ** 2).sum())

    return at


def least(cost: Callable[[Floats], float], start: Floats) -> tuple[Floats, float]:
    """Return where a cost is least, and the cost."""
    from scipy.optimize import minimize

    options = {"xatol": 1e-3, "fatol": 1e-7, "maxiter": 4000, "maxfev": 4000}
    found = minimize(cost, start, method="Nelder-Mead", options=options)
    return found.x, float(found.fun)


class Lines(NamedTuple):
    """Numbers whose logarithms are linear in the rating: each [start, slope]."""

    log_lam: Floats
    log_t: Floats

    def logs(self, x: float) -> Floats:
        """Return the logarithms of lambda and t at a rating as lines have it."""
        return np.array([start + slope * x for start, slope in self])


def lines_of(ranks: Sequence[Rank], without: int = ALL) -> Lines:
    """Return the lines by which people's moves of all ranks are most likely, each rank as much."""
    costs = [smooth(rank.mean_costs(without)) for rank in ranks]

    def cost(numbers: Floats) -> float:
        lam, t = numbers[:2], numbers[2:]
        each = [
            own(np.array([lam[0] + lam[1] * rank.x, t[0] + t[1] * rank.x]))
            for own, rank in zip(costs, ranks, strict=True)
        ]
        return sum(each) / len(each)

    found, _ = least(cost, np.array([-0.7, -0.5, 0.05, 0.0]))
    return Lines(found[:2], found[2:])


def jackknifed(found: Callable[[int], Floats], groups: float = GROUPS) -> list[tuple[float, float]]:
    """Return 95% intervals of numbers [k], each group of people left out in turn.

    ``found(without)`` returns the numbers without a group, or by all. ``groups`` is how many there
    are in effect (`in_effect`).
    """
    left = np.array([found(group) for group in range(GROUPS)])
    error = np.sqrt((GROUPS - 1) / GROUPS * ((left - left.mean(0)) ** 2).sum(0))
    half, whole = quantile(groups) * error, found(ALL)
    return list(zip(whole - half, whole + half, strict=True))


def in_effect(ranks: Sequence[Rank]) -> float:
    """Return Kish's effective number of groups of people; all ranks count alike."""
    shares = np.mean([rank.counts / rank.counts.sum() for rank in ranks], 0)
    return float(1 / (shares**2).sum())
