"""How far Elo is from what E_norm predicts (Wu et al. 2019, eq. 15), and what that is due to.

Eq. 15 draws a curve through the Elo of z = inf and of z = -inf, in the shape of E_norm. Its error
is the mean of |Elo - curve| over z in [-2, 2]. It may have several causes, which are distinguished
here: chance in the games of a point, chance at the two ends alone (which shifts the whole curve),
the average that eq. 3 takes over moves, and that Elo is measured against one opponent.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import expected_score
from evenmatch.ratings.pentanomial import SCORES, likeliest
from evenmatch.ratings.score import ELO_PER_LOGIT
from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, SEED, Z

SIMULATED = 2000  # experiments played by chance alone

#: Wu et al. 2019, table 1: win rate in percent and Elo relative to z = inf, of so many games a
#: point; E_norm as its logistic curve has it.
PAPER_GAMES = 250
PAPER_RATES = (97.6, 94.4, 92.4, 91.2, 71.6, 50.0, 35.6, 21.6, 13.2, 12.4, 7.2)
PAPER_ELO = (0, -153, -210, -237, -483, -644, -747, -868, -971, -983, -1088)
PAPER_B0, PAPER_B1 = -0.05, 1.17
PAPER_EQ15 = 40.45  #: the mean error of eq. 15


class Errors(NamedTuple):
    """How far points are from a curve, in Elo."""

    signed: float  #: mean of Elo - curve, the curve through both ends as eq. 15 has it
    pinned: float  #: mean of its size
    free: float  #: the same where both ends of the curve are fitted to the points between


def errors(elo: Mapping[float, float], shape: Mapping[float, float]) -> Errors:
    """Compare Elo with the curve of a shape (0 at z = inf, 1 at z = -inf); both by z.

    ``elo`` holds both ends; z in [-2, 2] that both have are compared.
    """
    inside = [z for z in LINEAR if z in elo and z in shape]
    values, shares = (np.array([table[z] for z in inside]) for table in (elo, shape))
    signed, pinned, free = _errors(values, np.array([elo[INF], elo[-INF]]), shares)
    return Errors(float(signed), float(pinned), float(free))


def _errors(values: NDArray, ends: NDArray, shares: NDArray) -> NDArray[np.float64]:
    """Return the three errors of Elo [..., P], [..., 3], given both ends [..., 2], shares [P]."""
    high, low = ends[..., :1], ends[..., 1:]
    off = values - (high + (low - high) * shares)
    design = np.stack([np.ones_like(shares), shares], 1)  # [P, 2]
    fitted = values @ (design @ np.linalg.pinv(design))
    means = off.mean(-1), np.abs(off).mean(-1), np.abs(values - fitted).mean(-1)
    return np.stack(means, -1)


def by_chance(
    shape: Mapping[float, float], gap: float, units: Mapping[float, Sequence[int]]
) -> NDArray[np.float64]:
    """Return the errors that chance alone makes if eq. 15 holds exactly, [SIMULATED, 3].

    The points of ``units`` lie on the curve of ``shape``, ``gap`` Elo between its ends, and play
    against z = 0, whose own Elo is 0 by definition. ``units`` are the counts [5], by score, of what
    is independent in a point's games: pairs of games from one opening, or single games. As many are
    drawn again, by the probabilities most likely to give these counts whose mean is the curve's.
    Each point is drawn alone, though all have the same openings. A point that won nothing or
    everything counts as a quarter of a unit from there.
    """
    rng = np.random.default_rng(SEED)
    known = dict(shape) | {INF: 0.0, -INF: 1.0}
    elo = {0.0: np.zeros(SIMULATED)}
    for z, counts in units.items():
        if z != 0:
            p = np.array(likeliest(counts, expected_score(gap * (shape[0.0] - known[z]))))
            count = sum(counts)
            won = rng.multinomial(count, p / p.sum(), SIMULATED) @ np.array(SCORES) / count
            won = np.clip(won, 0.25 / count, 1 - 0.25 / count)
            elo[z] = ELO_PER_LOGIT * np.log(won / (1 - won))
    inside = [z for z in LINEAR if z in elo]
    values = np.stack([elo[z] for z in inside], 1)
    return _errors(values, np.stack([elo[INF], elo[-INF]], 1), np.array([shape[z] for z in inside]))


def errors_drawn(dial: Dial, shape: Mapping[float, float]) -> NDArray[np.float64]:
    """Return the three errors of a dial's points by the openings drawn, [B, 3].

    The shape stays as it is. An error is nan or infinite where a point won nothing or everything.
    """
    elo = {z: dial.elo_drawn(z) for z in dial.bounded(Z)}
    inside = [z for z in LINEAR if z in elo and z in shape]
    values = np.stack([elo[z] for z in inside], 1)
    ends = np.stack([elo[INF], elo[-INF]], 1)
    with np.errstate(invalid="ignore"):
        return _errors(values, ends, np.array([shape[z] for z in inside]))


def pairs_by_z(dial: Dial) -> dict[float, list[int]]:
    """Return the pairs of a dial's points that have an Elo, as ``by_chance`` takes them."""
    return {z: dial.points[z]["pairs"] for z in dial.bounded(Z) if z in dial.points}


def paper_games() -> dict[float, list[int]]:
    """Return the paper's games by z, as ``by_chance`` takes them; in Go none is drawn."""
    won = {z: round(PAPER_GAMES * x / 100) for z, x in zip(Z, PAPER_RATES, strict=True)}
    return {z: [PAPER_GAMES - n, 0, 0, 0, n] for z, n in won.items()}


def paper_shape() -> dict[float, float]:
    """Return E_norm(z) / E_norm(-inf) of the paper, by its logistic curve (10.5 Elo off)."""
    return {z: 1 - 1 / (1 + float(np.exp(-(PAPER_B0 + PAPER_B1 * z)))) for z in LINEAR}


def paper_elo() -> dict[float, float]:
    """Return the paper's Elo by z."""
    return dict(zip(Z, map(float, PAPER_ELO), strict=True))


def powered(dial: Dial, power: float) -> dict[float, float]:
    """Return the shape with the power mean of R_i in place of its geometric mean."""
    lowest = dial.power_mean(power, -INF)
    return {z: dial.power_mean(power, z) / lowest for z in LINEAR}


def at_own_positions(dial: Dial) -> dict[float, float]:
    """Return the shape with E_norm(z) over the positions of the point's own games."""
    lowest = dial.points[-INF]["own"]
    return {z: point["own"] / lowest for z, point in dial.points.items() if abs(z) <= 2}


def added_up(steps: Mapping[float, float]) -> dict[float, float]:
    """Return the Elo above z = 0 of points, each of which met the next, from Elo by the stronger.

    The last point, which is the stronger of no step, is z = -inf.
    """
    zs = [*steps, -INF]
    below = dict(zip(zs, np.cumsum([0.0, *steps.values()]), strict=True))  # how far below z = inf
    return {z: float(below[0.0] - x) for z, x in below.items()}
