"""Retrograde analysis of the endings of three men (Ströhlein 1970), from the rules alone.

    python -m evenmatch.games.chess.make_endings FILE

writes the table of `evenmatch.games.chess.endings`: the mates in 0 plies, in 1, in 2, and so on.
"""

import sys
from collections.abc import Sequence

import numpy as np

from evenmatch.games.bits import inlined, kernel, popcount
from evenmatch.games.chess.endings import (
    DRAW,
    MEN,
    PIECES,
    UNKNOWN,
    Table,
    number_of,
    row_of,
)
from evenmatch.games.chess.moves import (
    BOARD_WORDS,
    KING_,
    MAX_LEGAL,
    PAWN_,
    QUEEN_,
    ROOK_,
    SIDE,
    in_check,
    is_attacked,
    legal_moves,
    make_move,
    put,
)


@inlined
def set_up(board, piece, mover, king, other, square):  # [5], four ints -> bool
    """Put three men on a board; return whether the position is legal."""
    for word in range(BOARD_WORDS):
        board[word] = 0
    if king in (other, square) or other == square:
        return False
    if piece == PAWN_ and not 8 <= square < 56:
        return False
    put(board, king, KING_, True)
    put(board, other, KING_, False)
    put(board, square, piece, True)
    board[4] = mover
    return not is_attacked(board, king if mover else other, mover != 0)


@kernel
def sweep(table, piece, plies, board, after, moves):  # Table, three of room
    """Find the positions with a piece that are mate in exactly ``plies``; return how many.

    White is to move in those of odd numbers of plies, Black in the others.
    """
    row, mover, found = row_of(piece), 1 - plies % 2, 0
    for king in range(64):
        for other in range(64):
            for square in range(64):
                if table[row, mover, king, other, square] != UNKNOWN:
                    continue
                if not set_up(board, piece, mover, king, other, square):
                    table[row, mover, king, other, square] = DRAW
                elif is_mate_in(table, board, plies, after, moves):
                    table[row, mover, king, other, square] = plies + 1
                    found += 1
    return found


@inlined
def is_mate_in(table, board, plies, after, moves):  # Table, [5], int, [5], [E] -> bool
    """Tell whether a position is mate in ``plies``, where all shorter mates are in the table."""
    count, black = legal_moves(board, moves), board[4] & SIDE
    if count == 0:
        return plies == 0 and black and in_check(board)
    for i in range(count):
        make_move(board, np.int64(moves[i]), after)
        number = UNKNOWN
        if popcount(after[0] | after[1] | after[2]) == MEN:
            number = number_of(table, after)
        if black and number in (UNKNOWN, DRAW):
            return False
        if not black and number == plies:
            return True
    return black and plies > 0


def make_table(pieces: Sequence[int] = (ROOK_, QUEEN_, PAWN_)) -> Table:
    """Return the table, from the rules alone; pawns last, because they promote to the others.

    The entries of pieces other than those requested are UNKNOWN.
    """
    table = np.full((len(PIECES), 2, 64, 64, 64), UNKNOWN, np.uint8)
    room = (np.zeros(5, np.uint64), np.zeros(5, np.uint64), np.zeros(MAX_LEGAL, np.int16))
    for piece in pieces:
        longest = int(table[table != UNKNOWN].max(initial=0))  # that a pawn may become
        since, plies = 0, 0
        while since < 2 or plies <= longest:
            since = 0 if sweep(table, piece, plies, *room) else since + 1
            plies += 1
        rows = table[row_of(piece)]
        rows[rows == UNKNOWN] = DRAW
    return table


if __name__ == "__main__":
    np.savez_compressed(sys.argv[1], numbers=make_table())
