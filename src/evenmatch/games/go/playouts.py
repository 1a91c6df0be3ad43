"""Random games of Go to the end, as fast as we can: Monte Carlo's judge.

Moves are drawn uniformly from the legal ones that do not fill an own eye; without one, a side
passes. Simple ko is kept, superko is not looked for. A playout ends after three plies a point at
the latest, and is scored as it stands.

The board is a padded mailbox of ``size + 2`` columns. A chain is known by one of its stones, its
head; its stones are linked in a ring. It has as many *pseudo-liberties* as its stones have empty
neighbours, counted stone by stone. They are 0 exactly when it has no liberty, and change by one
with each neighbour, so nothing is ever flooded.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import inlined, kernel, popcount, random_below, trailing_zeros
from evenmatch.games.go.rules import is_over
from evenmatch.games.go.state import (
    BLACK,
    PASSES_AT,
    PASSES_MASK,
    PLIES_PER_POINT,
    WHITE,
    area_lead,
    has,
    komi_of,
    latest_move,
    moves_word,
    side_to_move,
)

EMPTY, EDGE = 2, 3


class Mailbox(NamedTuple):
    """The board of a playout: C cells, P points."""

    colour: NDArray[np.int8]  # [C] BLACK, WHITE, EMPTY or EDGE
    head: NDArray[np.int16]  # [C] of a stone's chain
    after: NDArray[np.int16]  # [C] the next stone of the chain
    stones: NDArray[np.int16]  # [C] of the chain with that head
    pseudo: NDArray[np.int16]  # [C] pseudo-liberties of the chain with that head
    empty: NDArray[np.int16]  # [P] the empty cells, in any order
    place: NDArray[np.int16]  # [C] where an empty cell is among them
    counts: NDArray[np.int64]  # [2] how many are empty, the cell that ko forbids


def new_mailbox(size: int) -> Mailbox:
    """Return a board to play in."""
    cells, points = (size + 2) ** 2, size * size
    head, after, stones, pseudo, place = np.empty((5, cells), np.int16)
    empty = np.empty(points, np.int16)
    colour, counts = np.empty(cells, np.int8), np.empty(2, np.int64)
    return Mailbox(colour, head, after, stones, pseudo, empty, place, counts)


@kernel
def playout(states, size, near, room, board, seeds, values):  # [B, S], int, ..., [B], [B]
    """Play to the end; outcomes for the side to move. Finished games keep theirs."""
    points = size * size
    words = (points + 63) // 64
    for b in range(len(states)):
        state = states[b]
        side = side_to_move(state, points)
        if is_over(state, points):
            lead = np.float64(area_lead(state, words, near, room))
        else:
            set_up(board, state, words, size)
            passes = np.int64(state[moves_word(points) + 1] >> PASSES_AT & PASSES_MASK)
            seeds[b] = play_out(board, size, side, passes, seeds[b])
            lead = np.float64(count_area(board, size))
        lead -= komi_of(state, points)
        lead = lead if side == BLACK else -lead
        values[b] = (lead > 0) - (lead < 0)


@inlined
def set_up(board, state, words, size):  # Mailbox, [S], int, int
    """Put the stones of a packed state on the board."""
    across = size + 2
    for cell in range(len(board.colour)):
        board.colour[cell] = EDGE
    board.counts[0] = 0
    board.counts[1] = -1
    for row in range(size):
        for column in range(size):
            add_empty(board, (row + 1) * across + column + 1)
    for row in range(size):
        for column in range(size):
            point = row * size + column
            for side in range(2):
                if has(state, side * words, point):
                    add_stone(board, (row + 1) * across + column + 1, across, side)
    board.counts[1] = ko_cell(board, state, words, size)


@inlined
def play_out(board, size, side, passes, seed):  # Mailbox, int, int, int, word -> word
    """Play random moves until both pass; return the generator's state."""
    across = size + 2
    for _ in range(PLIES_PER_POINT * size * size):
        seed, cell = draw_move(board, across, side, seed)
        board.counts[1] = -1
        passes = passes + 1 if cell == 0 else 0
        if passes == 2:
            break
        if cell:
            play(board, cell, across, side)
        side = 1 - side
    return seed


@inlined
def ko_cell(board, state, words, size):  # Mailbox, [S], int, int -> int
    """Return the cell that ko forbids after the state's latest move, -1 if there is none."""
    count, point = 0, 0
    for word in range(words):
        taken = state[2 * words + word]
        if taken != 0:
            count += popcount(taken)
            point = 64 * word + trailing_zeros(taken)
    move = latest_move(state, size * size, 0)
    if count != 1 or not 0 <= move < size * size:
        return np.int64(-1)
    head = board.head[cell_of(move, size)]
    alone = board.stones[head] == 1 and board.pseudo[head] == 1
    return cell_of(point, size) if alone else np.int64(-1)


@inlined
def cell_of(point, size):  # int, int -> int
    """Return the cell of a point."""
    return np.int64((point // size + 1) * (size + 2) + point % size + 1)


@inlined
def draw_move(board, across, side, seed):  # Mailbox, int, int, word -> word, int
    """Draw a cell of those that may be played on, 0 (a pass) if there is none."""
    left = board.counts[0]
    while left > 0:
        seed, pick = random_below(seed, left)
        cell = np.int64(board.empty[pick])
        if may_play(board, cell, across, side):
            return seed, cell
        left -= 1
        exchange(board, pick, left)
    return seed, np.int64(0)


@inlined
def step(k, across):  # int, int -> int
    """Return the way to the k-th of four neighbours."""
    if k < 2:
        return 1 if k == 0 else -1
    return across if k == 2 else -across


@inlined
def exchange(board, i, j):  # Mailbox, int, int
    """Exchange two empty cells in their order."""
    first, second = board.empty[i], board.empty[j]
    board.empty[i], board.empty[j] = second, first
    board.place[first], board.place[second] = j, i


@inlined
def add_empty(board, cell):  # Mailbox, int
    """Make a cell empty."""
    board.colour[cell] = EMPTY
    board.empty[board.counts[0]] = cell
    board.place[cell] = board.counts[0]
    board.counts[0] += 1


@inlined
def may_play(board, cell, across, side):  # Mailbox, int, int, int -> bool
    """Tell whether a move on an empty cell is legal and fills no eye of its own."""
    if cell == board.counts[1]:
        return False
    colour = board.colour
    own = 0
    for k in range(4):
        other = colour[cell + step(k, across)]
        if other == EMPTY:
            return True
        own += (other == side) | (other == EDGE)
    if own == 4 and is_eye(board, cell, across, side):
        return False
    for k in range(4):
        near = cell + step(k, across)
        if colour[near] < EMPTY:
            board.pseudo[board.head[near]] -= 1
    legal = False
    for k in range(4):
        near = cell + step(k, across)
        if colour[near] < EMPTY:
            breathes = board.pseudo[board.head[near]] > 0
            legal |= breathes == (colour[near] == side)
    for k in range(4):
        near = cell + step(k, across)
        if colour[near] < EMPTY:
            board.pseudo[board.head[near]] += 1
    return legal


@inlined
def is_eye(board, cell, across, side):  # as may_play
    """Tell whether the other side has too few diagonals of a surrounded cell to break it.

    Two are too many in the middle, one at an edge.
    """
    colour = board.colour
    theirs, edges = 0, 0
    for k in range(4):
        other = colour[cell + step(k & 1, across) + step(2 + (k >> 1), across)]
        theirs += other == 1 - side
        edges += other == EDGE
    return theirs + (edges > 0) < 2


@inlined
def play(board, cell, across, side):  # Mailbox, int, int, int
    """Put a stone, take what it captures, and note the cell that ko forbids next."""
    board.counts[1] = -1
    add_stone(board, cell, across, side)
    before = board.counts[0]
    for k in range(4):
        near = cell + step(k, across)
        if board.colour[near] == 1 - side and board.pseudo[board.head[near]] == 0:
            take_off(board, near, across)
    taken = board.counts[0] - before
    head = board.head[cell]
    if taken == 1 and board.stones[head] == 1 and board.pseudo[head] == 1:
        board.counts[1] = board.empty[before]


@inlined
def add_stone(board, cell, across, side):  # Mailbox, int, int, int
    """Put a stone on an empty cell and join it to its neighbours."""
    board.counts[0] -= 1
    exchange(board, np.int64(board.place[cell]), board.counts[0])
    board.colour[cell] = side
    board.head[cell] = cell
    board.after[cell] = cell
    board.stones[cell] = 1
    pseudo = 0
    for k in range(4):
        near = cell + step(k, across)
        if board.colour[near] == EMPTY:
            pseudo += 1
        elif board.colour[near] != EDGE:
            board.pseudo[board.head[near]] -= 1
    board.pseudo[cell] = pseudo
    for k in range(4):
        near = cell + step(k, across)
        if board.colour[near] == side:
            join(board, np.int64(board.head[near]), np.int64(board.head[cell]))


@inlined
def join(board, a, b):  # Mailbox, two heads
    """Make one chain of two, under the head of the larger."""
    if a == b:
        return
    if board.stones[a] < board.stones[b]:
        a, b = b, a
    stone = b
    while True:
        board.head[stone] = a
        stone = np.int64(board.after[stone])
        if stone == b:
            break
    board.after[a], board.after[b] = board.after[b], board.after[a]
    board.stones[a] += board.stones[b]
    board.pseudo[a] += board.pseudo[b]


@inlined
def take_off(board, stone, across):  # Mailbox, int, int
    """Take a chain off the board."""
    first, cell = stone, stone
    while True:
        add_empty(board, cell)
        for k in range(4):
            near = cell + step(k, across)
            if board.colour[near] < EMPTY:
                board.pseudo[board.head[near]] += 1
        cell = np.int64(board.after[cell])
        if cell == first:
            break


@inlined
def count_area(board, size):  # Mailbox, int -> int
    """Return Black's area minus White's where only eyes are empty."""
    lead, across = 0, size + 2
    for row in range(size):
        for column in range(size):
            cell = (row + 1) * across + column + 1
            colour = board.colour[cell]
            if colour == EMPTY:
                meets = 0
                for k in range(4):
                    other = board.colour[cell + step(k, across)]
                    meets |= (other == BLACK) | (other == WHITE) << 1
                lead += np.int64(meets == 1) - np.int64(meets == 2)
            else:
                lead += 1 - 2 * np.int64(colour)
    return lead
