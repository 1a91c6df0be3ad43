"""How much material a move drops, judged by captures alone: a measure that needs no engine.

The worth of a position is the mover's material less the opponent's once both have captured all
they want to: each in turn captures or promotes as suits it best, or stops. Checks, threats and
mates are not seen. A pawn is 1, a knight or bishop 3, a rook 5 and a queen 9. The worth of a
move is that of the position after it, for who made it. A move drops what the best legal move is
worth more. So a piece that is lost whatever one plays does not count, nor does a fair exchange;
a piece that is left to be taken does, and one that could be taken and is not. A move that
mates drops nothing.
"""

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel, popcount
from evenmatch.games.chess import Chess
from evenmatch.games.chess.moves import (
    BOARD_WORDS,
    EN_PASSANT,
    MAX_LEGAL,
    PAWN_,
    SIDE,
    SQUARE,
    legal_moves,
    make_move,
    piece_on,
)

POINTS = np.array([0, 1, 3, 3, 5, 9, 0])  #: of a piece, by its number; kings are never taken
LONGEST = 64  #: captures and promotions in a row: 30 pieces to take, 16 pawns to promote
FAR = np.int64(1000)
"""Beyond all worths; of one type with what ``settled`` hands on, for numba's cache confuses the
signatures of a kernel that calls itself if there are two."""
AT_ONCE = 1024  #: positions whose moves are looked at together


@kernel
def settle(states, worths, boards, moves):  # [n, >= 5], [n], [LONGEST, 5], [LONGEST, MAX_LEGAL]
    """Write what positions are worth to the side to move. Two arrays to work in."""
    for row in range(len(states)):
        worths[row] = settled(states[row], -FAR, FAR, boards, moves)


@kernel
def settled(board, low, high, boards, moves):  # [>= 5], int, int, [D, 5], [D, MAX_LEGAL] -> int
    """Return what a position is worth to the side to move, cut off at ``low`` and ``high``.

    Alpha-beta, the greatest gains first. After a capture the opponent may stop, so that none is
    worth more than what it gains at once: those that cannot come above ``low`` are left out.
    """
    stand = balance(board)
    best = max(stand, low)
    if best >= high:
        return best
    listed = moves[0]
    count = legal_moves(board, listed)
    for gain in range(17, 0, -1):  # a pawn takes a queen and becomes one
        if stand + gain <= best:
            break
        for i in range(count):
            move = np.int64(listed[i])
            if gained(board, move) == gain:
                make_move(board, move, boards[0])
                best = max(best, -settled(boards[0], -high, -best, boards[1:], moves[1:]))
                if best >= high:
                    return best
    return best


@inlined
def balance(board):  # [>= 5] -> int
    """Return the mover's material less the opponent's."""
    p, q, r, white = board[0], board[1], board[2], board[3]
    total = 0
    for piece in range(1, 6):
        here = p if piece & 1 else ~p
        here &= q if piece & 2 else ~q
        here &= r if piece & 4 else ~r
        total += POINTS[piece] * (popcount(here & white) - popcount(here & ~white))
    return -total if board[4] & SIDE else total


@inlined
def gained(board, move):  # [>= 5], int -> int
    """Return what a legal move gains at once: what it takes and what it promotes to."""
    target, promotion = move >> 6 & 63, move >> 12 & 7
    gain = POINTS[piece_on(board, target)]
    passing = np.int64(board[4] >> EN_PASSANT & SQUARE)
    if passing and target == passing and piece_on(board, move & 63) == PAWN_:
        gain += POINTS[PAWN_]
    if promotion:
        gain += POINTS[promotion] - POINTS[PAWN_]
    return gain


def worths(states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return what chess states [n, 32] are worth to the side to move, [n]."""
    worth = np.empty(len(states), np.int64)
    room = np.empty((LONGEST, BOARD_WORDS), np.uint64), np.empty((LONGEST, MAX_LEGAL), np.int16)
    settle(states, worth, *room)
    return worth


def drops(states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return what each action drops in chess states [n, 32], [n, A]; 0 for what is not legal."""
    game = Chess()
    dropped = np.zeros((len(states), game.num_actions), np.int64)
    for at in range(0, len(states), AT_ONCE):
        legal = game.legal_mask(states[at : at + AT_ONCE])
        rows, actions = np.nonzero(legal)
        after = game.after(states[at + rows], actions)
        each = np.full(legal.shape, -FAR)
        each[rows, actions] = -worths(after)
        lost = each.max(1, keepdims=True) - each
        over, values = game.outcome(after)
        mates = over & (values < 0)
        lost[rows[mates], actions[mates]] = 0
        dropped[at : at + AT_ONCE] = np.where(legal, lost, 0)
    return dropped
