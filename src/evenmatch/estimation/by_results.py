"""How far a person's results lie from their level: what opponents of a rating are too strong by.

A level tells what rating a person's moves and results look like among people. The next opponent
must be one against whom they score. The two differ: people's results differ from their ratings, our
players of a rating are not exactly of that strength, and whoever plays in no human style has moves
that mislead. So the strength to meet is the level plus an offset. Before any result the offset is
taken to be 0, give or take: Student's t with one degree of freedom, because some people are far
off. Every result against a player of a known rating moves it (eq. 16 of Fujita 2022).

Unlike in `level.py`, all results count in full: what makes one person's results alike beyond the
ratings is the offset itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import log_likelihood

SPREAD = 300.0
"""Elo that offsets spread by: half of them are within it. Moves of programs mislead by 400 to 650
Elo (docs/results/closed_loop.md), which a narrower prior does not believe within ten games. A
simulation of narrower ones is in docs/notes/archive/rated.md."""
DEGREES = 1.0  #: of freedom of Student's t
GRID: NDArray[np.float64] = np.arange(-1500.0, 1501.0, 25.0)  #: of offsets, in Elo


def offset(level: float, results: Sequence[tuple[float, float]]) -> float:
    """Return the expected offset of a person of a ``level``, by results against rated players.

    ``results`` are (the player's rating, the person's points: 0, 1/2 or 1).
    """
    prior = -(DEGREES + 1) / 2 * np.log1p((GRID / SPREAD) ** 2 / DEGREES)
    belief = Belief(GRID, prior)
    for rating, points in results:
        belief.update(log_likelihood(level + GRID - rating, points))
    return float(belief.mean)
