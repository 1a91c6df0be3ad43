"""The rules as kernels on packed positions: play a move, list the legal ones, find repetitions.

A move may not leave its own chain without liberties (suicide), nor repeat an earlier position of
the game (positional superko, of which simple ko is the shortest case). Passing is always legal, and
two passes end the game.

A stone can only bring back an earlier position if its point held a stone of its colour then, which
was captured since. So superko need be asked about points of ``lost`` alone, which are few.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.chains import chain, has_liberty, hash_of_captures
from evenmatch.games.go.state import (
    ALL_MOVES,
    MOVE_BITS,
    ONE,
    PASSES_AT,
    PASSES_MASK,
    PLIES,
    PLIES_PER_POINT,
    RECENT,
    SIDE_BIT,
    TAKEN_AT,
    TAKEN_MASK,
    ZOBRIST,
    area_lead,
    has,
    komi_of,
    moves_word,
    plies_of,
    put,
    side_to_move,
)


@kernel
def advance(states, actions, near, room, out):  # [B, S], [B], [P, 4], Room, [B, S]
    """Play legal actions; the last action passes. States of both forms, and in place."""
    for b in range(len(states)):
        for word in range(states.shape[1]):
            out[b, word] = states[b, word]
        play_on(out[b], np.int64(actions[b]), near, room)


@inlined
def play_on(state, action, near, room):  # [S], int, [P, 4], Room
    """Play a legal action in place."""
    points = len(near)
    words = (points + 63) // 64
    side = side_to_move(state, points)
    turn_over(state, words, points, action)
    if action < points:
        place(state, words, near, room, action, side)
    remember(state, points)


@inlined
def turn_over(state, words, points, action):  # [S], int, int, int
    """Let the other side move: everything but the stones, the prisoners and the hashes."""
    for word in range(words):
        state[3 * words + word] = state[2 * words + word]
        state[2 * words + word] = 0
        state[4 * words + word] = 0
    at = moves_word(points)
    plies = (state[at] >> PLIES) + ONE
    moves = state[at] << np.uint64(MOVE_BITS) | np.uint64(action + 1)
    state[at] = moves & ALL_MOVES | plies << PLIES
    rules = state[at + 1]
    passes = (rules >> PASSES_AT) & PASSES_MASK
    passes = min(passes + ONE, np.uint64(2)) if action == points else np.uint64(0)
    state[at + 1] = rules & ~(PASSES_MASK << PASSES_AT) | passes << PASSES_AT
    state[at + 1] ^= SIDE_BIT
    for back in range(RECENT - 1, 0, -1):
        state[at + 2 + back] = state[at + 1 + back]


@inlined
def place(state, words, near, room, point, side):  # [S], int, [P, 4], Room, int, int
    """Put a stone on the board and take what it captures; the present hash follows."""
    at = moves_word(len(near)) + 2
    ours, theirs = side * words, words - side * words
    put(state, ours, point)
    state[at] ^= ZOBRIST[side, point]
    taken = 0
    for k in range(4):
        other = near[point, k]
        if other < 0 or not has(state, theirs, other):
            continue
        if not has_liberty(state, words, near, room, other, theirs, np.int64(-1)):
            taken += capture(state, words, near, room, other, 1 - side)
    total = min((state[at - 1] >> TAKEN_AT[side] & TAKEN_MASK) + np.uint64(taken), TAKEN_MASK)
    state[at - 1] &= ~(TAKEN_MASK << TAKEN_AT[side])
    state[at - 1] |= total << TAKEN_AT[side]


@inlined
def capture(state, words, near, room, stone, side):  # [S], int, [P, 4], Room, int, int -> int
    """Take a chain of ``side`` off the board; return how many stones it had."""
    at = moves_word(len(near)) + 2
    count = chain(state, near, room, stone, side * words)
    for i in range(count):
        state[at] ^= ZOBRIST[side, room.stack[i]]
        put(state, 2 * words, np.int64(room.stack[i]))
    for word in range(words):
        gone = state[2 * words + word]
        state[side * words + word] &= ~gone
        state[(5 + side) * words + word] |= gone
    return count


@inlined
def remember(state, points):  # [S], int
    """Add the present hash to those of the game, in the play form."""
    at = moves_word(points) + 2
    ply = at + RECENT + plies_of(state, points)
    if ply < len(state):
        state[ply] = state[at]


@kernel
def generate(states, near, room, actions, counts, values):  # [B, S], [P, 4], Room, [B, E], [B], [B]
    """List the legal actions in increasing order, or the outcome by area."""
    points = len(near)
    words = (points + 63) // 64
    for b in range(len(states)):
        state = states[b]
        counts[b] = 0
        values[b] = 0
        side = side_to_move(state, points)
        if is_over(state, points):
            lead = area_lead(state, words, near, room) - komi_of(state, points)
            lead = -lead if side == 1 else lead
            values[b] = (lead > 0) - (lead < 0)
            continue
        for point in range(points):
            if is_legal(state, words, near, room, point, side):
                actions[b, counts[b]] = point
                counts[b] += 1
        actions[b, counts[b]] = points
        counts[b] += 1


@inlined
def is_over(state, points):  # [S], int -> bool
    """Tell whether two passes, or the limit of plies, have ended the game."""
    passes = (state[moves_word(points) + 1] >> PASSES_AT) & PASSES_MASK
    return passes == np.uint64(2) or plies_of(state, points) >= PLIES_PER_POINT * points


@inlined
def is_legal(state, words, near, room, point, side):  # [S], int, [P, 4], Room, int, int -> bool
    """Tell whether ``side`` may put a stone on a point."""
    if has(state, 0, point) or has(state, words, point) or has(state, 4 * words, point):
        return False
    if not leaves_liberty(state, words, near, room, point, side):
        return False
    if not has(state, (5 + side) * words, point):
        return True
    return not repeats(state, words, near, room, point, side)


@inlined
def leaves_liberty(state, words, near, room, point, side):  # as is_legal
    """Tell whether a stone on an empty point would not be suicide."""
    ours, theirs = side * words, words - side * words
    for k in range(4):
        other = near[point, k]
        if other >= 0 and not has(state, ours, other) and not has(state, theirs, other):
            return True
    for k in range(4):
        other = near[point, k]
        if other < 0:
            continue
        if has(state, ours, other):
            if has_liberty(state, words, near, room, other, ours, point):
                return True
        elif not has_liberty(state, words, near, room, other, theirs, point):
            return True
    return False


@inlined
def repeats(state, words, near, room, point, side):  # as is_legal
    """Tell whether a stone would bring back a position that the state remembers."""
    at = moves_word(len(near)) + 2
    after = state[at] ^ ZOBRIST[side, point]
    after ^= hash_of_captures(state, words, near, room, point, side)
    return remembers(state, len(near), after)


@inlined
def remembers(state, points, position):  # [S], int, word -> bool
    """Tell whether a position, by its hash, is among those that a state knows."""
    at = moves_word(points) + 2
    last = at + RECENT
    if len(state) > last:
        last += plies_of(state, points) + 1
    for word in range(at, last):  # noqa: SIM110  numba compiles no generators
        if state[word] == position:
            return True
    return False


@kernel
def to_search_form(states, near, room, out):  # [B, S], [P, 4], Room, [B, S']
    """Copy the words that searches use, and note what superko bans by the whole game."""
    points = len(near)
    words = (points + 63) // 64
    for b in range(len(states)):
        state = states[b]
        for word in range(out.shape[1]):
            out[b, word] = state[word]
        side = side_to_move(state, points)
        for point in range(points):
            if not has(state, (5 + side) * words, point):
                continue
            if has(state, 0, point) or has(state, words, point):
                continue
            if not leaves_liberty(state, words, near, room, point, side):
                continue
            if repeats(state, words, near, room, point, side):
                put(out[b], 4 * words, point)


@kernel
def breathing(states, near, room, out):  # [B, S], [P, 4], Room, [B, P] bool
    """Tell of each point whether it has a stone of a chain with liberties."""
    words = (len(near) + 63) // 64
    for b in range(len(states)):
        for point in range(len(near)):
            out[b, point] = False
            for side in range(2):
                if has(states[b], side * words, point):
                    out[b, point] = has_liberty(
                        states[b], words, near, room, point, side * words, np.int64(-1)
                    )
