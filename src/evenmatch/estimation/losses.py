"""What moves gave up, by the evaluations that came with the record (of Stockfish, on Lichess)."""

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.outputs import MoveOutputs
from evenmatch.records.dataset import Dataset, Sides
from evenmatch.records.record import NO_EVAL

START_EVAL = 20.0  #: centipawns for White before the first move
#: Chances to win by centipawns, https://lichess.org/page/accuracy.
SLOPE = 0.00368208


def winning_chances(centipawns: NDArray) -> NDArray[np.float64]:
    """Return the chance of the side they are for, from 0 to 1."""
    return 1 / (1 + np.exp(-SLOPE * np.clip(centipawns, -2000.0, 2000.0)))


def losses_of(evals: NDArray[np.int16], side: int) -> NDArray[np.float64]:
    """Return the chances each own move of a side (0 White, 1 Black) lost, [own moves], from 0.

    ``evals`` [plies] are those after each move. NaN where one of the two needed is missing.
    """
    known = np.where(evals == NO_EVAL, np.nan, evals.astype(np.float64))
    before = np.concatenate([[START_EVAL], known[:-1]])
    mine = slice(side, None, 2)
    sign = 1 - 2 * side
    lost = winning_chances(sign * before[mine]) - winning_chances(sign * known[mine])
    return np.where(np.isnan(lost), np.nan, np.maximum(lost, 0.0))


def with_losses(moves: MoveOutputs, dataset: Dataset, chosen: Sides) -> MoveOutputs:
    """Append a column of losses to the rated moves of sides; NaN in games without evals."""
    column = []
    for game, side, count in zip(chosen.games, chosen.sides, moves.counts, strict=True):
        evals = dataset.evals(int(game))
        known = None if evals is None else losses_of(evals, int(side))
        column.append(np.full(count, np.nan) if known is None else known[:count])
    lost = np.concatenate(column) if column else np.zeros(0)
    return moves._replace(rows=np.column_stack([moves.rows, lost.astype(np.float32)]))
