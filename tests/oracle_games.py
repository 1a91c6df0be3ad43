"""Slow, obvious references for the games: boards as lists of cells.

Nothing here shares code with ``evenmatch``.
"""

import functools
import random

import numpy as np


def remembered(method):
    """Let each object keep what the method returned; the positions here never change."""

    @functools.wraps(method)
    def recall(self, *args):
        known = self.__dict__.setdefault("known", {})
        key = (method.__name__, *args)
        if key not in known:
            known[key] = method(self, *args)
        return known[key]

    return recall


class SlowOthello:
    """Othello of any even size; ``cells[row][column]`` is 1 Black, -1 White, 0 empty."""

    directions = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))

    def __init__(self, cells, player=1):
        self.cells = [list(row) for row in cells]
        self.player = player
        self.size = len(self.cells)

    @classmethod
    def start(cls, size):
        half = size // 2
        cells = [[0] * size for _ in range(size)]
        cells[half - 1][half] = cells[half][half - 1] = 1
        cells[half - 1][half - 1] = cells[half][half] = -1
        return cls(cells)

    def turned(self, row, column, player):
        """The discs that ``player`` turns over by placing one at an empty cell."""
        found = []
        for down, right in self.directions:
            line = []
            r, c = row + down, column + right
            while 0 <= r < self.size and 0 <= c < self.size and self.cells[r][c] == -player:
                line.append((r, c))
                r, c = r + down, c + right
            if line and 0 <= r < self.size and 0 <= c < self.size and self.cells[r][c] == player:
                found += line
        return found

    def placements(self, player):
        return [
            self.size * row + column
            for row in range(self.size)
            for column in range(self.size)
            if self.cells[row][column] == 0 and self.turned(row, column, player)
        ]

    @remembered
    def legal(self):
        own = self.placements(self.player)
        if own:
            return own
        return [self.size**2] if self.placements(-self.player) else []

    @remembered
    def play(self, action):
        after = SlowOthello(self.cells, -self.player)
        if action < self.size**2:
            row, column = divmod(action, self.size)
            for r, c in [*self.turned(row, column, self.player), (row, column)]:
                after.cells[r][c] = self.player
        return after

    def outcome(self):
        """For the side to move, of a finished game."""
        lead = sum(map(sum, self.cells)) * self.player
        return float((lead > 0) - (lead < 0))

    def words(self):
        """The position as the compiled game packs it."""
        own, other = 0, 0
        for row in range(self.size):
            for column in range(self.size):
                own |= (self.cells[row][column] == self.player) << (8 * row + column)
                other |= (self.cells[row][column] == -self.player) << (8 * row + column)
        return (own, other, int(self.player == -1))

    def board(self):
        return self.cells


class SlowConnect4:
    """Connect Four; ``columns[c]`` lists the discs of a column from the bottom, 1 is Red."""

    def __init__(self, columns=((),) * 7, player=1):
        self.columns = [list(column) for column in columns]
        self.player = player

    def cell(self, column, row):
        inside = 0 <= column < 7 and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if inside else 0

    def has_four(self, player):
        return any(
            all(self.cell(column + i * right, row + i * up) == player for i in range(4))
            for column in range(7)
            for row in range(6)
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    @remembered
    def legal(self):
        if self.has_four(-self.player):
            return []
        return [column for column in range(7) if len(self.columns[column]) < 6]

    @remembered
    def play(self, action):
        after = SlowConnect4(self.columns, -self.player)
        after.columns[action].append(self.player)
        return after

    def outcome(self):
        return -1.0 if self.has_four(-self.player) else 0.0

    def words(self):
        own, discs = 0, 0
        for column in range(7):
            for row, disc in enumerate(self.columns[column]):
                own |= (disc == self.player) << (7 * column + row)
                discs |= 1 << (7 * column + row)
        return (own, discs)

    def board(self):
        return [[self.cell(column, 5 - row) for column in range(7)] for row in range(6)]


def chess_start():
    """The oracle of chess lies apart, for it needs python-chess."""
    from oracle_chess import SlowChess

    return SlowChess()


#: The start position of each game of ``GAMES``.
STARTS = {
    "connect4": SlowConnect4,
    "othello6": lambda: SlowOthello.start(6),
    "othello": lambda: SlowOthello.start(8),
    "chess": chess_start,
}


def cells_of(text, signs):
    """Cells [row][column] of a board drawn as lines of characters; ``signs`` says who is who."""
    return [[signs[mark] for mark in line.strip()] for line in text.split()]


def othello_from(text, player=1):
    """A position from a drawing in B, W and dots."""
    return SlowOthello(cells_of(text, {"B": 1, "W": -1, ".": 0}), player)


def connect4_from(text, player=None):
    """A position from a drawing in R, Y and dots; Red moves when the discs are even."""
    rows = cells_of(text, {"R": 1, "Y": -1, ".": 0})[::-1]
    columns = [[disc for disc in column if disc] for column in zip(*rows, strict=True)]
    discs = sum(map(len, columns))
    return SlowConnect4(columns, player or (1 if discs % 2 == 0 else -1))


def packed(positions):
    """Positions as the states [B, S] of the compiled game."""
    return np.array([position.words() for position in positions], np.uint64)


def random_walk(position, plies, seed):
    """The position after up to ``plies`` random actions; stops short of the end of the game."""
    rng = random.Random(seed)
    for _ in range(plies):
        children = map(position.play, rng.sample(position.legal(), len(position.legal())))
        after = next((child for child in children if child.legal()), None)
        if after is None:
            return position
        position = after
    return position


def slow_perft(position, depth):
    """Count the action sequences of exactly ``depth`` plies."""
    if depth == 1:
        return len(position.legal())
    return sum(slow_perft(position.play(action), depth - 1) for action in position.legal())


def outcome_chances(position):
    """Chances that random play ends in a (loss, draw, win) of the side to move, exactly."""
    actions = position.legal()
    if not actions:
        return tuple(float(position.outcome() == value) for value in (-1, 0, 1))
    below = [outcome_chances(position.play(action)) for action in actions]
    return tuple(sum(chances[2 - i] for chances in below) / len(actions) for i in range(3))
