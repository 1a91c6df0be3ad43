"""The 1858 actions of chess as Leela Chess Zero numbers them: moves seen by the side to move.

Ranks are counted from the mover's side, files are not mirrored. Actions 0 to 1791 are the
pairs of squares a queen's or a knight's move away, in order of from-square and then target;
a promotion to a knight is the pawn's bare move. The other 66 are promotions on the last rank:
by the pawn's file, the target's, then queen, rook, bishop. Castling is the king's move to its
rook's corner, e1h1 or e1a1, which no king's step can be.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel, trailing_zeros
from evenmatch.games.chess.moves import KNIGHT, KNIGHT_, LINE, RANK_7, SIDE, bit, mover_view

NUM_ACTIONS = 1858
PLAIN = 1792  #: the first of the promotions to queen, rook and bishop
E1, SHORT, LONG = 4, 4 | 6 << 6, 4 | 2 << 6  # the king's castling moves, seen by the mover
SHORT_ACTION, LONG_ACTION = 4 | 7 << 6, 4 | 0 << 6  # and the pairs that stand for them
FLIP = 56 | 56 << 6  # turns the ranks of a move round


def _moves() -> np.ndarray:
    """Return the move of each action, [1858], seen by the mover; promotions past a knight's."""
    reach = [
        [to for to in range(64) if int(LINE[start, to]) or int(KNIGHT[start]) >> to & 1]
        for start in range(64)
    ]
    plain = [start | to << 6 for start in range(64) for to in reach[start]]
    promotions = [
        (48 + file) | (56 + to) << 6 | piece << 12
        for file in range(8)
        for to in range(max(file - 1, 0), min(file + 2, 8))
        for piece in (5, 4, 3)
    ]
    return np.array(plain + promotions, np.int16)


def _indices(moves: np.ndarray) -> np.ndarray:
    """Return the action of each pair of squares ``from | to << 6``, [4096], -1 for none."""
    indices = np.full(4096, -1, np.int16)
    indices[moves[:PLAIN]] = np.arange(PLAIN)
    return indices


MOVES = _moves()
INDICES = _indices(MOVES)


@inlined
def action_of(move, king_at_home):
    """Return the action of a mover's move; ``king_at_home`` is whether its king is on e1."""
    promotion = move >> 12
    if promotion > KNIGHT_:
        return PLAIN + 3 * (2 * (move & 7) + (move >> 6 & 7)) + 5 - promotion
    pair = move & 0xFFF
    if king_at_home and pair == SHORT:
        pair = SHORT_ACTION
    elif king_at_home and pair == LONG:
        pair = LONG_ACTION
    return np.int64(INDICES[pair])


@inlined
def mover_move_of(board, action):  # [>= 5], int -> int
    """Return the mover's move that a legal action stands for."""
    move = np.int64(MOVES[action])
    p, q, r, own, _, _, _ = mover_view(board)
    start = bit(move & 63)
    if start & p & ~q & ~r & RANK_7:
        return move if move >> 12 else move | KNIGHT_ << 12
    if start & q & r & own:
        if move == SHORT_ACTION and move & 63 == E1:
            return np.int64(SHORT)
        if move == LONG_ACTION and move & 63 == E1:
            return np.int64(LONG)
    return move


@inlined
def has_king_at_home(board):  # [>= 5] -> bool
    """Tell whether the mover's king is on e1, seen by the mover."""
    _, q, r, own, _, _, _ = mover_view(board)
    return trailing_zeros(q & r & own) == E1


@kernel
def write_actions(board, moves, count):  # [>= 5], [>= count] int16, int
    """Turn a board's mover's moves into actions, in place; both are in increasing order."""
    at_home = has_king_at_home(board)
    for i in range(count):
        moves[i] = action_of(np.int64(moves[i]), at_home)


@kernel
def move_of_action(board, action):  # [>= 5], int -> int
    """Return the move, squares as they are, that a legal action of a board stands for."""
    move = mover_move_of(board, action)
    return move ^ FLIP if board[4] & SIDE else move


@kernel
def action_of_move(board, move):  # [>= 5], int -> int
    """Return the action of a legal move whose squares are as they are."""
    seen = move ^ FLIP if board[4] & SIDE else move
    return action_of(np.int64(seen), has_king_at_home(board))


def actions_of_moves(boards: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return the actions [B] of legal ``moves`` [B], squares as they are, of boards [B, >= 5]."""
    actions = np.empty(len(boards), np.int64)
    _write_actions_of(boards, moves.astype(np.int64), actions)
    return actions


@kernel
def _write_actions_of(boards, moves, actions):  # [B, >= 5], [B], [B]
    for b in range(len(boards)):
        actions[b] = action_of_move(boards[b], moves[b])
