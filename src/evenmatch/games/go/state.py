"""Packed Go positions: which word of a state holds what.

W words of bits hold one bit a point: bit ``p % 64`` of word ``p // 64`` is point p, where
``p = row * size + column`` and row 0 is the top row. A state of the *search form* has

======================  =====  =======================================================
black, white              2 W  the stones of either side
taken, taken before       2 W  stones captured by the latest move, and by the one before it
banned                      W  points that superko bans at the root of a search
lost                      2 W  points where Black's, then White's stones were ever captured
moves                       1  the latest five moves, 9 bits each, the latest lowest: 0 none,
                               otherwise 1 + action; from bit 48 the plies played
rules                       1  rules, whose turn it is, prisoners: the fields of ``RULES``
recent                      8  hashes of the latest eight positions, the present one first
======================  =====  =======================================================

The *play form* continues with the hashes of all positions of the game, by ply. It is what games
are played with: superko is exact for the whole game. A search copies thousands of states, so its
roots are of the search form (:meth:`Go.as_roots`): at the root superko is as exact, for what it
bans was found before; below the root only the latest eight positions are compared.

Hashes are Zobrist's, of the stones alone, 64 bits. Two positions of a game of 1,000 plies share one
with a chance of 3e-14.
"""

from typing import NamedTuple

import numpy as np

from evenmatch.games.bits import inlined, kernel

MOST_SIZE = 19
RECENT = 8  #: positions whose hashes are in every state, the present one included
PLIES_PER_POINT = 3  #: a game of that many plies ends, and is scored as it stands
MOVE_BITS, MOVES_KEPT = 9, 5
POSITIONAL = 1  #: the ko rule that games are played by, in the field ``ko``
BLACK, WHITE = 0, 1  #: sides, as in the field ``side`` and as indices
ONE = np.uint64(1)
SIXTY_THREE = np.uint64(63)
PLIES = np.uint64(48)  #: where the plies begin in the word of moves
ALL_MOVES = np.uint64((1 << MOVE_BITS * MOVES_KEPT) - 1)
MOVE = np.uint64((1 << MOVE_BITS) - 1)
ZOBRIST = np.random.default_rng(20190101).integers(1, 1 << 63, (2, MOST_SIZE**2), np.uint64)


class Field(NamedTuple):
    """Where a small number is in the word of rules."""

    at: np.uint64
    mask: np.uint64


def _fields(**widths: int) -> dict[str, Field]:
    fields, at = {}, 0
    for name, bits in widths.items():
        fields[name] = Field(np.uint64(at), np.uint64((1 << bits) - 1))
        at += bits
    return fields


RULES = _fields(
    komi=16,  # twice what White gets, as a 16-bit two's complement
    ko=2,  # 0 simple, 1 positional superko, 2 situational; for networks
    territory=1,  # 1: a network's input says that territory is counted, not area
    tax=2,  # 0 none, 1 in seki, 2 of all groups; for networks
    suicide=1,  # 1: a network's input says that several stones may be given up
    button=1,  # 1: a network's input says that the first pass gains half a point
    side=1,  # 1 if White is to move
    passes=2,  # passes in a row, at the end
    taken_by_black=10,  # prisoners
    taken_by_white=10,
    handicap=9,  # points that White gets for handicap stones
    strict=1,  # 1: a network's input says that a pass ends the game, even if it would be friendly
    suicide_area=1,  # 1: a network's input says whose points are as if suicide were legal
)
SIDE, PASSES, KOMI, HANDICAP = (RULES[key] for key in ("side", "passes", "komi", "handicap"))
SIDE_AT, SIDE_BIT = SIDE.at, ONE << SIDE.at
PASSES_AT, PASSES_MASK = PASSES
TAKEN_AT = RULES["taken_by_black"].at, RULES["taken_by_white"].at
TAKEN_MASK = RULES["taken_by_black"].mask
KOMI_MASK, HANDICAP_AT, HANDICAP_MASK = KOMI.mask, HANDICAP.at, HANDICAP.mask


def words_of(points: int) -> int:
    """Return W, the words that hold a bit a point."""
    return (points + 63) // 64


def search_words(points: int) -> int:
    """Return the words of a state of the search form."""
    return 7 * words_of(points) + 2 + RECENT


def read_field(states: np.ndarray, points: int, name: str) -> np.ndarray:
    """Return a field of RULES of states [B, S], [B] int64."""
    at, mask = RULES[name]
    return (states[:, 7 * words_of(points) + 1] >> at & mask).astype(np.int64)


def write_field(states: np.ndarray, points: int, name: str, value: int) -> None:
    """Set a field of RULES in states [B, S] to ``value``."""
    at, mask = RULES[name]
    word = 7 * words_of(points) + 1
    states[:, word] &= ~(mask << at)
    states[:, word] |= (np.uint64(value % (int(mask) + 1)) & mask) << at


# -- inside kernels --------------------------------------------------------------------------------


@inlined
def moves_word(points):  # int -> int
    """Return which word has the latest moves; the next one has the rules, then come hashes."""
    return 7 * ((points + 63) // 64)


@inlined
def has(state, first, point):  # [S], int, int -> bool
    """Tell whether a set of points, which begins at word ``first``, has a point."""
    return (state[first + (point >> 6)] >> (np.uint64(point) & SIXTY_THREE)) & ONE != 0


@inlined
def put(state, first, point):  # [S], int, int
    """Add a point to a set."""
    state[first + (point >> 6)] |= ONE << (np.uint64(point) & SIXTY_THREE)


@inlined
def drop(state, first, point):  # [S], int, int
    """Take a point out of a set."""
    state[first + (point >> 6)] &= ~(ONE << (np.uint64(point) & SIXTY_THREE))


@inlined
def side_to_move(state, points):  # [S], int -> int
    """Return BLACK or WHITE."""
    return np.int64(state[moves_word(points) + 1] >> SIDE_AT & ONE)


@inlined
def komi_of(state, points):  # [S], int -> float
    """Return the points that White gets, for handicap stones too."""
    rules = state[moves_word(points) + 1]
    twice = np.int64(rules & KOMI_MASK)
    if twice >= 1 << 15:
        twice -= 1 << 16
    return twice / 2 + np.int64(rules >> HANDICAP_AT & HANDICAP_MASK)


@inlined
def plies_of(state, points):  # [S], int -> int
    """Return the plies played."""
    return np.int64(state[moves_word(points)] >> PLIES)


@inlined
def latest_move(state, points, back):  # [S], int, int -> int
    """Return the action ``back`` plies before the latest one, -1 if there is none."""
    moves = state[moves_word(points)] >> np.uint64(MOVE_BITS * back)
    return np.int64(moves & MOVE) - 1


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
