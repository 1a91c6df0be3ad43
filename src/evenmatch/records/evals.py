"""What evaluations in centipawns are worth in chances."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 1000  #: centipawns: beyond is as good as won, and mates count as much
SLOPE = 0.00368208  #: of a centipawn, for games of people (lichess.org/page/accuracy)


def chances(centipawns: ArrayLike, most: float = MOST) -> NDArray[np.float64]:
    """Return the chances of winning, draws half, of a side that is ahead by so much.

    It is never ahead or behind by more than ``most``; NaN stays NaN.
    """
    cut = np.clip(np.asarray(centipawns, float), -most, most)
    return 1 / (1 + np.exp(-SLOPE * cut))
