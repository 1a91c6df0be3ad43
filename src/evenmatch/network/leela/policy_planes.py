"""Leela's 1858 moves, and where the 73 planes of a convolutional policy hold them.

Moves are seen by the side to move: the board is turned so that it moves up. Both orders follow from
a few rules (Leela's, of 2018 and 2019), so no table is needed.

The 1858: from a1, b1, ... to h8, each with the squares that a queen or a knight reaches from
there, again from a1 to h8; then the promotions from a7 to h7, to the left, straight and to the
right, each to queen, rook and bishop. A promotion to knight is the plain move; castling is the king
taking its own rook (e1h1, e1a1).

The planes [73, 8, 8], each at the square of departure: queen moves, clockwise from north, for each
direction 1 to 7 steps; knight moves, clockwise from north-north-east; promotions to the left,
straight and to the right, each to rook, bishop and queen. Leela pads them to 80 planes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOVES, PLANES, PADDED = 1858, 73, 80

Direction = tuple[int, int]  # files to the right, ranks up
COMPASS: tuple[Direction, ...] = (
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
)
KNIGHT: tuple[Direction, ...] = (
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
)
PROMOTIONS: tuple[Direction, ...] = ((-1, 1), (0, 1), (1, 1))

Move = tuple[int, int, str]  # squares from and to, 0 = a1 to 63 = h8; piece promoted to or ""


def _reached(square: int, step: Direction) -> int | None:
    """Return the square a step away, or None beyond the edge."""
    file, rank = square % 8 + step[0], square // 8 + step[1]
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def _plane_moves() -> dict[Move, int]:
    """Return move -> plane of the convolutional policy."""
    planes: dict[Move, int] = {}

    def add(plane: int, step: Direction, piece: str = "", squares: range = range(64)) -> None:
        for square in squares:
            to = _reached(square, step)
            if to is not None:
                planes[square, to, piece] = plane

    for i, (right, up) in enumerate(COMPASS):
        for steps in range(1, 8):
            add(7 * i + steps - 1, (right * steps, up * steps))
    for i, step in enumerate(KNIGHT):
        add(56 + i, step)
    for i, step in enumerate(PROMOTIONS):
        for j, piece in enumerate("rbq"):
            add(64 + 3 * i + j, step, piece, squares=range(48, 56))
    return planes


def moves() -> list[Move]:
    """Return the 1858 moves in Leela's order."""
    return sorted(_plane_moves(), key=lambda m: (m[2] != "", m[0], m[1], "qrb".find(m[2])))


def gather_indices() -> NDArray[np.int64]:
    """Return for each of the 1858 moves its place [1858] in planes flattened to [80 * 64]."""
    planes = _plane_moves()
    return np.array([planes[move] * 64 + move[0] for move in moves()], np.int64)
