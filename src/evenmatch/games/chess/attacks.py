"""Where chess pieces attack, as words of squares: bit ``8 * rank + file``, a1 is bit 0.

Sliding attacks are found by obstruction difference: along one line, subtract the nearest piece
below the slider from the pieces above it; the borrow runs from the one blocker to the other and
so marks the squares between. Eight operations a line serve ranks, files and both diagonals
alike, from 4 KB of tables that stay in the first-level cache. Magic bitboards need one lookup,
but in 800 KB that a network between two simulations pushes out of the cache, and found numbers.
"""

import numpy as np

from evenmatch.games.bits import inlined, leading_zeros

ONE = np.uint64(1)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
PAWN_STEPS = (((1, -1), (1, 1)), ((-1, -1), (-1, 1)))  # White's captures, Black's
LINES = ((0, 1), (1, 0), (1, 1), (1, -1))  # (ranks, files) a step upwards: rank, file, diagonals


def _walk(square: int, step: tuple[int, int], most: int = 7) -> list[int]:
    """Return the squares met from ``square`` by ``step`` before the edge, at most ``most``."""
    squares, (rank, file) = [], divmod(square, 8)
    for _ in range(most):
        rank, file = rank + step[0], file + step[1]
        if not (0 <= rank < 8 and 0 <= file < 8):
            break
        squares.append(8 * rank + file)
    return squares


def _word(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _jumps(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return the squares that one step leads to from each square, [64]."""
    words = [sum(_word(_walk(square, step, 1)) for step in steps) for square in range(64)]
    return np.array(words, np.uint64)


def _rays(sign: int) -> np.ndarray:
    """Return the squares along each line above (1) or below (-1) each square, [64, 4]."""
    steps = [(sign * rank, sign * file) for rank, file in LINES]
    words = [[_word(_walk(square, step)) for step in steps] for square in range(64)]
    return np.array(words, np.uint64)


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return the squares between two squares and the whole line through them, [64, 64] each."""
    between, line = np.zeros((2, 64, 64), np.uint64)
    for square in range(64):
        for step in KING_STEPS:
            ray = _walk(square, step)
            back = _walk(square, (-step[0], -step[1]))
            for i, other in enumerate(ray):
                between[square, other] = _word(ray[:i])
                line[square, other] = _word([square, *ray, *back])
    return between, line


KNIGHT = _jumps(KNIGHT_STEPS)  # [64]
KING = _jumps(KING_STEPS)  # [64]
PAWN = np.stack([_jumps(steps) for steps in PAWN_STEPS])  # [2, 64] what a colour's pawn attacks
ABOVE, BELOW = _rays(1), _rays(-1)  # [64, 4] squares of greater and of smaller number
BETWEEN, LINE = _pairs()  # [64, 64] both ends excluded; included; 0 off all lines


@inlined
def bit(square):
    """Return the word of one square."""
    return ONE << np.uint64(square)


@inlined
def line_attacks(square, line, occupied):
    """Return what a slider attacks along one of the four ``LINES``."""
    above, below = ABOVE[square, line], BELOW[square, line]
    blockers = above & occupied
    nearest = np.uint64(1 << 63) >> leading_zeros((below & occupied) | ONE)
    return (blockers ^ (blockers - nearest)) & (above | below)


@inlined
def straight_attacks(square, occupied):
    """Return what a rook attacks."""
    return line_attacks(square, 0, occupied) | line_attacks(square, 1, occupied)


@inlined
def diagonal_attacks(square, occupied):
    """Return what a bishop attacks."""
    return line_attacks(square, 2, occupied) | line_attacks(square, 3, occupied)
