"""Whose the points of a board are: what lives though its owner always passes, and what else.

A region of a colour is a maximal set of connected points without stones of it, of which one is
empty. It is vital to a chain that is beside each of its empty points (beside each of its points,
where suicide is legal). Chains with two vital regions live, if those are enclosed by living chains
alone (Benson 1976, "Life in the Game of Go").

Source: lightvector/KataGo, cpp/game/board.cpp, calculateArea and calculateIndependentLifeArea.
"""

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go.linked_board import (
    COLOUR,
    EMPTY,
    HEAD,
    NEXT,
    OTHER,
    OWN,
    WALL,
    beside,
    cell,
    liberties_of,
    opponent,
    touches,
)

# rows of Work.regions [10, N]
QUEUE = 0  #: points, region by region
REGION_OF = 1  #: by point: 1 + its region, 0 for none
FIRST = 2  #: by region: where its points begin in the queue
STATE = 3  #: by region: INNER points up to two, FOREIGN and SPOILED bits
VITAL = 4  #: four rows, by region: chains it is vital to, 0 for none
COUNT = 8  #: by head: vital regions that are not spoiled
DEAD = 9  #: by head: whether the chain is known not to live
INNER, FOREIGN, SPOILED = 3, 4, 8


@kernel
def mark_area(size, suicide, work):
    """Write to ``work.area`` whose each point is when both sides count what they have.

    These are living chains and the regions that they enclose and nobody could live in, regions
    without the opponent's stones, and all other stones.
    """
    board, area = work.board, work.area
    area[:] = EMPTY
    for colour in (OWN, OTHER):
        regions = find_regions(board, colour, size, suicide, work.regions)
        find_living(board, colour, size, work.regions, regions)
        mark_living(board, colour, size, work.regions, regions, area)
    for point in range(size * size):
        at = cell(point, size)
        if area[at] == EMPTY:
            area[at] = board[COLOUR, at]


@kernel
def find_regions(board, colour, size, suicide, regions):
    """Find the regions of a colour, and what each is vital to; return how many there are."""
    regions[REGION_OF] = 0
    count, end = 0, 0
    for point in range(size * size):
        first = cell(point, size)
        if board[COLOUR, first] != EMPTY or regions[REGION_OF, first]:
            continue
        regions[FIRST, count], regions[STATE, count] = end, 0
        regions[QUEUE, end], regions[REGION_OF, first] = first, count + 1
        for k in range(4):
            near = beside(first, size, k)
            regions[VITAL + k, count] = board[HEAD, near] if board[COLOUR, near] == colour else 0
        here, end = end, end + 1
        while here < end:
            at, here = regions[QUEUE, here], here + 1
            end = look_around(board, at, colour, size, suicide, regions, count, end)
        for k in range(4):
            for j in range(k):
                if regions[VITAL + k, count] == regions[VITAL + j, count]:
                    regions[VITAL + k, count] = 0
        count += 1
    regions[FIRST, count] = end
    return count


@inlined
def look_around(board, at, colour, size, suicide, regions, region, end):
    """Take a point into account that belongs to a region, and queue its neighbours."""
    inner = True
    for k in range(4):
        near = beside(at, size, k)
        there = board[COLOUR, near]
        if there == colour:
            inner = False
        elif there != WALL and not regions[REGION_OF, near]:
            regions[REGION_OF, near] = region + 1
            regions[QUEUE, end] = near
            end += 1
    if inner and regions[STATE, region] & INNER < 2:
        regions[STATE, region] += 1
    if board[COLOUR, at] == opponent(colour):
        regions[STATE, region] |= FOREIGN
    if suicide or board[COLOUR, at] == EMPTY:
        for k in range(4):
            head = regions[VITAL + k, region]
            if head and not touches(board, at, head, size):
                regions[VITAL + k, region] = 0
    return end


@kernel
def find_living(board, colour, size, regions, count):
    """Mark the chains of a colour that do not live, and the regions beside those."""
    regions[COUNT], regions[DEAD] = 0, 0
    for region in range(count):
        for k in range(4):
            regions[COUNT, regions[VITAL + k, region]] += 1  # of chain 0 too, which there is not
    changed = True
    while changed:
        changed = False
        for point in range(size * size):
            at = cell(point, size)
            is_head = board[COLOUR, at] == colour and board[HEAD, at] == at
            if is_head and not regions[DEAD, at] and regions[COUNT, at] < 2:
                regions[DEAD, at] = 1
                changed = True
                spoil(board, at, colour, size, regions)


@inlined
def spoil(board, head, colour, size, regions):
    """Mark the regions beside a chain; they are vital to no chain any more."""
    stone = head
    while True:
        for k in range(4):
            region = regions[REGION_OF, beside(stone, size, k)] - 1
            if region >= 0 and not regions[STATE, region] & SPOILED:
                regions[STATE, region] |= SPOILED
                for j in range(4):
                    regions[COUNT, regions[VITAL + j, region]] -= 1
        stone = board[NEXT, stone]
        if stone == head:
            return


@kernel
def mark_living(board, colour, size, regions, count, area):
    """Write a colour's living chains and its regions to ``area`` [N].

    A region whose chains do not all live is the colour's where nothing else was said: the opponent
    may own all of it, stones included.
    """
    there = False
    for point in range(size * size):
        at = cell(point, size)
        if board[COLOUR, at] == colour:
            there = True
            if not regions[DEAD, board[HEAD, at]]:
                area[at] = colour
    if not there:
        return
    for region in range(count):
        state = regions[STATE, region]
        own = state & FOREIGN == 0
        safe = state & SPOILED == 0 and (own or state & INNER <= 1)
        if safe or own:
            for i in range(regions[FIRST, region], regions[FIRST, region + 1]):
                at = regions[QUEUE, i]
                if safe or area[at] == EMPTY:
                    area[at] = colour


@kernel
def leave_stones_and_life(size, work):
    """Take territory in seki out of ``work.area``, as scores with a tax count it.

    An area of connected points is in seki if it is beside a neutral point, or has a stone in atari.
    """
    board, area, regions = work.board, work.area, work.regions
    regions[REGION_OF] = 0  # of points of areas in seki: 1
    end = 0
    for point in range(size * size):
        at = cell(point, size)
        if area[at] != EMPTY and not regions[REGION_OF, at] and is_unsettled(board, area, at, size):
            regions[REGION_OF, at] = 1
            regions[QUEUE, 0] = at
            here, end = 0, 1
            while here < end:
                for k in range(4):
                    near = beside(regions[QUEUE, here], size, k)
                    if area[near] == area[at] and not regions[REGION_OF, near]:
                        regions[REGION_OF, near] = 1
                        regions[QUEUE, end] = near
                        end += 1
                here += 1
    for point in range(size * size):
        at = cell(point, size)
        if regions[REGION_OF, at] and area[at] != board[COLOUR, at]:
            area[at] = EMPTY


@inlined
def is_unsettled(board, area, at, size):
    """Return whether a point is a stone in atari that counts, or is beside a neutral point."""
    if board[COLOUR, at] == area[at] and liberties_of(board, at) == 1:
        return True
    for k in range(4):
        near = beside(at, size, k)
        if board[COLOUR, near] == EMPTY and area[near] == EMPTY:
            return True
    return False
