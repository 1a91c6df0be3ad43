"""A person's level now, from games that were played one after another: a belief over ratings.

Three kinds of evidence meet in one `Belief`:

- *Moves.* What a game's moves say of every rating (`pooled.py`). Games of one person are alike
  beyond their rating: with the intraclass correlation k, n of them are worth n / (1 + k (n - 1)).
  Where nobody's moves were learned from, one may also be stronger or weaker than whoever moves so:
  what moves say is spread by a standard deviation then, however many games there are.
- *Results* against opponents of a known rating: the likelihood of the score by eq. 16 of Fujita
  2022. The opponent's rating is not exactly known; its standard deviation flattens the curve by
  Glickman's g (1999, eq. 1). Results, too, are alike beyond the ratings: which games are there, and
  how well ratings foretell results, is not chance alone.
- *Time.* People change. A rating moves like a random walk of variance q a day, so a game that was
  played d days ago says less about now: with v the variance of what it says alone, it keeps the
  share v / (v + q d), as if it had the variance v + q d. That is exact where it is normal.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import ELO_PER_LOGIT

Floats = NDArray[np.float64]

DRIFT = 62.9
"""Variance a day of people's ratings, in Elo^2: `benchmarks/rating_drift.py`, 2,604 players of
Lichess rapid, 95% 53.9 to 73.8."""
OF_RESULTS = 0.15
"""How alike results of one person are beyond the ratings, as an intraclass correlation:
`evenmatch experiment level_tracking`, on 306 people of Lichess rapid."""
UNSURE = 100.0  #: standard deviation of an opponent's rating, in Elo


class GameSays(NamedTuple):
    """What one game says of its player on a grid of S ratings; log-likelihoods up to constants."""

    day: float  #: when it was played
    moves: Floats | None = None  #: [S]; None: its moves cannot be judged
    result: Floats | None = None  #: [S]; None: the opponent's rating is not known


def result_says(grid: Floats, opponent: float, points: float, unsure: float = UNSURE) -> Floats:
    """Return the log-likelihood [S] of a score of 0, 1/2 or 1 against an opponent's rating.

    Half a point is half a win and half a loss.
    """
    logits = _flattened(unsure) * (grid - opponent) / ELO_PER_LOGIT
    return -points * np.logaddexp(0, -logits) - (1 - points) * np.logaddexp(0, logits)


def _flattened(deviation: float) -> float:
    """Return Glickman's g: how much flatter the curve is where a rating is not exactly known."""
    return 1 / math.sqrt(1 + 3 * (deviation / ELO_PER_LOGIT / math.pi) ** 2)


def kept(grid: Floats, says: Floats, days: float, drift: float = DRIFT) -> float:
    """Return the share that evidence [S] keeps after so many days."""
    if days <= 0 or not drift:
        return 1.0
    chances = np.exp(says - says.max())
    chances /= chances.sum()
    mean = chances @ grid
    variance = float(chances @ (grid - mean) ** 2)
    return variance / (variance + drift * days)


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
    moves = [(day - game.day, game.moves) for game in games if game.moves is not None]
    results = [(day - game.day, game.result) for game in games if game.result is not None]
    belief.update(spread(grid, together(grid, moves, correlation, drift), unlike))
    belief.update(together(grid, results, of_results, drift))
    return belief


def together(
    grid: Floats, said: Sequence[tuple[float, Floats]], correlation: float, drift: float
) -> Floats:
    """Return what evidence [S] of some days ago says together, [S]; n pieces count for less."""
    shares = [kept(grid, says, days, drift) for days, says in said]
    total = sum((share * says for share, (_, says) in zip(shares, said, strict=True)), 0 * grid)
    return total / (1 + correlation * max(sum(shares) - 1, 0))


def spread(grid: Floats, says: Floats, deviation: float) -> Floats:
    """Return evidence [S] of a rating that the one asked about differs from, normally distributed.

    The grid [S] has equal steps; beyond its ends the evidence is as there.
    """
    if not deviation:
        return says
    step = grid[1] - grid[0]
    reach = math.ceil(4 * deviation / step)
    weights = np.exp(-((np.arange(-reach, reach + 1) * step / deviation) ** 2) / 2)
    likelihood = np.pad(np.exp(says - says.max()), reach, "edge")
    return np.log(np.convolve(likelihood, weights / weights.sum(), "valid") + np.finfo(float).tiny)
