"""Checkmates in one move, found by the rules alone."""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.chess.actions import move_of_action
from evenmatch.games.chess.moves import in_check, make_move, mover_moves
from evenmatch.games.game import ONE_PLY


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
