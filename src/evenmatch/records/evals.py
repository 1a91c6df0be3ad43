"""What evaluations in centipawns are worth in chances."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 1000  #: centipawns: beyond is as good as won, and mates count as much
SLOPE = 0.00368208  #: of a centipawn, for games of people (lichess.org/page/accuracy)


def chances(centipawns: ArrayLike) -> NDArray[np.float64]:
    """Return the chances of winning, draws half, of a side that is ahead by so much."""
    cut = np.clip(np.asarray(centipawns, float), -MOST, MOST)
    return 1 / (1 + np.exp(-SLOPE * cut))
