"""Kinds of moves that are counted apart, by game; a game without an entry has none.

A network that does not see the whole board gives itself away by moves that go far, and by mates.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.chess import Chess
from evenmatch.games.chess.moves import BISHOP_, QUEEN_, ROOK_
from evenmatch_lab.shared.engine_losses import mated

NEAR = 3  #: squares; farther is far


class Kinds(NamedTuple):
    """Names of kinds, and a function that numbers the kind of each move."""

    names: tuple[str, ...]
    of: Callable[[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.int64]], NDArray[np.int64]]


def chess_kinds(
    states: NDArray[np.uint64], moves: NDArray[np.uint16], actions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of the kind of each chess move [n], of positions [n, S]."""
    mates = mated(Chess().after(states, actions))
    start, target = moves.astype(int) & 63, moves.astype(int) >> 6 & 63
    digits = states[:, :3] >> start[:, None].astype(np.uint64) & np.uint64(1)
    slides = np.isin(digits @ np.array([1, 2, 4], np.uint64), (BISHOP_, ROOK_, QUEEN_))
    files, ranks = abs(start % 8 - target % 8), abs(start // 8 - target // 8)
    far = np.maximum(files, ranks) > NEAR
    return np.select([mates, slides & far, slides], [0, 1, 2], 3)


#: By game; of chess the last are moves of kings, knights and pawns.
KINDS: dict[str, Kinds] = {
    "chess": Kinds(
        ("mates", f"queens, rooks, bishops: {NEAR + 1} squares and more", "1 to 3", "others"),
        chess_kinds,
    )
}
