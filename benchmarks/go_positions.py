"""How many positions of small boards of Go are legal, counted with the compiled rules.

A position is legal if all its chains have liberties; Tromp and Farneback 2007, table 1, have the
counts. Two ways lead to them: all 3^P boards are looked at, and all boards are found that play can
reach from the empty one.
"""

import numpy as np

from evenmatch.games import expand
from evenmatch.games.go import Go, rules, state

KNOWN = {2: 57, 3: 12_675, 4: 24_318_165}
CHUNK = 1 << 16  # boards looked at together


def legal_boards(size: int) -> int:
    """Return how many of all boards have no chain without liberties."""
    game = Go(size)
    near, room, count = game.near, game.room(), 0
    free = np.empty((CHUNK, game.points), np.bool_)
    for begin in range(0, 3**game.points, CHUNK):
        numbers = np.arange(begin, min(begin + CHUNK, 3**game.points))
        boards = boards_of(numbers, game.points)
        rules.breathing(boards, near, room, free[: len(boards)])
        stones = np.bitwise_count(boards[:, 0] | boards[:, 1])
        count += int((free[: len(boards)].sum(1) == stones).sum())
    return count


def reachable_boards(size: int) -> int:
    """Return how many boards play can reach from the empty one, either side to move.

    History is forgotten after each move, so superko hides none.
    """
    game = Go(size)
    seen = np.zeros(3**game.points, np.bool_)
    seen[0] = True
    fresh = np.zeros(1, np.int64)
    while len(fresh):
        found = []
        for begin in range(0, len(fresh), CHUNK):
            numbers = children(game, fresh[begin : begin + CHUNK])
            numbers = np.unique(numbers[~seen[numbers]])
            seen[numbers] = True
            found.append(numbers)
        fresh = np.concatenate(found)
    return int(seen.sum())


def children(game: Go, numbers: np.ndarray) -> np.ndarray:
    """Return the numbers of the boards that a move of either side makes of some boards [n]."""
    states = np.zeros((2 * len(numbers), game.search_words), np.uint64)
    states[:, :2] = np.tile(boards_of(numbers, game.points), (2, 1))
    state.write_field(states[len(numbers) :], game.points, "side", 1)
    after = expand(game, states)[0]
    return numbers_of(after, game.points)


def boards_of(numbers: np.ndarray, points: int) -> np.ndarray:
    """Return the stones [n, 2] of boards by number: digit p in base 3 is 1 for Black's, 2 White's.

    Only for boards of one word, up to 8x8.
    """
    boards = np.zeros((len(numbers), 2), np.uint64)
    left = numbers.copy()
    for point in range(points):
        left, digit = np.divmod(left, 3)
        for side in (0, 1):
            boards[:, side] |= (digit == side + 1).astype(np.uint64) << np.uint64(point)
    return boards


def numbers_of(states: np.ndarray, points: int) -> np.ndarray:
    """Return the numbers [n] of the boards of states [n, S]."""
    numbers = np.zeros(len(states), np.int64)
    for point in range(points):
        for side in (0, 1):
            stone = states[:, side] >> np.uint64(point) & np.uint64(1)
            numbers += stone.astype(np.int64) * ((side + 1) * 3**point)
    return numbers
