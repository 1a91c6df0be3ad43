"""Packed chess positions that remember the game: repetition, draws, boards of earlier plies.

A state is 32 words, four cache lines: the board [5] of ``chess_moves``, one word of counters,
and a ring of the latest 104 moves, four to a word. A move is 16 bits: from, to, the piece it
took (3 bits), whether it promoted; the rest is on the board, so that moves can be taken back.
Taking them back gives the earlier boards for a network's planes. Taking back the reversible
ones, at most 100 before a draw, finds repetitions exactly, without hashes that may collide.
The alternative, 8 boards and 100 hashes of 64 bits, takes four times as much.

Counters, from bit 0: plies before the position as a FEN counts them (16 bits), moves made since
the first state (16), how many of the latest moves are reversible (8), how many may be taken
back for planes (4), how often each of the latest 8 positions had occurred before, the present
one lowest (2 bits each, 2 for twice or more), the mark of a search (2).

The mark: a game is drawn when a position occurs for the third time. Within a search a second
time counts, for what was best once will be best again (as AlphaZero's descendants do): below a
state marked ``ROOT`` every state is ``BELOW``, where any earlier occurrence, in the game or on
the way, is a draw. A root itself goes by the rules of the game.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel, popcount
from evenmatch.games.chess.moves import (
    BOARD_WORDS,
    CLOCK,
    MOST_CLOCK,
    ONE,
    SIDE,
    bit,
    make_move,
    piece_on,
)

COUNTERS = BOARD_WORDS  # the word of counters
RING = COUNTERS + 1  # the first word of the ring
KEPT = 104  # moves in the ring
STATE_WORDS = RING + KEPT // 4
BOARDS = 8  #: positions, the present one included, that planes show
MAX_PLIES = 1024  #: moves after which a game is drawn, a practical limit
PLY, PLAYED, WINDOW = np.uint64(0), np.uint64(16), np.uint64(32)
HISTORY, REPEATS, MARK = np.uint64(40), np.uint64(44), np.uint64(60)
GAME, ROOT, BELOW = range(3)  # marks: in a game, the root of a search, below one
SIXTEEN, EIGHT, FOUR, TWO = (np.uint64((1 << bits) - 1) for bits in (16, 8, 4, 2))
DARK = np.uint64(0xAA55AA55AA55AA55)  # squares of a1's colour


def without_history(states: np.ndarray) -> np.ndarray:
    """Return states [B, 32] that show no earlier boards, as after a FEN; the rules are the same."""
    bare = states.copy()
    bare[:, COUNTERS] &= ~(FOUR << HISTORY)
    return bare


# -- moves back and forth --------------------------------------------------------------------------


@inlined
def counter(state, at, mask):  # [32], where it begins, its bits -> word
    """Return one of the counters."""
    return (state[COUNTERS] >> at) & mask


@inlined
def record(state, slot):  # [32], int -> word
    """Return the 16 bits of a move in the ring."""
    return (state[RING + slot // 4] >> np.uint64(16 * (slot % 4))) & SIXTEEN


@inlined
def put_record(state, slot, move):  # [32], int, word
    """Store the 16 bits of a move in the ring."""
    shift = np.uint64(16 * (slot % 4))
    word = state[RING + slot // 4] & ~(SIXTEEN << shift)
    state[RING + slot // 4] = word | move << shift


@kernel
def step(state, move, out):  # [32], int, [32]
    """Write the state after a legal ``from | to << 6 | promotion << 12``; may be in place."""
    taken = np.uint64(piece_on(state, (move >> 6) & 63))
    kept = (
        np.uint64(move & 0xFFF)
        | taken << np.uint64(12)
        | np.uint64(move >> 12 != 0) << np.uint64(15)
    )
    played = counter(state, PLAYED, SIXTEEN)
    ply = min(counter(state, PLY, SIXTEEN) + ONE, SIXTEEN)
    window = min(counter(state, WINDOW, EIGHT) + ONE, np.uint64(KEPT - 1))
    history = min(counter(state, HISTORY, FOUR) + ONE, np.uint64(BOARDS - 1))
    repeats = counter(state, REPEATS, SIXTEEN)
    mark = counter(state, MARK, TWO)
    for word in range(RING, STATE_WORDS):
        out[word] = state[word]
    if make_move(state, move, out):
        window = np.uint64(0)
    slot = np.int64(played) % KEPT
    put_record(out, slot, kept)
    repeated = earlier_occurrences(out, slot, np.int64(window))
    repeats = (repeats << np.uint64(2) | repeated) & SIXTEEN
    if mark:
        mark = np.uint64(BELOW)
    played = min(played + ONE, SIXTEEN)
    out[COUNTERS] = ply | played << PLAYED | window << WINDOW
    out[COUNTERS] |= history << HISTORY | repeats << REPEATS | mark << MARK


@inlined
def earlier_occurrences(state, slot, window):  # [32], int, int -> word
    """Count, up to 2, the positions within ``window`` moves back that equal the present one.

    ``slot`` is that of the latest move. Reversible moves neither take, promote nor castle: a
    piece goes from one square to another, and back by exchanging the two squares' bits.
    """
    count = np.uint64(0)
    p, q, r, white = state[0], state[1], state[2], state[3]
    for back in range(1, window + 1):
        move = record(state, slot)
        slot = slot - 1 if slot else KEPT - 1
        at = (move >> np.uint64(6)) & np.uint64(63)
        squares = ONE << (move & np.uint64(63)) | ONE << at
        p ^= squares * (p >> at & ONE)
        q ^= squares * (q >> at & ONE)
        r ^= squares * (r >> at & ONE)
        white ^= squares * (white >> at & ONE)
        same = p == state[0] and q == state[1] and r == state[2] and white == state[3]
        if same and back % 2 == 0:
            count += ONE
            if count == np.uint64(2):
                break
    return count


@inlined
def take_back(p, q, r, white, move):  # four words of a board, 16 bits of the ring
    """Return the four words of the board before a move."""
    start, at = np.int64(move & np.uint64(63)), np.int64(move >> np.uint64(6) & np.uint64(63))
    taken, here, there = move >> np.uint64(12) & np.uint64(7), bit(at), bit(start)
    digits = (p & here != 0) | (q & here != 0) << 1 | (r & here != 0) << 2
    by_white = white & here != 0
    king, pawn = digits == 6, digits == 1
    if move >> np.uint64(15):
        digits, pawn = 1, True
    p, q, r, white = p & ~here, q & ~here, r & ~here, white & ~here
    p |= there * np.uint64(digits & 1)
    q |= there * np.uint64(digits >> 1 & 1)
    r |= there * np.uint64(digits >> 2)
    white |= there * np.uint64(by_white)
    if taken:
        p |= here * (taken & ONE)
        q |= here * (taken >> ONE & ONE)
        r |= here * (taken >> np.uint64(2))
        white |= here * np.uint64(not by_white)
    elif pawn and (start ^ at) & 7:  # en passant
        p |= bit(at ^ 8)
        white |= bit(at ^ 8) * np.uint64(not by_white)
    elif king and abs(start - at) == 2:
        rook = bit((start + at) // 2) | bit(start + 3 if at > start else start - 4)
        r ^= rook
        white ^= rook * np.uint64(by_white)
    return p, q, r, white


@inlined
def latest_slot(state):  # [32] -> int
    """Return the slot of the latest move."""
    return (np.int64(counter(state, PLAYED, SIXTEEN)) + KEPT - 1) % KEPT


# -- draws -----------------------------------------------------------------------------------------


@inlined
def is_drawn(state):  # [32] -> bool
    """Tell whether a position with legal moves is a draw.

    Fifty moves without a capture or pawn move, and the third occurrence of a position, end a
    game at once here; over the board a player has to claim them.
    """
    repeated = counter(state, REPEATS, TWO)
    if repeated == np.uint64(2) or (repeated and counter(state, MARK, TWO) == np.uint64(BELOW)):
        return True
    if (state[4] >> CLOCK) & MOST_CLOCK >= np.uint64(100):
        return True
    return counter(state, PLAYED, SIXTEEN) >= np.uint64(MAX_PLIES) or is_insufficient(state)


@inlined
def is_insufficient(board):  # [>= 4] -> bool
    """Tell whether neither side can ever mate: bare kings, a knight, bishops of one colour."""
    p, q, r = board[0], board[1], board[2]
    if (p & ~q & ~r) | (r & ~q):  # pawns, rooks, queens
        return False
    if q & ~p & ~r:  # knights
        return popcount(p | q | r) <= 3
    bishops = p & q
    return bishops & DARK == 0 or bishops & ~DARK == 0


# -- one row at a time, for text and for searches --------------------------------------------------


def new_states(boards: np.ndarray, plies: np.ndarray) -> np.ndarray:
    """Return states [B, 32] without a past from boards [B, 5] and their FEN's plies [B]."""
    states = np.zeros((len(boards), STATE_WORDS), np.uint64)
    states[:, :BOARD_WORDS] = boards
    states[:, COUNTERS] = plies
    return states


def marked(states: np.ndarray, mark: int) -> np.ndarray:
    """Return a copy of the states [B, 32] with another mark."""
    states = states.copy()
    states[:, COUNTERS] &= ~(TWO << MARK)
    states[:, COUNTERS] |= np.uint64(mark) << MARK
    return states


def to_play(states: np.ndarray) -> np.ndarray:
    """Return the side to move, [B]: 1 White, -1 Black."""
    return (1 - 2 * (states[:, 4] & SIDE).astype(np.int8)).astype(np.int8)
