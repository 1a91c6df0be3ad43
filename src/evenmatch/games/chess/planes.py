"""Network inputs of chess: the planes of AlphaZero's paper, of Leela's networks, of Maia-2 and 3.

All are seen by the side to move: row 0 is its own first rank, files are not mirrored. AlphaZero's
and Leela's show the latest 8 positions, newest first, and whether each had occurred before.
Positions before the first known one are empty.

| planes of AlphaZero [119] | |
|---|---|
| 14 a position | own pawn, knight, bishop, rook, queen, king; opponent's; once, twice before |
| 112-115 | castling: own short, own long, the opponent's short, long |
| 116 | ones if Black is to move |
| 117, 118 | half-moves without capture or pawn move / 100; plies of the game / 200 |

| planes of Leela's classical format [112] | |
|---|---|
| 13 a position | own pawn, knight, bishop, rook, queen, king; opponent's; once before |
| 104-107 | castling: own long, own short, the opponent's long, short |
| 108 | ones if Black is to move |
| 109, 110, 111 | half-moves without capture or pawn move, as a count; zeros; ones |

| planes of Maia-3 [96] | |
|---|---|
| 12 a position | own pawn, knight, bishop, rook, queen, king; opponent's |

Maia-3 sees the latest 8 positions, newest first, each by the side that was to move in it; the first
known one stands for those before it.

| planes of Maia-2 [18] | |
|---|---|
| 0-11 | own pawn, knight, bishop, rook, queen, king; opponent's |
| 12 | ones |
| 13-16 | castling: own short, own long, the opponent's short, long |
| 17 | the square that a pawn can take en passant on |

Source: Silver et al. 2018, table S1; Leela Chess Zero, input format 1; the packages maia3-runtime
0.1.0 (`maia3.dataset`) and maia2 0.11.0 (`maia2.utils`). If the game began at
another position than the usual one, Leela shows the first known position in place of those
before it, and so do these planes. Where a pawn of that position can be taken en passant, the one
before its double step is the first that is known, at Leela and here (`Chess.from_fen`). Leela goes
by any en passant square that a FEN names, these planes only by one that can be used.
"""

import numpy as np

from evenmatch.games.bits import byteswap, inlined, kernel, trailing_zeros
from evenmatch.games.chess.history import (
    BOARDS,
    FOUR,
    HISTORY,
    KEPT,
    PLY,
    REPEATS,
    SIXTEEN,
    TWO,
    counter,
    latest_slot,
    record,
    take_back,
)
from evenmatch.games.chess.moves import (
    CLOCK,
    EN_PASSANT,
    MOST_CLOCK,
    ONE,
    SIDE,
    SQUARE,
    bit,
)

ALPHAZERO_PLANES, LEELA_PLANES, MAIA3_PLANES, MAIA2_PLANES = 119, 112, 96, 18
START = tuple(
    np.uint64(word) for word in (0x2CFF00000000FF2C, 0x7600000000000076, 0x9900000000000099, 0xFFFF)
)  # the four words of pieces of the usual first position


@inlined
def set_squares(plane, squares):  # [64], word
    """Put ones on some squares of an empty plane."""
    while squares:
        plane[trailing_zeros(squares)] = 1
        squares &= squares - ONE


@inlined
def fill(plane, value):  # [64], float
    """Put one number on all squares of a plane."""
    for square in range(64):
        plane[square] = value


@inlined
def set_pieces(planes, p, q, r, white, black_moves):  # [>= 12, 64], four words, bool
    """Write the twelve planes of one position's pieces, own ones first."""
    if black_moves:
        p, q, r, white = byteswap(p), byteswap(q), byteswap(r), byteswap(white)
    own = (p | q | r) & ~white if black_moves else white
    for piece in range(1, 7):
        digits = np.uint64(piece)
        here = (p ^ (digits & ONE) - ONE) & (q ^ (digits >> ONE & ONE) - ONE)
        here &= r ^ (digits >> np.uint64(2)) - ONE
        set_squares(planes[piece - 1], here & own)
        set_squares(planes[piece + 5], here & ~own)


@inlined
def castling(state, side, long):  # [32], 0 White or 1 Black, 0 short or 1 long -> word
    """Return 1 if a side may still castle that way."""
    return state[4] >> np.uint64(1 + 2 * side + long) & ONE


@kernel
def alphazero_planes(states, out):  # [B, 32], [B, 119, 64]
    """Write the planes of AlphaZero's paper."""
    for b in range(len(states)):
        state, planes = states[b], out[b]
        planes[:] = 0
        black = state[4] & SIDE != 0
        side = np.int64(black)
        p, q, r, white = state[0], state[1], state[2], state[3]
        slot, repeats = latest_slot(state), counter(state, REPEATS, SIXTEEN)
        known = np.int64(counter(state, HISTORY, FOUR))
        for back in range(known + 1):
            set_pieces(planes[14 * back :], p, q, r, white, black)
            for times in range(2):
                if repeats & TWO > np.uint64(times):
                    fill(planes[14 * back + 12 + times], 1)
            repeats >>= np.uint64(2)
            if back < known:
                p, q, r, white = take_back(p, q, r, white, record(state, slot))
                slot = slot - 1 if slot else KEPT - 1
        for i in range(4):
            fill(planes[112 + i], castling(state, side ^ (i // 2), i % 2))
        fill(planes[116], side)
        fill(planes[117], np.float32(state[4] >> CLOCK & MOST_CLOCK) / np.float32(100))
        fill(planes[118], np.float32(counter(state, PLY, SIXTEEN)) / np.float32(200))


@kernel
def leela_planes(states, out):  # [B, 32], [B, 112, 64]
    """Write the planes of Leela's classical format."""
    for b in range(len(states)):
        state, planes = states[b], out[b]
        planes[:] = 0
        black = state[4] & SIDE != 0
        side = np.int64(black)
        p, q, r, white = state[0], state[1], state[2], state[3]
        slot, repeats = latest_slot(state), counter(state, REPEATS, SIXTEEN)
        known = np.int64(counter(state, HISTORY, FOUR))
        for back in range(BOARDS):
            set_pieces(planes[13 * back :], p, q, r, white, black)
            if repeats & TWO:
                fill(planes[13 * back + 12], 1)
            if back < known:
                p, q, r, white = take_back(p, q, r, white, record(state, slot))
                slot = slot - 1 if slot else KEPT - 1
                repeats >>= np.uint64(2)
            elif is_start(p, q, r, white):
                break
        for i in range(4):
            fill(planes[104 + i], castling(state, side ^ (i // 2), 1 - i % 2))
        fill(planes[108], side)
        fill(planes[109], np.float32(state[4] >> CLOCK & MOST_CLOCK))
        fill(planes[111], 1)


@kernel
def maia3_planes(states, out):  # [B, 32], [B, 96, 64]
    """Write the planes of Maia-3."""
    for b in range(len(states)):
        state, planes = states[b], out[b]
        planes[:] = 0
        black = state[4] & SIDE != 0
        p, q, r, white = state[0], state[1], state[2], state[3]
        slot = latest_slot(state)
        known = np.int64(counter(state, HISTORY, FOUR))
        for back in range(BOARDS):
            set_pieces(planes[12 * back :], p, q, r, white, black)
            if back < known:
                p, q, r, white = take_back(p, q, r, white, record(state, slot))
                slot = slot - 1 if slot else KEPT - 1
                black = not black


@kernel
def maia2_planes(states, out):  # [B, 32], [B, 18, 64]
    """Write the planes of Maia-2."""
    for b in range(len(states)):
        state, planes = states[b], out[b]
        planes[:] = 0
        black = state[4] & SIDE != 0
        side = np.int64(black)
        set_pieces(planes, state[0], state[1], state[2], state[3], black)
        fill(planes[12], 1)
        for i in range(4):
            fill(planes[13 + i], castling(state, side ^ (i // 2), i % 2))
        passing = state[4] >> EN_PASSANT & SQUARE
        if passing:
            at = bit(np.int64(passing))
            set_squares(planes[17], byteswap(at) if black else at)


@inlined
def is_start(p, q, r, white):
    """Tell whether the pieces stand as in the usual first position."""
    return p == START[0] and q == START[1] and r == START[2] and white == START[3]
