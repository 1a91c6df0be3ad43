"""Recorded games of Go played again by the rules, as compiled kernels: legality, and positions.

One position is played on in place, so a move costs its own legality and captures alone. A choice,
what a dataset stores of a move, is the action itself: it takes no more room than its place among
the legal actions would, and nobody has to list those.

Shapes: G games, M moves, K requests, n starts, P points, S words of a state of the play form,
S' of the search form.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.rules import is_legal, is_over, play_on, to_search_form
from evenmatch.games.go.state import side_to_move
from evenmatch.records.record import Reason

FINE, ILLEGAL, NO_MOVES = (int(r) for r in (Reason.fine, Reason.illegal_move, Reason.no_moves))


@inlined
def can_play(state, action, near, room):  # [S], int, [P, 4], Room -> bool
    """Return whether an action is legal in a game that is not over."""
    points = len(near)
    if action == points:
        return True
    if action < 0 or action > points:
        return False
    words = (points + 63) // 64
    return is_legal(state, words, near, room, action, side_to_move(state, points))


@inlined
def copy(state, out):  # [S], [S]
    """Copy a position."""
    for word in range(len(out)):
        out[word] = state[word]


@kernel
def resolve(starts, of_game, begins, ends, actions, near, room, state, reasons, lengths, faults):
    """Play games, find what is illegal in them, and where they end by the rules.

    ``starts`` [n, S] are the positions that they begin from, ``of_game`` [G] which of them;
    ``begins`` and ``ends`` [G] bound their moves in ``actions`` [M], the sides in turn. Games with
    one of ``reasons`` [G] are passed over, and others may get one. ``lengths`` [G] become the plies
    of the games, ``faults`` [G] the numbers of moves that are wrong. ``state`` [1, S] is to work
    in; it is the end of the last game then, or the last position before a fault.
    """
    points = len(near)
    for game in range(len(reasons)):
        lengths[game] = 0
        if reasons[game] != FINE:
            continue
        copy(starts[of_game[game]], state[0])
        for move in range(begins[game], ends[game]):
            if is_over(state[0], points):
                break
            faults[game] = move
            action = np.int64(actions[move])
            if not can_play(state[0], action, near, room):
                reasons[game] = ILLEGAL
                break
            play_on(state[0], action, near, room)
            lengths[game] += 1
        if reasons[game] == FINE and lengths[game] == 0:
            reasons[game] = NO_MOVES
        if reasons[game] != FINE:
            lengths[game] = 0


@kernel
def replay(
    order, games, plies, first, lengths, choices, starts, of_request, near, room, state, out, moves
):
    """Write the positions before the moves asked for, and the moves; return a damaged game or -1.

    ``order`` [K] sorts the requests ``games`` [K] and ``plies`` [K] by game, then ply. ``first``
    and ``lengths`` [G] are where the ``choices`` [M] of each game begin, and how many they are,
    ``starts`` [n, S] the positions that games begin from, ``of_request`` [K] which of them. ``out``
    [K, S'] get the positions, ``moves`` [K] the moves, 0 at a game's end. ``state`` [1, S] is room
    to work in.
    """
    points = len(near)
    game, ply = np.int64(-1), np.int64(0)
    for at in order:
        if games[at] != game or plies[at] < ply:
            game, ply = games[at], 0
            copy(starts[of_request[at]], state[0])
        begin, end = first[game], np.int64(lengths[game])
        while ply < plies[at]:
            action = np.int64(choices[begin + ply])
            if is_over(state[0], points) or not can_play(state[0], action, near, room):
                return game
            play_on(state[0], action, near, room)
            ply += 1
        moves[at] = 0
        if ply < end:
            action = np.int64(choices[begin + ply])
            if is_over(state[0], points) or not can_play(state[0], action, near, room):
                return game
            moves[at] = action
        to_search_form(state, near, room, out[at : at + 1])
    return -1
