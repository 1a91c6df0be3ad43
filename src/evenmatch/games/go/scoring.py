"""Area scoring (Tromp-Taylor): stones, and empty points that reach stones of one colour only."""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.state import has


@inlined
def region(state, words, near, room, start):  # [S], int, [P, 4], Room, int -> int, int
    """Flood an empty region; return its size, and 1 if it meets Black plus 2 if it meets White.

    Its points are those of the stack.
    """
    flood = room.flood[0]
    room.seen[start] = flood
    room.stack[0] = start
    done, count, meets = 0, 1, 0
    while done < count:
        point = room.stack[done]
        done += 1
        for k in range(4):
            other = near[point, k]
            if other < 0:
                continue
            if has(state, 0, other):
                meets |= 1
            elif has(state, words, other):
                meets |= 2
            elif room.seen[other] != flood:
                room.seen[other] = flood
                room.stack[count] = other
                count += 1
    return count, meets


@inlined
def area_lead(state, words, near, room):  # [S], int, [P, 4], Room -> int
    """Return Black's area minus White's, komi left out."""
    room.flood[0] += 1
    lead = 0
    for point in range(len(near)):
        if has(state, 0, point):
            lead += 1
        elif has(state, words, point):
            lead -= 1
        elif room.seen[point] != room.flood[0]:
            count, meets = region(state, words, near, room, point)
            lead += count * (meets == 1) - count * (meets == 2)
    return lead


@kernel
def owners(states, near, room, out):  # [B, S], [P, 4], Room, [B, P]
    """Write whose area each point is: 1 Black's, -1 White's, 0 neither's."""
    words = (len(near) + 63) // 64
    for b in range(len(states)):
        state = states[b]
        room.flood[0] += 1
        for point in range(len(near)):
            if has(state, 0, point):
                out[b, point] = 1
            elif has(state, words, point):
                out[b, point] = -1
            elif room.seen[point] != room.flood[0]:
                count, meets = region(state, words, near, room, point)
                for i in range(count):
                    out[b, room.stack[i]] = np.int8((meets == 1) - (meets == 2))
