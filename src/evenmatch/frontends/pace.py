"""How long an opponent takes for a move, so that it is played with as a person is."""

import numpy as np

SPREAD = 0.6  #: of the logarithm of the seconds
OPENING = 8  #: plies that are played faster


def seconds_to_move(mean: float, ply: int, choices: int, rng: np.random.Generator) -> float:
    """Return the seconds of a move, ``mean`` on average: less with one choice, or early."""
    share = 0.2 if choices <= 1 else 0.5 if ply < OPENING else 1.0
    drawn = float(np.exp(rng.normal(-(SPREAD**2) / 2, SPREAD)))
    return min(mean * share * drawn, 4 * mean)


def mean_with_clock(left: float, increment: float, plies: int) -> float:
    """Return a mean, in seconds, with which the ``left`` time lasts."""
    return max(0.0, left / 50 + 0.5 * increment - 0.1)
