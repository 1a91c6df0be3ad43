"""Recorded games played again on the board, as compiled kernels: positions from choices.

A choice is a move's place among the legal moves, so a position costs a move generation for each
ply before it. Requests are answered game by game: those that share a game are played once.
"""

import hashlib

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.chess.history import step
from evenmatch.games.chess.moves import legal_moves, make_move
from evenmatch.records.chess.san import START_BOARD, room

FINGERPRINT_PLIES = 400


@inlined
def copy(state, out):  # [S], [S]
    """Copy a board or a state."""
    for word in range(len(out)):
        out[word] = state[word]


@kernel
def replay(order, games, plies, first, lengths, choices, start, state, legal, states, moves):
    """Write the positions before the moves asked for, and the moves; return a damaged game or -1.

    ``order`` [K] sorts the requests ``games`` [K] and ``plies`` [K] by game, then ply. ``first``
    and ``lengths`` [G] tell where the ``choices`` [M] of each game are. ``start`` [S] is the state
    that games begin from. ``states`` [K, S] get the positions, ``moves`` [K] the moves played, 0 at
    the end of the game. ``state`` [S] and ``legal`` are room to work in.
    """
    game, ply = np.int64(-1), np.int64(0)
    for at in order:
        if games[at] != game or plies[at] < ply:
            game, ply = games[at], 0
            copy(start, state)
        begin, end = first[game], np.int64(lengths[game])
        while True:
            move = np.int64(0)
            if ply < end:
                count = legal_moves(state, legal)
                if choices[begin + ply] >= count:
                    return game
                move = np.int64(legal[choices[begin + ply]])
            if ply == plies[at]:
                break
            step(state, move, state)
            ply += 1
        copy(state, states[at])
        moves[at] = move
    return -1


@kernel
def move_numbers(choices, start, board, legal, moves):  # [plies], [5], [5], [E], [plies] -> int
    """Write the moves of one game; return how many could be played."""
    copy(start, board)
    for ply in range(len(choices)):
        count = legal_moves(board, legal)
        if choices[ply] >= count:
            return ply
        moves[ply] = legal[choices[ply]]
        make_move(board, np.int64(moves[ply]), board)
    return len(choices)


@kernel
def play(moves, states):  # [plies], [plies + 1, S]
    """Write the states after each of a game's legal moves; the first is there already."""
    for ply in range(len(moves)):
        step(states[ply], np.int64(moves[ply]), states[ply + 1])


def move_order() -> str:
    """Return a fingerprint of the order of legal moves, which choices depend on."""
    board, legal = room()
    board[:] = START_BOARD
    digest = hashlib.sha256()
    for ply in range(FINGERPRINT_PLIES):
        count = legal_moves(board, legal)
        digest.update(legal[:count].astype("<i2").tobytes())
        if count == 0:
            board[:] = START_BOARD
        else:
            make_move(board, np.int64(legal[37 * ply % count]), board)
    return digest.hexdigest()[:16]
