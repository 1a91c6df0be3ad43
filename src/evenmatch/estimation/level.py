"""A person's level now, from games that were played one after another: a belief over ratings.

Three kinds of evidence meet in one `Belief`:

- *Moves*: the likelihood of a game's moves at every rating (`pooled.py`).
- *Results* against opponents of a known rating: the likelihood of the score by eq. 16 of Fujita
  2022. The opponent's rating is not exactly known; its standard deviation flattens the curve by
  Glickman's g (1999, eq. 1).
- *Time*: people change; a rating moves like a random walk of variance q per day.

Games of one person are correlated beyond what the rating explains, and so are results: which games
are there, and how well ratings predict results, is not chance alone. With the intraclass
correlation k, the evidence of n games has the variance k v + (1 - k) v / n where that of one is v.
So Kalman's filter follows the rating plus what the games have in common, by observations of
variance (1 - k) v each; what they have in common adds k v at the end. The filter gives the weight
of each game now, less for old ones. With these weights the log-likelihoods of the games are added
up: exact where all of it is normal, and one game counts in full. Without drift each of n games
counts 1 / (1 + k (n - 1)).

Where the estimator learned from no people, a player may also be stronger or weaker than the style
that moves alike: the evidence of moves is spread by a standard deviation then, however many games
there are.

*The offset of results* (`results_offset`). A level is the rating that a person's moves and results
look like among people. The next opponent must be one against whom they score. The two differ:
people's results differ from their ratings, our players of a rating are not exactly of that
strength, and the moves of a player without a human style mislead. So the strength of the next
opponent is the level plus an offset. Before any result the offset is about 0: Student's t with one
degree of freedom, because some people are far off. Every result against a player of a known rating
moves it (eq. 16 of Fujita 2022). What makes one person's results alike beyond the ratings is the
offset itself, so results count in full here. People improve, so the offset is a random walk
(``CHANGE``), and older results say less.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import ELO_PER_LOGIT, log_likelihood

Floats = NDArray[np.float64]

DRIFT = 60.5
"""Variance a day of people's ratings, in Elo^2: docs/results/rating_drift.json, 2,341 players of
Lichess rapid, 95% 50.0 to 70.8."""
OF_RESULTS = 0.15
"""How alike results of one person are beyond the ratings, as an intraclass correlation:
`evenmatch experiment level_tracking`, on 306 people of Lichess rapid."""
UNSURE = 100.0  #: standard deviation of an opponent's rating, in Elo
#: Standard deviation of a person's rating before any game, by how ratings are written.
OF_STRANGERS = {"elo": 350.0, "kyu": 800.0}
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
    a person's rating about the rating that their style of moves indicates.
    """
    belief = Belief(grid, prior)
    moves = [(game.day, game.moves) for game in games if game.moves is not None]
    each = variances(grid, np.reshape([says for _, says in moves], (-1, len(grid))))
    evidence = together(grid, moves, shares([at for at, _ in moves], each, day, correlation, drift))
    belief.update(spread(grid, evidence, unlike))
    results = [(game.day, game.result) for game in games if game.result is not None]
    each = np.full(len(results), OF_A_RESULT)
    of = shares([at for at, _ in results], each, day, of_results, drift)
    belief.update(together(grid, results, of))
    return belief


def together(grid: Floats, said: Sequence[tuple[float, Floats]], counts: Floats) -> Floats:
    """Return the sum [S] of evidence of some days, each by how much it counts."""
    return sum((share * says for share, (_, says) in zip(counts, said, strict=True)), 0 * grid)


def shares(
    days: Sequence[float], each: Floats, day: float, correlation: float, drift: float = DRIFT
) -> Floats:
    """Return how much what was said on some days, in order, counts on a ``day``, [n].

    ``each`` [n] are the variances of what each piece says by itself. In the normal case the
    rating's mean is that of the pieces weighed by w, its variance V: a piece counts w v / V.
    """
    if not len(each):
        return np.zeros(0)
    noise = (1 - correlation) * each
    weights, sure, now = np.zeros(len(days)), math.inf, days[0]
    for at, when in enumerate(days):
        sure += drift * max(when - now, 0.0)
        now = max(now, when)
        gain = 1.0 if math.isinf(sure) else sure / (sure + noise[at])
        weights[:at] *= 1 - gain
        weights[at], sure = gain, gain * noise[at]
    common = correlation * len(each) / float((1 / each).sum())
    return weights * each / (sure + drift * max(day - now, 0.0) + common)


def variances(grid: Floats, said: Floats) -> Floats:
    """Return the variance of the rating by each piece of evidence [n, S], at least a cell's."""
    belief = Belief(grid, said)
    away = grid - belief.mean[:, None]
    least = float(grid[1] - grid[0]) ** 2 / 12
    return np.maximum((belief.probabilities * away**2).sum(1), least)


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


OFFSET_SPREAD = 300.0
"""Elo that offsets spread by: half of them are within it. Moves of programs mislead by 400 to 650
Elo, which a narrower prior does not believe within ten games. A simulation of narrower ones is in
docs/notes/archive/rated.md."""
OFFSET_DEGREES = 1.0  #: of freedom of Student's t
CHANGE = 60.0
"""Standard deviation, Elo, of the change of an offset from one result to the next. In a simulation
of 20 games a player 300 Elo from their level expects 0.52 in games 6 to 20, one that improves by
15 Elo per game 0.61; without a change 0.54 and 0.65 (150 series each)."""
OFFSETS: NDArray[np.float64] = np.arange(-1500.0, 1501.0, 25.0)  #: of offsets, in Elo


class RatedResult(NamedTuple):
    """A result against an opponent whose rating is known."""

    rating: float  #: the opponent's, Elo
    points: float  #: the person's: 0, 1/2 or 1
    unsure: float = 0.0  #: standard deviation of that rating, Elo


def results_offset(level: float, results: Sequence[tuple[float, ...]]) -> Belief:
    """Return the belief about the offset of a person of a ``level``, by results against players.

    ``results`` are those of `RatedResult`, the oldest first.
    """
    prior = -(OFFSET_DEGREES + 1) / 2 * np.log1p((OFFSETS / OFFSET_SPREAD) ** 2 / OFFSET_DEGREES)
    belief = Belief(OFFSETS, prior)
    for number, result in enumerate(results):
        rating, points, unsure = RatedResult(*result)
        if number:
            belief = Belief(OFFSETS, spread(OFFSETS, belief.log_weights, CHANGE))
        belief.update(result_says(level + OFFSETS, rating, points, unsure))
    return belief
