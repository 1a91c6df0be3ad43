"""Symmetries of square boards, as permutations of cells and actions."""

import numpy as np
from numpy.typing import NDArray


def dihedral(size: int, others: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the eight symmetries of a square board, the identity first.

    Cells [8, H*W]; actions [8, A], which are the cells and then ``others`` that stay, such as pass.
    """
    grid = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(grid, k) for k in range(4)]
    cells = np.stack([view.ravel() for turn in turned for view in (turn, turn[:, ::-1])])
    fixed = np.tile(np.arange(size * size, size * size + others), (8, 1))
    return cells, np.hstack([cells, fixed])
