"""An exact solver of Connect Four: the outcome of a position and of each of its moves.

It shares no rules with evenmatch, whose players it judges. It says who wins, not how soon:

* Two questions are asked of a position, "does the side to move win?" and "does the opponent?",
  each about one *attacker*. An answer is yes or no for every position below, so alpha-beta is
  an and-or search that stops at the first move that settles a node.
* Moves that lose at once are never searched; the rest go by the winning spots they create,
  then from the centre outwards.
* Two proofs without search: the attacker has no line left; and *follow-up*, where the second
  player answers every move just above it (see `_follow_up`).
* Answers to both questions are kept, mirrored positions as one early on, in a table that gives
  up the answer that cost least. It serves all positions: `Solver` keeps it between calls.

Outcomes are 1, 0, -1 (win, draw, loss) for the side to move. Positions are the moves that lead
to them, columns counted from 1, as in the files; actions are 0..6 from the left.

Board: one bit a cell, 7 bits a column, bottom up, the seventh always empty. `position` holds
the discs of the side to move, `mask` all discs, both [] int64.
"""

import numpy as np
from numba import njit

from evenmatch.errors import MoveError

COLUMNS, ROWS, CELLS = 7, 6, 42
BOTTOM = sum(1 << 7 * column for column in range(COLUMNS))
BOARD = BOTTOM * 0b111111
ODD_ROWS, EVEN_ROWS = BOTTOM * 0b010101, BOTTOM * 0b101010  # rows counted from 1
COLUMN = 0b111111
FROM_CENTRE = (3, 2, 4, 1, 5, 0, 6)

UNKNOWN = -1  # beside 0 and 1, the answers to "does the attacker win?"
MIRRORED_BELOW = 20  # discs; later, mirrored positions hardly meet
SCATTER = -7046029254386353131  # 2**64 / golden ratio, odd: multiplies keys apart
SLOTS = 4

#: A frame of the stack, [21] int64: one node on the path from the root, then its moves and the
#: winning spots each of them creates, up to 7 each.
POSITION, MASK, STONES, KEY, STARTED, COUNT, NEXT = range(7)
MOVES, SPOTS, FRAME = 7, 14, 21


# ---------------------------------------------------------------------------------- the board


@njit(cache=True)
def _bits(cells):
    count = 0
    while cells:
        cells &= cells - 1
        count += 1
    return count


@njit(cache=True)
def _has_four(discs):
    for step in (1, 6, 7, 8):
        pairs = discs & (discs >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


@njit(cache=True)
def _winning_spots(discs, mask):
    """Return the empty cells, reachable now or not, where one more of these discs makes four."""
    spots = (discs << 1) & (discs << 2) & (discs << 3)
    for step in (6, 7, 8):
        below = (discs << step) & (discs << 2 * step)
        above = (discs >> step) & (discs >> 2 * step)
        spots |= below & ((discs << 3 * step) | (discs >> step))
        spots |= above & ((discs >> 3 * step) | (discs << step))
    return spots & (BOARD ^ mask)


@njit(cache=True)
def _follow_up(first, second, mask):
    """Judge, for the first player to move, the second player's plan to answer just above.

    The first player then gets free cells of odd rows only. In columns with an odd number of
    free cells the lowest has no cell above to pair with: such columns are even in number, and
    the second player pairs those cells with each other. So a first player without a line in
    its discs, the free odd rows and the lowest free cells does not win; if besides the second
    player has a line in what is left to it, it wins, for the board fills up.

    Returns (the first player cannot win, the second player wins).
    """
    free, lowest = BOARD ^ mask, (mask + BOTTOM) & BOARD
    if _has_four(first | (free & ODD_ROWS) | lowest):
        return False, False
    return True, _has_four(second | (free & EVEN_ROWS & ~lowest))


# ------------------------------------------------------------------------- the table of answers
# table [buckets, 4] int64: key (49 bits), log2 of the nodes the answer cost (6 bits), and four
# flags: the first player does not win, does; the second player does not win, does.


@njit(cache=True)
def _key_of(position, mask, stones):
    key = position + mask  # unique: in each column the height decides the range of the sum
    if stones >= MIRRORED_BELOW:
        return key
    mirrored, rest = 0, key
    for _ in range(COLUMNS):
        mirrored = (mirrored << 7) | (rest & 127)
        rest >>= 7
    return min(key, mirrored)


@njit(cache=True)
def _bucket(table, key):
    return ((key * SCATTER) >> 32) & (len(table) - 1)


@njit(cache=True)
def _recall(table, key, attacker):
    bucket = _bucket(table, key)
    for slot in range(SLOTS):
        entry = table[bucket, slot]
        if entry >> 10 == key:
            if entry & (2 << 2 * attacker):
                return 1
            if entry & (1 << 2 * attacker):
                return 0
            return UNKNOWN
    return UNKNOWN


@njit(cache=True)
def _remember(table, key, attacker, won, nodes):
    """Add the answer, over the cheapest of the bucket if the position is not there yet."""
    flags = (2 << 2 * attacker) | (1 << 2 * (1 - attacker)) if won else 1 << 2 * attacker
    cost = 0
    while nodes:
        nodes >>= 1
        cost += 1
    bucket, cheapest, least = _bucket(table, key), 0, 64
    for slot in range(SLOTS):
        entry = table[bucket, slot]
        if entry >> 10 == key:
            flags |= entry & 15
            cheapest = slot
            break
        if (entry >> 4) & 63 < least:
            cheapest, least = slot, (entry >> 4) & 63
    table[bucket, cheapest] = (key << 10) | (cost << 4) | flags


# ----------------------------------------------------------------------------------- the search


@njit(cache=True)
def _look(position, mask, stones, attacker, dangers):
    """Answer without search if possible: (answer or UNKNOWN, moves that do not lose at once).

    `dangers` are the opponent's winning spots. The side to move cannot win at once, here and
    in all nodes, because no move searched before allowed it.
    """
    mover = stones & 1
    moves = (mask + BOTTOM) & BOARD
    forced = moves & dangers
    if forced:
        moves = forced
    moves &= ~(dangers >> 1)
    if moves == 0 or forced & (forced - 1):
        return int(mover != attacker), moves
    if stones >= CELLS - 2:
        return 0, moves
    other = position ^ mask
    if not _has_four((position if mover == attacker else other) | (BOARD ^ mask)):
        return 0, moves
    if mover == 0:
        holds, wins = _follow_up(position, other, mask)
        if attacker == 0 and holds:
            return 0, moves
        if attacker == 1 and wins:
            return 1, moves
    return UNKNOWN, moves


@njit(cache=True)
def _fill(frame, scores, position, mask, stones, key, nodes, moves):
    """Write a node and its moves, those that create most winning spots first."""
    frame[POSITION], frame[MASK], frame[STONES] = position, mask, stones
    frame[KEY], frame[STARTED] = key, nodes
    count = 0
    for column in FROM_CENTRE:
        move = moves & (COLUMN << 7 * column)
        if move == 0:
            continue
        spots = _winning_spots(position | move, mask | move)
        score, place = _bits(spots), count
        while place and scores[place - 1] < score:
            scores[place] = scores[place - 1]
            frame[MOVES + place] = frame[MOVES + place - 1]
            frame[SPOTS + place] = frame[SPOTS + place - 1]
            place -= 1
        scores[place], frame[MOVES + place], frame[SPOTS + place] = score, move, spots
        count += 1
    frame[COUNT], frame[NEXT] = count, 0


@njit(cache=True)
def _attacker_wins(position, mask, stones, attacker, table):
    """Does the attacker (0 the first player, 1 the second) win? The mover must not at once.

    Returns (0 or 1, nodes visited).
    """
    stack = np.empty((CELLS, FRAME), np.int64)
    scores = np.empty(COLUMNS, np.int64)
    dangers = _winning_spots(position ^ mask, mask)
    depth, nodes = 0, 0
    while True:
        nodes += 1
        answer, moves = _look(position, mask, stones, attacker, dangers)
        if answer == UNKNOWN and moves & (moves - 1) == 0:  # the only move: go on, no frame
            dangers = _winning_spots(position | moves, mask | moves)
            position, mask, stones = position ^ mask, mask | moves, stones + 1
            continue
        if answer == UNKNOWN:
            key = _key_of(position, mask, stones)
            answer = _recall(table, key, attacker)
        if answer == UNKNOWN:
            _fill(stack[depth], scores, position, mask, stones, key, nodes, moves)
            depth += 1
        else:  # back to the nearest node that this answer does not settle
            while depth:
                frame = stack[depth - 1]
                attacking = frame[STONES] & 1 == attacker
                if answer != attacking and frame[NEXT] < frame[COUNT]:
                    break
                _remember(table, frame[KEY], attacker, answer, nodes - frame[STARTED])
                depth -= 1
            if depth == 0:
                return answer, nodes
        frame = stack[depth - 1]
        move, dangers = frame[MOVES + frame[NEXT]], frame[SPOTS + frame[NEXT]]
        frame[NEXT] += 1
        position, mask = frame[POSITION] ^ frame[MASK], frame[MASK] | move
        stones = frame[STONES] + 1


@njit(cache=True)
def _outcome(position, mask, stones, table):
    """Return (outcome, nodes) of a position that is not over."""
    if _winning_spots(position, mask) & (mask + BOTTOM):
        return 1, 1
    mover = stones & 1
    wins, nodes = _attacker_wins(position, mask, stones, mover, table)
    if wins:
        return 1, nodes
    loses, more = _attacker_wins(position, mask, stones, 1 - mover, table)
    return -loses, nodes + more


@njit(cache=True)
def _move_outcomes(position, mask, stones, table, outcomes):
    """Fill `outcomes` [7] int64 where the column has room; returns the nodes visited."""
    total = 0
    for column in range(COLUMNS):
        move = (mask + BOTTOM) & (COLUMN << 7 * column)
        if move == 0:
            continue
        if _winning_spots(position, mask) & move:
            outcomes[column] = 1
        elif stones == CELLS - 1:
            outcomes[column] = 0
        else:
            reply, nodes = _outcome(position ^ mask, mask | move, stones + 1, table)
            outcomes[column] = -reply
            total += nodes
    return total


# ------------------------------------------------------------------------------- what is offered


def _read_moves(moves: str) -> tuple[int, int, bool]:
    """Return (position, mask, someone has four); MoveError for moves that cannot be played."""
    position, mask, over = 0, 0, False
    for number, digit in enumerate(moves, 1):
        if digit not in "1234567":
            raise MoveError(f"move {number} of {moves!r} is {digit!r}: give columns 1 to 7")
        column = COLUMN << 7 * (int(digit) - 1)
        move = (mask + BOTTOM) & column
        if over:
            raise MoveError(f"the game {moves!r} is over before move {number}: leave out the rest")
        if not move:
            raise MoveError(f"column {digit} is full at move {number} of {moves!r}: drop that move")
        over = bool(_has_four(position | move))
        position, mask = position ^ mask, mask | move
    return position, mask, over


class Solver:
    """The judge, with its table of answers; what it learns of one position helps with others.

    Args:
        table_bits: the table holds 2**table_bits answers of 8 bytes.
    """

    def __init__(self, table_bits: int = 24):
        self.table = np.zeros((1 << table_bits - 2, SLOTS), np.int64)
        self.nodes = 0  # visited so far

    def solve(self, moves: str) -> int:
        """Return the outcome of the position, for the side to move."""
        position, mask, over = _read_moves(moves)
        if over or len(moves) == CELLS:
            return -int(over)
        outcome, nodes = _outcome(position, mask, len(moves), self.table)
        self.nodes += nodes
        return int(outcome)

    def move_outcomes(self, moves: str) -> dict[int, int]:
        """Return the outcome of each legal action (0..6), for the side that takes it."""
        position, mask, over = _read_moves(moves)
        if over:
            return {}
        outcomes = np.full(COLUMNS, 2, np.int64)
        self.nodes += _move_outcomes(position, mask, len(moves), self.table, outcomes)
        return {action: int(outcome) for action, outcome in enumerate(outcomes) if outcome < 2}
