"""Chains of stones in packed positions: liberties and captures, by flooding from a stone.

A flood visits the stones of a chain one by one and stops at the first liberty it was asked to
find, so most take a few steps. It marks what it has seen with the number of the flood, and so
needs no clearing. ``Room`` is what floods work in; one serves all calls of a thread.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined
from evenmatch.games.go.state import ZOBRIST, has


class Room(NamedTuple):
    """Room for floods on a board of P points."""

    seen: NDArray[np.int64]  # [P] the latest flood that met a point
    stack: NDArray[np.int32]  # [P] stones of the chain
    flood: NDArray[np.int64]  # [1] number of the latest flood


def new_room(points: int) -> Room:
    """Return room for floods, nothing of it seen yet."""
    return Room(np.zeros(points, np.int64), np.empty(points, np.int32), np.zeros(1, np.int64))


def neighbours_of(size: int) -> NDArray[np.int32]:
    """Return the neighbours of each point, [P, 4], in order of number, -1 where there is none."""
    grid = np.full((size + 2, size + 2), -1, np.int32)
    grid[1:-1, 1:-1] = np.arange(size * size).reshape(size, size)
    around = grid[:-2, 1:-1], grid[1:-1, :-2], grid[1:-1, 2:], grid[2:, 1:-1]
    return np.ascontiguousarray(np.stack([part.ravel() for part in around], 1))


@inlined
def has_liberty(state, words, near, room, stone, first, but):
    """Tell whether a stone's chain has a liberty other than the point ``but`` (-1: any).

    ``first`` is the word where the stones of its colour begin, ``near`` [P, 4].
    """
    room.flood[0] += 1
    flood = room.flood[0]
    room.seen[stone] = flood
    room.stack[0] = stone
    count = 1
    while count > 0:
        count -= 1
        point = room.stack[count]
        for k in range(4):
            other = near[point, k]
            if other < 0 or room.seen[other] == flood:
                continue
            room.seen[other] = flood
            if has(state, first, other):
                room.stack[count] = other
                count += 1
            elif other != but and not has(state, words - first, other):
                return True
    return False


@inlined
def chain(state, near, room, stone, first):  # [S], [P, 4], Room, int, int -> int
    """Put the stones of a chain on the stack, marked as seen by one flood; return how many."""
    room.flood[0] += 1
    flood = room.flood[0]
    room.seen[stone] = flood
    room.stack[0] = stone
    done, count = 0, 1
    while done < count:
        point = room.stack[done]
        done += 1
        for k in range(4):
            other = near[point, k]
            if other >= 0 and room.seen[other] != flood and has(state, first, other):
                room.seen[other] = flood
                room.stack[count] = other
                count += 1
    return count


@inlined
def hash_of_captures(state, words, near, room, point, side):
    """Return the exclusive or of the hashes of what a stone of ``side`` at ``point`` captures."""
    theirs = words - side * words
    total = np.uint64(0)
    for k in range(4):
        other = near[point, k]
        if other < 0 or not has(state, theirs, other):
            continue
        if has_liberty(state, words, near, room, other, theirs, point):
            continue
        count = chain(state, near, room, other, theirs)
        if is_first(near, room, point, k):
            for i in range(count):
                total ^= ZOBRIST[1 - side, room.stack[i]]
    return total


@inlined
def is_first(near, room, point, k):  # [P, 4], Room, int, int -> bool
    """Tell whether no neighbour before the k-th is in the chain that was just flooded."""
    for j in range(k):
        other = near[point, j]
        if other >= 0 and room.seen[other] == room.flood[0]:
            return False
    return True
