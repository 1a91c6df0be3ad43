"""Lines through the numbers of players of a rank, and the page of `rank_fit`."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.scale import RANKS
from evenmatch_lab.runner import Results
from evenmatch_lab.shared.clusters import quantile
from evenmatch_lab.shared.level_numbers import Z, crossing

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
        """Return nats a move [L, T], a group of people left out."""
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
    """Return the numbers by which people's moves of one rank are likeliest."""
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
    """Return the lines by which people's moves of all ranks are likeliest, each rank as much."""
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


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table of the numbers by rank, of its own and by the lines."""
    settings = next(iter(results.values()))["settings"]
    ranks = sorted((Rank.of(*item) for item in results.items()), key=lambda rank: rank.rating)
    lines = lines_of(ranks)
    return [
        f"Moves of people within {settings['half'] / 100:g} ranks, splits "
        f"{' and '.join(settings['splits'])}, no more than {settings['of one']} of one person; "
        f"searches of {settings['simulations']} simulations, told the rank for `pikl`. Cost: nats "
        "of people's "
        "moves, by the policy alone, by the rank's own lambda and t, and by those of the lines. A "
        "lambda of 20 or more leaves the policy as it is.",
        "",
        "| rank | people | moves | lambda | t | z of SA-MCTS | policy's cost | own cost "
        "| the lines' |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(own_line(rank, lines) for rank in ranks),
        "",
        "## The lines that ship",
        "",
        "The logarithms of lambda and t are linear in the rating. All ranks count the same. In "
        f"brackets 95% intervals, by leaving out each of {GROUPS} groups of people once (in effect "
        f"{in_effect(ranks):.1f}, as groups differ in size). They hold if the numbers lie on "
        "lines. What ships is this line, and where it goes on down to 25k.",
        "",
        "| rank | lambda | t |",
        "|---|---:|---:|",
        *table(ranks),
        "",
        f"R_th of SA-MCTS is {settings['r_th']:g}.",
        "",
        "## What agrees, what does not, and why",
        "",
        *findings(ranks, lines),
    ]


def own_line(rank: Rank, lines: Lines) -> str:
    """Write what was found of a rank by its own moves."""
    own, (z, reached) = likeliest(rank), rank.z(ALL)
    cells = [
        rank.name,
        str(rank.people),
        str(rank.moves),
        f"{own.lam:.2f}" if own.lam < LAMBDAS_TRIED[-1] else f"{LAMBDAS_TRIED[-1]:g} or more",
        f"{own.t:.2f}",
        f"{z:.2f}" + ("" if reached else " (not reached)"),
        f"{rank.policy:.3f}",
        f"{own.cost:.3f}",
        f"{line_cost(rank, lines):.3f}",
    ]
    return f"| {' | '.join(cells)} |"


def line_cost(rank: Rank, lines: Lines) -> float:
    """Return nats of people's moves of a rank by the numbers of the lines."""
    return smooth(rank.mean_costs(ALL))(lines.logs(rank.x))


def table(ranks: Sequence[Rank]) -> list[str]:
    """Write the numbers of the lines at each rank, with intervals."""
    by_group = {without: lines_of(ranks, without) for without in (ALL, *range(GROUPS))}
    rows = []
    for rank in ranks:
        ends = jackknifed(
            lambda group, x=rank.x: by_group[group].logs(x),  # type: ignore[misc]
            in_effect(ranks),
        )
        cells = [
            "{:.3f} ({:.3f} to {:.3f})".format(*np.exp([value, *pair]))
            for value, pair in zip(by_group[ALL].logs(rank.x), ends, strict=True)
        ]
        rows.append(f"| {RANKS.write(rank.rating)} | {' | '.join(cells)} |")
    return rows


def slope_text(ranks: Sequence[Rank]) -> str:
    """Write the slope of the logarithm of lambda with its interval."""
    ((low, high),) = jackknifed(lambda group: lines_of(ranks, group).log_lam[1:], in_effect(ranks))
    return f"{lines_of(ranks).log_lam[1]:+.2f} ({low:+.2f} to {high:+.2f})"


def findings(ranks: Sequence[Rank], lines: Lines) -> list[str]:
    """Say whether the search decides more from rank to rank, and how z goes beside the paper's."""
    pairs = list(pairwise(ranks))
    more = sum(b.z(ALL)[0] > a.z(ALL)[0] for a, b in pairs)
    word = "smaller" if lines.log_lam[1] < 0 else "larger"
    worse = [rank for rank in ranks if line_cost(rank, lines) > rank.policy]
    misfit = ", ".join(RANKS.write(rank.rating) for rank in worse) or "no rank"
    return [
        f"- By the line lambda becomes {word} from rank to rank: it is "
        f"{np.exp(lines.logs(ranks[0].x)[0]):.2f} at {RANKS.write(ranks[0].rating)} and "
        f"{np.exp(lines.logs(ranks[-1].x)[0]):.2f} at {RANKS.write(ranks[-1].rating)}. The "
        f"smaller, the more the search decides. The slope of its logarithm is {slope_text(ranks)} "
        "in ten ranks.",
        "- A line does not fit everywhere: people's moves are less likely by it than by the policy "
        f"alone at {misfit}.",
        f"- At {more} of {len(pairs)} steps to the next stronger rank z is larger. In table 4 of "
        "Chen et al. 2025 z rises at every step, from -1.0 at 3-5 kyu to 0.6 at 9 dan. There it "
        "was set so that SA-MCTS and SE_inf-MCTS score alike in games, with 800 simulations.",
        "- `sa` takes the paper's z, with the R_th of Wu et al. 2019"
        + ("." if more == len(pairs) else ": by what moves are worth z does not rise at each step.")
        + " It thinks 32 simulations all the same. Below 4k, where the table ends, it plays as "
        "there.",
    ]
