"""Packed positions as the inputs of KataGo's networks: what `katago_planes` asks of a position.

The past is hidden where a pass would end the game, as KataGo does at the root of a search, so that
a network does not take its opponent's pass for an offer to stop. It is shown where rules are strict
(``strict`` of `state.RULES`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.katago_planes import (
    AREA_ONLY,
    BOARDS,
    BUTTON,
    KO_RULE,
    MOVES,
    PASS_ENDS,
    SCORING,
    SUICIDE,
    TAX,
    write_planes,
)
from evenmatch.games.go.ladders import point_of
from evenmatch.games.go.linked_board import (
    COLOUR,
    EMPTY,
    NEXT,
    OTHER,
    OWN,
    Work,
    beside,
    cell,
    is_first_beside,
    is_legal,
    liberties_of,
    link,
    work_for,
)
from evenmatch.games.go.rules import remembers
from evenmatch.games.go.state import (
    PASSES_AT,
    PASSES_MASK,
    RULES,
    ZOBRIST,
    has,
    komi_of,
    latest_move,
    moves_word,
    side_to_move,
)

KO_AT, KO_MASK = RULES["ko"]
TERRITORY_AT, TERRITORY_MASK = RULES["territory"]
TAX_AT, TAX_MASK = RULES["tax"]
SUICIDE_AT, SUICIDE_MASK = RULES["suicide"]
BUTTON_AT, BUTTON_MASK = RULES["button"]
STRICT_AT, STRICT_MASK = RULES["strict"]
SUICIDE_AREA_AT, SUICIDE_AREA_MASK = RULES["suicide_area"]


class Shown(NamedTuple):
    """The arguments of `write_planes` for one position."""

    boards: NDArray[np.int8]  # [3, P]
    moves: NDArray[np.int64]  # [5]
    captured: NDArray[np.int64]  # [3]
    banned: NDArray[np.bool_]  # [P]
    rules: NDArray[np.int64]  # [6]
    work: Work


def new_shown(size: int) -> Shown:
    """Return room for one position; threads must not share it."""
    points = size * size
    return Shown(
        np.zeros((BOARDS, points), np.int8),
        np.zeros(MOVES, np.int64),
        np.zeros(BOARDS, np.int64),
        np.zeros(points, np.bool_),
        np.zeros(6, np.int64),
        work_for(size),
    )


@kernel
def encode(states, size, near, shown, out):  # [B, S], int, [P, 4], Shown, [B, 41, H, W]
    """Write the inputs of positions of both forms."""
    points = size * size
    words = (points + 63) // 64
    for b in range(len(states)):
        state = states[b]
        side = side_to_move(state, points)
        show_past(state, words, points, near, side, shown)
        link(shown.work.board, shown.boards[0], size)
        show_bans(state, words, size, shown.work.board, side, shown.banned)
        show_rules(state[moves_word(points) + 1], shown.rules)
        komi = komi_of(state, points)
        write_planes(
            size,
            shown.boards,
            shown.moves,
            shown.captured,
            shown.banned,
            komi if side == 1 else -komi,
            shown.rules,
            shown.work,
            out[b],
        )


@inlined
def show_past(state, words, points, near, side, shown):
    """Find the latest moves, the boards before them, and what single stones they captured."""
    boards, moves, captured = shown.boards, shown.moves, shown.captured
    word = state[moves_word(points) + 1]
    shown_all = word >> PASSES_AT & PASSES_MASK == 0 or word >> STRICT_AT & STRICT_MASK != 0
    for back in range(MOVES):
        moves[back] = latest_move(state, points, back) if shown_all else -1
    captured[:] = -1
    for point in range(points):
        colour = EMPTY
        if has(state, side * words, point):
            colour = OWN
        elif has(state, words - side * words, point):
            colour = OTHER
        boards[0, point] = colour
        for back in range(2):
            if point == moves[back]:
                colour = EMPTY
            elif has(state, (2 + back) * words, point):
                colour = OWN if back == 0 else OTHER
            boards[back + 1, point] = colour
    for back in range(2):
        captured[back] = only_point(state, (2 + back) * words, points)
    if 0 <= moves[2] < points:
        captured[2] = captured_before(state, points, near, moves[2], side, boards[2])


@inlined
def only_point(state, first, points):
    """Return the point of a set of one, otherwise -1."""
    found = -1
    for point in range(points):
        if has(state, first, point):
            if found >= 0:
                return -1
            found = point
    return found


@inlined
def captured_before(state, points, near, move, side, board):
    """Return the point where the move two boards ago captured its only stone, otherwise -1.

    Found by hashes: those of the boards before and after differ in the two stones alone.
    """
    at = moves_word(points) + 2
    changed = state[at + 2] ^ state[at + 3] ^ ZOBRIST[1 - side, move]
    for k in range(4):
        point = near[move, k]
        if point >= 0 and board[point] == EMPTY and changed == ZOBRIST[side, point]:
            return np.int64(point)
    return np.int64(-1)


@kernel
def show_bans(state, words, size, board, side, banned):
    """Find the points that ko and superko ban: at roots they are in the state, too.

    ``board`` is the linked board of the position, where captures cost little.
    """
    for point in range(size * size):
        banned[point] = has(state, 4 * words, point)
        if banned[point] or not has(state, (5 + side) * words, point):
            continue
        at = cell(point, size)
        if board[COLOUR, at] == EMPTY and is_legal(board, at, OWN, size):
            after = hash_after(state, size, board, point, side)
            banned[point] = remembers(state, size * size, after)


@inlined
def hash_after(state, size, board, point, side):
    """Return the hash of the position after a move of the side to move."""
    at = cell(point, size)
    after = state[moves_word(size * size) + 2] ^ ZOBRIST[side, point]
    for k in range(4):
        near = beside(at, size, k)
        taken = board[COLOUR, near] == OTHER and liberties_of(board, near) == 1
        if taken and is_first_beside(board, at, k, size):
            stone = near
            while True:
                after ^= ZOBRIST[1 - side, point_of(stone, size)]
                stone = board[NEXT, stone]
                if stone == near:
                    break
    return after


@inlined
def show_rules(word, rules):
    """Read the rules of the game from their word."""
    rules[KO_RULE] = word >> KO_AT & KO_MASK
    rules[SCORING] = word >> TERRITORY_AT & TERRITORY_MASK
    rules[TAX] = word >> TAX_AT & TAX_MASK
    rules[SUICIDE] = word >> SUICIDE_AT & SUICIDE_MASK
    if word >> SUICIDE_AREA_AT & SUICIDE_AREA_MASK != 0:
        rules[SUICIDE] |= AREA_ONLY
    rules[BUTTON] = word >> BUTTON_AT & BUTTON_MASK
    ends = word >> PASSES_AT & PASSES_MASK != 0  # the past is hidden then, or the rules are strict
    rules[PASS_ENDS] = ends and word >> STRICT_AT & STRICT_MASK != 0
