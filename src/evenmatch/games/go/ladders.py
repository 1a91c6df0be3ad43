"""Ladders, read as KataGo reads them for its network's inputs.

A chain of one liberty is caught if its owner, to move, cannot help it; one of two, if the
opponent's move on one of them catches it. The search ends where a side has succeeded: the chain has
two liberties at its owner's turn, or one (or none) at the opponent's; so it follows one line of
ataris with few branches. Kos are its owner's; a ko that the opponent needs does not catch.

Source: lightvector/KataGo, cpp/game/board.cpp, searchIsLadderCaptured, whose limits of nodes and
depth are ours.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.linked_board import (
    COLOUR,
    EMPTY,
    HEAD,
    KO,
    LIBERTIES,
    NEXT,
    OTHER,
    STONES,
    WALL,
    beside,
    cell,
    empty_neighbours,
    is_legal,
    liberties_of,
    opponent,
    play,
    take_back,
)

BUDGET = 25_000  #: moves that one search may try; beyond, the chain counts as free
OPEN, FREE, CAUGHT = 0, 1, 2  #: what is known of a chain
START, END, TRIED, TOP = range(4)  #: rows of levels: of its moves, and the journal's top before


@kernel
def mark_ladders(size, work, laddered, captures, marks_captures):  # , , [H*W], [H*W], bool
    """Put ones on the stones of caught chains, and on the moves that catch chains of OTHER's.

    The position is that on ``work.board``. Chains in atari have no such moves.
    """
    board, solved, moves = work.board, work.solved, work.moves
    solved[:] = OPEN
    for point in range(size * size):
        at = cell(point, size)
        if board[COLOUR, at] == EMPTY or liberties_of(board, at) > 2:
            continue
        head = board[HEAD, at]
        if solved[head] == OPEN:
            if board[LIBERTIES, head] == 1:
                caught = is_caught(at, size, work, np.int64(0))
            else:
                find_liberties(board, at, size, moves, np.int64(0), np.int64(0))
                one, two = np.int64(moves[0]), np.int64(moves[1])
                first = catches(at, one, size, work)
                second = catches(at, two, size, work)
                caught = first or second
                if marks_captures and board[COLOUR, at] == OTHER:
                    if first:
                        captures[point_of(one, size)] = 1
                    if second:
                        captures[point_of(two, size)] = 1
            solved[head] = CAUGHT if caught else FREE
        if solved[head] == CAUGHT:
            laddered[point] = 1


@inlined
def point_of(at, size):
    """Return the point of the game of a cell of a linked board."""
    return (at // (size + 1) - 1) * size + at % (size + 1) - 1


@kernel
def catches(at, move, size, work):
    """Return whether the opponent's move catches a chain of two liberties."""
    board, journal = work.board, work.journal
    colour = opponent(board[COLOUR, at])
    if not is_legal(board, move, colour, size):
        return False
    bottom = np.int64(0)
    top = play(board, journal, bottom, move, colour, size)
    caught = is_caught(at, size, work, top)
    take_back(board, journal, top, bottom)
    return caught


@kernel
def is_caught(at, size, work, bottom):
    """Return whether a chain is lost whose owner is to move; the journal begins at ``bottom``.

    Levels of the search alternate: the owner's are even.
    """
    board, journal, levels, moves = work.board, work.journal, work.levels, work.moves
    if liberties_of(board, at) > 1:
        return False
    ko = board[KO, 0]
    board[KO, 0] = 0
    depth, tried, top = 0, 0, bottom
    levels[START, 0] = 0
    fresh, known = True, OPEN
    while True:
        if fresh:
            known, end = look(board, at, size, moves, depth, np.int64(levels[START, depth]))
            levels[END, depth] = end
            levels[TRIED, depth] = levels[START, depth]
        if known == OPEN:
            colour = board[COLOUR, at] if depth % 2 == 0 else opponent(board[COLOUR, at])
            move = next_move(board, levels, moves, depth, colour, size)
            if move:
                levels[TOP, depth] = top
                top = play(board, journal, top, move, colour, size)
                tried += 1
                depth += 1
                if tried == BUDGET or levels[END, depth - 1] + size * size > len(moves):
                    take_back(board, journal, top, bottom)
                    return False
                levels[START, depth] = levels[END, depth - 1]
                fresh = True
                continue
            known = CAUGHT if depth % 2 == 0 else FREE
        depth -= 1
        if depth < 0:
            board[KO, 0] = ko
            return known == CAUGHT
        below = np.int64(levels[TOP, depth])
        take_back(board, journal, top, below)
        top = below
        fresh = False
        if known != (FREE if depth % 2 == 0 else CAUGHT):
            known = OPEN  # the side to move has other moves to try


@inlined
def next_move(board, levels, moves, depth, colour, size):
    """Return the next legal move of a level, 0 if none is left."""
    while levels[TRIED, depth] < levels[END, depth]:
        move = np.int64(moves[levels[TRIED, depth]])
        levels[TRIED, depth] += 1
        if is_legal(board, move, colour, size):
            return move
    return 0


@inlined
def look(board, at, size, moves, depth, start):
    """Return what is known of the chain at a new level, and where the list of its moves ends."""
    if depth == 3 * size * size // 2:  # so deep that something repeats
        return CAUGHT, start
    if depth % 2 == 0:
        return look_for_owner(board, at, size, moves, start)
    return look_for_opponent(board, at, size, moves, start)


@kernel
def look_for_owner(board, at, size, moves, start):
    """As `look`, for the owner: it captures what is around, or extends."""
    if liberties_of(board, at) >= 2 or board[KO, 0]:
        return FREE, start
    end = find_captures(board, at, size, moves, start)
    end = find_liberties(board, at, size, moves, start, end)
    least, most = bounds_after(board, moves[end - 1], board[COLOUR, at], size)
    if least >= 3:
        return FREE, end
    if end == start + 1 and most <= 1:
        return CAUGHT, end
    return OPEN, end


@kernel
def look_for_opponent(board, at, size, moves, start):
    """As `look`, for the opponent: it plays on one of two liberties, the more useful first."""
    liberties = liberties_of(board, at)
    if liberties != 2:
        return (CAUGHT if liberties < 2 else FREE), start
    owner = board[COLOUR, at]
    end = find_liberties(board, at, size, moves, start, start)
    one, two = moves[start], moves[start + 1]
    first, second = empty_neighbours(board, one, size), empty_neighbours(board, two, size)
    if first == 0 and second == 0 and is_double_ko(board, at, one, two, size):
        return CAUGHT, end
    if not are_beside(one, two, size):
        if first >= 3 and second >= 3:
            return FREE, end
        if first >= 3:
            return OPEN, end - 1
        if second >= 3:
            moves[start] = two
            return OPEN, end - 1
    first = 2 * first + gain_of_joining(board, one, owner, size)
    second = 2 * second + gain_of_joining(board, two, owner, size)
    if second > first:
        moves[start], moves[start + 1] = two, one
    return OPEN, end


@inlined
def are_beside(one, two, size):
    """Return whether two points are neighbours."""
    distance = abs(one - two)
    return distance == 1 or distance == size + 1


@kernel
def find_liberties(board, at, size, moves, start, end):
    """Add the liberties of a stone's chain that are not yet in moves[start:end]; return the end."""
    due = liberties_of(board, at)
    stone, found = at, 0
    while True:
        for k in range(4):
            near = beside(stone, size, k)
            if board[COLOUR, near] == EMPTY and not is_among(moves, start, end, near):
                moves[end] = near
                end += 1
                found += 1
                if found == due:
                    return end
        stone = board[NEXT, stone]
        if stone == at:
            return end


@inlined
def is_among(moves, start, end, move):
    """Return whether a move is in moves[start:end]."""
    for i in range(start, end):  # noqa: SIM110 - kernels have no generators
        if moves[i] == move:
            return True
    return False


@kernel
def find_captures(board, at, size, moves, start):
    """Write the moves that capture chains around a stone's chain; return where they end."""
    end, stone, enemy = start, at, opponent(board[COLOUR, at])
    while True:
        for k in range(4):
            near = beside(stone, size, k)
            if board[COLOUR, near] == enemy and liberties_of(board, near) == 1:
                end = find_liberties(board, near, size, moves, start, end)
        stone = board[NEXT, stone]
        if stone == at:
            return end


@kernel
def bounds_after(board, move, colour, size):
    """Return the least and the most liberties that a stone put there could have."""
    free, captures, gained, joined, longest = 0, 0, 0, 0, 0
    for k in range(4):
        near = beside(move, size, k)
        there = board[COLOUR, near]
        if there == EMPTY:
            free += 1
        elif there == WALL:
            continue
        elif there == colour:
            joined += liberties_of(board, near) - 1
            longest = max(longest, liberties_of(board, near) - 1)
        elif liberties_of(board, near) == 1:
            captures += 1
            gained += board[STONES, board[HEAD, near]]
    return captures + max(longest, free), free + gained + joined


@kernel
def gain_of_joining(board, move, colour, size):
    """Return twice the liberties, less three, of each chain that a move would join, added up."""
    gain = 0
    for k in range(4):
        near = beside(move, size, k)
        if board[COLOUR, near] == colour and liberties_of(board, near) > 1:
            gain += 2 * liberties_of(board, near) - 3
    return gain


# A chain between two kos: whichever its owner connects, the other is its last liberty.


@kernel
def is_double_ko(board, at, one, two, size):
    """Return whether a chain's two liberties are kos that do not save it."""
    owner = board[COLOUR, at]
    if not (takes_ko(board, one, opponent(owner), size)):
        return False
    if not (takes_ko(board, two, opponent(owner), size)):
        return False
    if liberties_after(board, one, owner, size) > 2 or liberties_after(board, two, owner, size) > 2:
        return False
    return not can_capture(board, at, size)


@kernel
def takes_ko(board, move, colour, size):
    """Return whether a move among the other side's stones would capture one stone alone."""
    capturable = 0
    for k in range(4):
        near = beside(move, size, k)
        there = board[COLOUR, near]
        if there in (EMPTY, colour):
            return False
        if there != WALL and liberties_of(board, near) == 1:
            if capturable:
                return False
            capturable = near
    return capturable != 0 and board[STONES, board[HEAD, capturable]] == 1


@kernel
def can_capture(board, at, size):
    """Return whether a chain has a chain in atari beside it."""
    stone, enemy = at, opponent(board[COLOUR, at])
    while True:
        for k in range(4):
            near = beside(stone, size, k)
            if board[COLOUR, near] == enemy and liberties_of(board, near) == 1:
                return True
        stone = board[NEXT, stone]
        if stone == at:
            return False


@kernel
def liberties_after(board, move, colour, size):
    """Return how many liberties a move that joins chains and captures none has, up to 3.

    The move has no empty neighbour. The first two liberties are kept, so that none counts twice.
    """
    one, two = 0, 0
    for k in range(4):
        near = beside(move, size, k)
        if board[COLOUR, near] != colour:
            continue
        stone = near
        while True:
            for j in range(4):
                free = beside(stone, size, j)
                is_new = free != move and free != one and free != two
                if board[COLOUR, free] != EMPTY or not is_new:
                    continue
                if one and two:
                    return 3
                if one:
                    two = free
                else:
                    one = free
            stone = board[NEXT, stone]
            if stone == near:
                break
    return int(one != 0) + int(two != 0)
