"""A Go board of linked chains, for what asks much of one position: ladders, life, liberties.

It lies in one array, so that a journal of (section, point, old value) takes back whatever a move
did. Points are numbered with walls between the rows, and a wall around: each has four neighbours.

| section of a board [6, N] | |
|---|---|
| COLOUR | by point: EMPTY, OWN or OTHER stone, WALL |
| HEAD, NEXT | by stone: the stone that stands for its chain; the next of the chain, in a ring |
| STONES, LIBERTIES | by head: how many the chain has |
| KO | in its first cell the point that simple ko bans, 0 for none |
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel

EMPTY, OWN, OTHER, WALL = 0, 1, 2, 3
COLOUR, HEAD, NEXT, STONES, LIBERTIES, KO = np.arange(6)  # no Python numbers: see games/bits.py


class Work(NamedTuple):
    """The room that kernels of one position need; P points of the game, N of a linked board."""

    board: NDArray[np.int16]  # [6, N]
    journal: NDArray[np.int16]  # [128 * P, 3] what moves on the board changed
    levels: NDArray[np.int32]  # [4, 3 * P / 2 + 1] of the search of a ladder, by depth
    moves: NDArray[np.int16]  # [16 * P] lists of moves of those levels
    solved: NDArray[np.int8]  # [N] by head: 0 not searched, 1 no ladder, 2 ladder
    regions: NDArray[np.int16]  # [10, N] of the search for life
    area: NDArray[np.int8]  # [N] whose a point is: EMPTY, OWN or OTHER


def work_for(size: int) -> Work:
    """Return room for positions of a board of that size."""
    points, cells = size * size, (size + 1) * (size + 2) + 1
    return Work(
        board=np.zeros((6, cells), np.int16),
        journal=np.zeros((128 * points, 3), np.int16),
        levels=np.zeros((4, 3 * points // 2 + 1), np.int32),
        moves=np.zeros(16 * points, np.int16),
        solved=np.zeros(cells, np.int8),
        regions=np.zeros((10, cells), np.int16),
        area=np.zeros(cells, np.int8),
    )


@inlined
def cell(point, size):
    """Return the number on a linked board of a point of the game."""
    return (point // size + 1) * (size + 1) + point % size + 1


@inlined
def beside(at, size, k):
    """Return a neighbour, k of 0 to 3: above, left, right, below."""
    step = size + 1 if k == 0 or k == 3 else 1
    return at + step if k >= 2 else at - step


@inlined
def opponent(colour):
    """Return the other colour of stones."""
    return 3 - colour


@kernel
def link(board, stones, size):  # [6, N], [P]
    """Set up a position without ko; every chain has a liberty."""
    board[:] = 0
    board[COLOUR] = WALL
    for point in range(size * size):
        board[COLOUR, cell(point, size)] = stones[point]
    counted_for = board[STONES]  # of empty points: the head they were last counted for
    for point in range(size * size):
        first = cell(point, size)
        colour = board[COLOUR, first]
        if colour == EMPTY or board[HEAD, first]:
            continue
        board[HEAD, first] = first
        at, last, stone_count, liberties = first, first, 1, 0
        while at:
            for k in range(4):
                near = beside(at, size, k)
                if board[COLOUR, near] == EMPTY and counted_for[near] != first:
                    counted_for[near] = first
                    liberties += 1
                elif board[COLOUR, near] == colour and not board[HEAD, near]:
                    board[HEAD, near] = first
                    board[NEXT, last] = near
                    last = near
                    stone_count += 1
            at = board[NEXT, at]
        board[NEXT, last] = first
        board[STONES, first], board[LIBERTIES, first] = stone_count, liberties


@inlined
def liberties_of(board, at):
    """Return how many liberties the chain of a stone has."""
    return board[LIBERTIES, board[HEAD, at]]


@inlined
def empty_neighbours(board, at, size):
    """Return how many neighbours of a point are empty."""
    count = 0
    for k in range(4):
        if board[COLOUR, beside(at, size, k)] == EMPTY:
            count += 1
    return count


@inlined
def touches(board, at, head, size):
    """Return whether a point has a stone of a chain beside it."""
    for k in range(4):
        near = beside(at, size, k)
        if board[HEAD, near] == head and board[COLOUR, near] == board[COLOUR, head]:
            return True
    return False


@inlined
def is_lone_ko(board, at):
    """Return whether a stone is a chain of its own with one liberty, as ko needs it."""
    return board[STONES, board[HEAD, at]] == 1 and liberties_of(board, at) == 1


@inlined
def is_legal(board, at, colour, size):
    """Return whether a stone may be put on an empty point: no simple ko, no suicide."""
    if at == board[KO, 0]:
        return False
    for k in range(4):
        near = beside(at, size, k)
        there = board[COLOUR, near]
        if there == EMPTY:
            return True
        if there == colour and liberties_of(board, near) > 1:
            return True
        if there == opponent(colour) and liberties_of(board, near) == 1:
            return True
    return False


@inlined
def put(board, journal, top, section, at, value):
    """Change a cell, and note in the journal what it was; return the journal's new top."""
    journal[top, 0], journal[top, 1], journal[top, 2] = section, at, board[section, at]
    board[section, at] = value
    return top + 1


@inlined
def take_back(board, journal, top, bottom):
    """Undo what the journal noted from ``bottom`` on."""
    while top > bottom:
        top -= 1
        board[journal[top, 0], journal[top, 1]] = journal[top, 2]


@kernel
def play(board, journal, top, at, colour, size):
    """Put a stone on a point where that is legal; return the journal's new top."""
    top = put(board, journal, top, COLOUR, at, colour)
    top = put(board, journal, top, HEAD, at, at)
    top = put(board, journal, top, NEXT, at, at)
    top = put(board, journal, top, STONES, at, 1)
    top = put(board, journal, top, LIBERTIES, at, empty_neighbours(board, at, size))
    top = put(board, journal, top, KO, 0, 0)
    top = take_liberty(board, journal, top, at, opponent(colour), size)
    captured, where = 0, 0
    for k in range(4):
        near = beside(at, size, k)
        if board[COLOUR, near] == opponent(colour) and liberties_of(board, near) == 0:
            captured += board[STONES, board[HEAD, near]]
            where = near
            top = remove(board, journal, top, near, colour, size)
    top = take_liberty(board, journal, top, at, colour, size)
    for k in range(4):
        near = beside(at, size, k)
        if board[COLOUR, near] == colour and board[HEAD, near] != board[HEAD, at]:
            one, two = np.int64(board[HEAD, near]), np.int64(board[HEAD, at])
            top = join(board, journal, top, one, two, size)
    if captured == 1 and is_lone_ko(board, at):
        top = put(board, journal, top, KO, 0, where)
    return top


@inlined
def is_first_beside(board, at, k, size):
    """Return whether neighbour k is the first of its chain among a point's neighbours."""
    head, colour = board[HEAD, beside(at, size, k)], board[COLOUR, beside(at, size, k)]
    for j in range(k):
        near = beside(at, size, j)
        if board[COLOUR, near] == colour and board[HEAD, near] == head:
            return False
    return True


@kernel
def change_liberties(board, journal, top, at, colour, size, change):
    """Add to the liberties of each chain of a colour beside a point."""
    for k in range(4):
        near = beside(at, size, k)
        if board[COLOUR, near] == colour and is_first_beside(board, at, k, size):
            count = liberties_of(board, near) + change
            top = put(board, journal, top, LIBERTIES, board[HEAD, near], count)
    return top


@kernel
def take_liberty(board, journal, top, at, colour, size):
    """Take a liberty from each chain of a colour beside a stone."""
    return change_liberties(board, journal, top, at, colour, size, -1)


@kernel
def remove(board, journal, top, at, capturer, size):
    """Take a chain off the board, which gives liberties to the capturer's chains around."""
    stone = at
    while True:
        top = put(board, journal, top, COLOUR, stone, EMPTY)
        top = change_liberties(board, journal, top, stone, capturer, size, 1)
        stone = board[NEXT, stone]
        if stone == at:
            return top


@kernel
def join(board, journal, top, one, two, size):
    """Make one chain of two, given by their heads; the larger keeps its own."""
    head, small = (one, two) if board[STONES, one] >= board[STONES, two] else (two, one)
    liberties, stone = board[LIBERTIES, head], small
    while True:
        for k in range(4):
            near = beside(stone, size, k)
            if board[COLOUR, near] == EMPTY and not touches(board, near, head, size):
                liberties += 1
        top = put(board, journal, top, HEAD, stone, head)
        if board[NEXT, stone] == small:
            break
        stone = board[NEXT, stone]
    top = put(board, journal, top, LIBERTIES, head, liberties)
    top = put(board, journal, top, STONES, head, board[STONES, head] + board[STONES, small])
    top = put(board, journal, top, NEXT, stone, board[NEXT, head])
    return put(board, journal, top, NEXT, head, small)
