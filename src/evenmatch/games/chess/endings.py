"""Endings of three men: which side wins, and in how many plies.

King and queen, rook or pawn against a king are known for every position, by retrograde
analysis (Ströhlein 1970). Only the side with the piece can win. A table has a number for each
position seen by that side as White: 0 for a draw, otherwise one more than the plies to mate if both
play best. Where the fifty-move rule would come first, a position is not taken as known. What was
repeated in the game is not looked at.

`evenmatch.games.chess.make_endings` makes the file that comes with evenmatch.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import byteswap, inlined, kernel, popcount, trailing_zeros
from evenmatch.games.chess.actions import move_of_action
from evenmatch.games.chess.moves import (
    CLOCK,
    MOST_CLOCK,
    PAWN_,
    QUEEN_,
    RIGHTS,
    ROOK_,
    SIDE,
    in_check,
    make_move,
    mover_moves,
)
from evenmatch.games.game import ONE_PLY

FILE = Path(__file__).with_name("endings.npz")
PIECES = (PAWN_, ROOK_, QUEEN_)
DRAW, UNKNOWN = 0, 255
MEN = 3
FIFTY = 100  # plies of the fifty-move rule

Table = NDArray[np.uint8]  # [3, 2, 64, 64, 64]: PIECES; who moves, 0 White; its king, the other's,
# the piece. Squares that no legal position has are draws.


@cache
def endings() -> Table:
    """Return the table that comes with evenmatch."""
    with np.load(FILE) as kept:
        return np.asarray(kept["numbers"])


# -- looking up ------------------------------------------------------------------------------------


@inlined
def row_of(piece):  # int
    """Return where a piece stands in PIECES."""
    return 0 if piece == PAWN_ else piece - ROOK_ + 1


@inlined
def number_of(table, board):  # Table, [>= 5] -> int
    """Return the table's number for a position of three men, UNKNOWN if it is in none."""
    p, q, r, white, rules = board[0], board[1], board[2], board[3], board[4]
    third = (p | q | r) & ~(q & r)
    if rules & RIGHTS or (q & ~r & ~p) & third or (p & q) & third:
        return UNKNOWN  # castling is left; knights and bishops are drawn by the rules
    piece = PAWN_ if p & ~r & third else (QUEEN_ if p & third else ROOK_)
    mover = rules & SIDE
    kings, own = q & r, white
    if not third & white:
        kings, own, third = byteswap(kings), byteswap((p | q | r) & ~white), byteswap(third)
        mover ^= SIDE
    king, other = trailing_zeros(kings & own), trailing_zeros(kings & ~own)
    square = trailing_zeros(third)
    return np.int64(table[row_of(piece), np.int64(mover), king, other, square])


@kernel
def settle_endings(table, states, counts, values):  # Table, [B, 32], [B], [B]
    """Give positions of three men count 0 and the value of what they come to."""
    for b in range(len(states)):
        board = states[b]
        if counts[b] == 0 or popcount(board[0] | board[1] | board[2]) != MEN:
            continue
        number = number_of(table, board)
        clock = np.int64((board[4] >> CLOCK) & MOST_CLOCK)
        if number == UNKNOWN or clock + number - 1 > FIFTY:
            continue
        counts[b] = 0
        values[b] = 0
        if number != DRAW:
            won = np.float32(1 - (number - 1) * ONE_PLY)
            values[b] = won if is_strong(board) else -won


@inlined
def is_strong(board):  # [>= 5] -> bool
    """Tell whether the side to move has the third man."""
    third = (board[0] | board[1] | board[2]) & ~(board[1] & board[2])
    return (third & board[3] != 0) == (board[4] & SIDE == 0)


@kernel
def settle_mates(states, actions, counts, values, board, moves):
    """Give positions [B, 32] from which a move mates count 0 and the value of a win in a ply.

    Shapes: actions [B, E], counts and values [B] as the rules wrote them; a board [5] and moves
    [E] to work in.
    """
    for b in range(len(states)):
        if mates_at_once(states[b], actions[b], counts[b], board, moves):
            counts[b] = 0
            values[b] = np.float32(1 - ONE_PLY)


@inlined
def mates_at_once(state, actions, count, board, moves):  # [32], [E], int, [5], [E]
    """Tell whether one of a position's legal actions is checkmate."""
    for i in range(count):
        make_move(state, move_of_action(state, np.int64(actions[i])), board)
        if in_check(board) and mover_moves(board, moves) == 0:
            return True
    return False
