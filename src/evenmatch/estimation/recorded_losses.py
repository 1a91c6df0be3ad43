"""What moves gave up, by the evaluations that came with the record (of Stockfish, on Lichess)."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.records.evals import chances
from evenmatch.records.record import NO_EVAL

MOST = 2000.0  #: centipawns that evaluations are cut to, by which the shipped estimator was fitted


def winning_chances(centipawns: NDArray) -> NDArray[np.float64]:
    """Return the chance of the side they are for, from 0 to 1."""
    return chances(centipawns, MOST)


def evals_around(
    evals: NDArray[np.int16] | None, second: bool, count: int, start: float
) -> NDArray[np.float32]:
    """Return a side's evaluations before and after its first ``count`` moves, [count, 2].

    ``evals`` [plies] are those after each move, for the first player; the result is for the side
    itself, which is the ``second`` player or not. ``start`` is the first player's before the first
    move. NaN where the record has none.
    """
    if evals is None:
        return np.full((count, 2), np.nan, np.float32)
    known = np.where(evals == NO_EVAL, np.nan, evals.astype(np.float32))
    around = np.stack([np.concatenate([[start], known[:-1]]), known], 1)[second::2]
    return np.asarray((-around if second else around)[:count], np.float32)


def lost_chances(evals: NDArray) -> NDArray[np.float64]:
    """Return what each move lost of the chance to win, [M] of [M, 2], from 0; NaN: not known."""
    before, after = winning_chances(evals).T
    return np.where(np.isnan(before + after), np.nan, np.maximum(before - after, 0.0))
