"""A person's level now, from games that were played one after another: a belief over ratings.

Three kinds of evidence meet in one `Belief`:

- *Moves.* What a game's moves say of every rating (`pooled.py`).
- *Results* against opponents of a known rating: the likelihood of the score by eq. 16 of Fujita
  2022. The opponent's rating is not exactly known; its standard deviation flattens the curve by
  Glickman's g (1999, eq. 1).
- *Time.* People change: a rating moves like a random walk of variance q a day.

Games of one person are alike beyond their rating, results too: which games are there, and how well
ratings foretell results, is not chance alone. With the intraclass correlation k, what n games say
has the variance k v + (1 - k) v / n where that of one is v. So each says the rating plus what the
person's games have in common, with the variance (1 - k) v; a filter follows that sum from game to
game, and what they have in common, of variance k v, is left out at the end. Where evidence is
normal that is exact, whatever the days between the games (Kalman's filter).

Where nobody's moves were learned from, one may also be stronger or weaker than whoever moves so:
what moves say is spread by a standard deviation then, however many games there are.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import ELO_PER_LOGIT, log_likelihood

Floats = NDArray[np.float64]

DRIFT = 62.9
"""Variance a day of people's ratings, in Elo^2: `benchmarks/rating_drift.py`, 2,604 players of
Lichess rapid, 95% 53.9 to 73.8."""
OF_RESULTS = 0.15
"""How alike results of one person are beyond the ratings, as an intraclass correlation:
`evenmatch experiment level_tracking`, on 306 people of Lichess rapid."""
UNSURE = 100.0  #: standard deviation of an opponent's rating, in Elo
FINE = 0.5  #: squared steps of a grid below which a normal distribution is too fine for it
OF_A_RESULT = 4 * ELO_PER_LOGIT**2
"""What one result of equals says has this variance, in Elo^2: the inverse of its information."""


class GameSays(NamedTuple):
    """What one game says of its player on a grid of S ratings; log-likelihoods up to constants."""

    day: float  #: when it was played
    moves: Floats | None = None  #: [S]; None: its moves cannot be judged
    result: Floats | None = None  #: [S]; None: the opponent's rating is not known


def result_says(grid: Floats, opponent: float, points: float, unsure: float = UNSURE) -> Floats:
    """Return the log-likelihood [S] of a score of 0, 1/2 or 1 against an opponent's rating.

    Half a point is half a win and half a loss.
    """
    return log_likelihood(_flattened(unsure) * (grid - opponent), points)


def _flattened(deviation: float) -> float:
    """Return Glickman's g: how much flatter the curve is where a rating is not exactly known."""
    return 1 / math.sqrt(1 + 3 * (deviation / ELO_PER_LOGIT / math.pi) ** 2)


def level(
    grid: Floats,
    games: Sequence[GameSays],
    day: float,
    *,
    correlation: float,
    of_results: float = OF_RESULTS,
    drift: float = DRIFT,
    unlike: float = 0.0,
    prior: Floats | None = None,
) -> Belief:
    """Return what is believed of a person's rating on a day, by their games until then.

    ``correlation`` is how alike the moves of two games of one person are beyond their rating,
    ``of_results`` how alike the results. ``unlike`` is the standard deviation, in Elo, of
    somebody's rating about that of whoever moves so.
    """
    belief = Belief(grid, prior)
    moves = [(game.day, game.moves) for game in games if game.moves is not None]
    if moves:
        each = len(moves) / sum(1 / variance(grid, says) for _, says in moves)
        belief.update(followed(grid, moves, day, correlation, each, drift, unlike))
    results = [(game.day, game.result) for game in games if game.result is not None]
    belief.update(followed(grid, results, day, of_results, OF_A_RESULT, drift))
    return belief


def followed(
    grid: Floats,
    said: Sequence[tuple[float, Floats]],
    day: float,
    correlation: float,
    each: float,
    drift: float,
    unlike: float = 0.0,
) -> Floats:
    """Return what evidence [S] of some days, in order, says together of the rating on a day, [S].

    ``each`` is the variance of what one piece says, ``unlike`` a further standard deviation.
    """
    total, now = np.zeros(len(grid)), said[0][0] if said else day
    for when, says in said:
        total = spread(grid, total, drift * max(when - now, 0.0)) + says / (1 - correlation)
        now = max(now, when)
    if not said:
        return total
    rest = drift * max(day - now, 0.0) + correlation * each + unlike**2
    return spread(grid, total, rest)


def variance(grid: Floats, says: Floats) -> float:
    """Return the variance of the ratings [S] that evidence [S] alone tells, at least a cell's."""
    belief = Belief(grid, says)
    chances = belief.probabilities
    return max(float(chances @ (grid - belief.mean) ** 2), float(grid[1] - grid[0]) ** 2 / 12)


def spread(grid: Floats, says: Floats, by: float) -> Floats:
    """Return evidence [S] of a rating that the one asked about differs from, of variance ``by``.

    The difference is normal; below half a step of the grid it is one step, seldom, of the same
    variance. The grid [S] has equal steps; beyond its ends the evidence is as there.
    """
    if by <= 0:
        return says
    steps = by / float(grid[1] - grid[0]) ** 2
    reach = math.ceil(4 * math.sqrt(steps))
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * steps))
    if steps < FINE:
        weights = np.array([steps / 2, 1 - steps, steps / 2])
    likelihood = np.pad(np.exp(says - says.max()), len(weights) // 2, "edge")
    return np.log(np.convolve(likelihood, weights / weights.sum(), "valid") + np.finfo(float).tiny)
