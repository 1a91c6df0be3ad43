"""Connect Four on 7 columns and 6 rows: drop discs, four in a line win.

A state is two words: the discs of the side to move, and all discs. Bit ``7 * column + row``
is a cell, row 0 at the bottom; the seventh bit of each column stays empty, so that shifts
never run from one column into the next::

     5 12 19 26 33 40 47        <- top row of the board
     ...
     0  7 14 21 28 35 42        <- bottom row

Copy this file to add a game, then add a row to ``CATALOG`` in `evenmatch.games.catalog`.
"""

import numpy as np

from evenmatch.errors import MoveError, quoted
from evenmatch.games import transcripts
from evenmatch.games.bits import inlined, kernel, nth_set_bit, popcount, random_below
from evenmatch.games.game import Game

COLUMNS, ROWS = 7, 6
BOTTOM = np.uint64(sum(1 << 7 * column for column in range(COLUMNS)))
BOARD = np.uint64(int(BOTTOM) * ((1 << ROWS) - 1))
COLUMN = np.uint64((1 << ROWS) - 1)


@inlined
def has_four(discs):
    """Tell whether a word of discs holds four in a line."""
    for step in (1, 7, 6, 8):  # vertical, horizontal, both diagonals
        pairs = discs & (discs >> np.uint64(step))
        if pairs & (pairs >> np.uint64(2 * step)):
            return True
    return False


@inlined
def drop(discs, column):
    """Return the word of all discs after one falls into ``column``."""
    return discs | (discs + (np.uint64(1) << np.uint64(7 * column)))


@kernel
def advance(states, actions, out):  # [B, 2], [B], [B, 2]
    """Play ``actions``; the other side is then to move."""
    for b in range(len(states)):
        own, discs = states[b, 0], states[b, 1]
        out[b, 0] = own ^ discs
        out[b, 1] = drop(discs, actions[b])


@kernel
def generate(states, actions, counts, values):  # [B, 2], [B, 7], [B], [B]
    """List the columns with room, or the outcome: the side to move has lost, or a draw."""
    for b in range(len(states)):
        own, discs = states[b, 0], states[b, 1]
        counts[b] = 0
        values[b] = 0
        if has_four(own ^ discs):
            values[b] = -1
            continue
        for column in range(COLUMNS):
            top = np.uint64(1) << np.uint64(7 * column + ROWS - 1)
            if not discs & top:
                actions[b, counts[b]] = column
                counts[b] += 1


@kernel
def encode(states, out):  # [B, 2], [B, 3, 6, 7]
    """Write planes: own discs, the opponent's, and ones if the first player is to move."""
    for b in range(len(states)):
        own, discs = states[b, 0], states[b, 1]
        first = np.float32(1 - (popcount(discs) & 1))
        for row in range(ROWS):
            for column in range(COLUMNS):
                cell = np.uint64(7 * column + ROWS - 1 - row)
                mine = (own >> cell) & np.uint64(1)
                out[b, 0, row, column] = mine
                out[b, 1, row, column] = ((discs >> cell) & np.uint64(1)) - mine
                out[b, 2, row, column] = first


@kernel
def playout(states, seeds, values):  # [B, 2], [B], [B]
    """Play random columns to the end; outcomes for the side to move."""
    for b in range(len(states)):
        own, discs, seed = states[b, 0], states[b, 1], seeds[b]
        value = np.float32(-1)  # of the side to move now, if the other has four
        while not has_four(own ^ discs):
            room = (discs + BOTTOM) & BOARD  # the landing cell of each column with room
            if room == 0:
                value = np.float32(0)
                break
            seed, pick = random_below(seed, popcount(room))
            landing = np.uint64(1) << np.uint64(nth_set_bit(room, pick))
            own, discs = own ^ discs, discs | landing
            value = -value
        values[b] = value
        seeds[b] = seed


class Connect4(Game):
    """Connect Four, 7 x 6; an action is a column from 0."""

    id = "connect4"
    title = "Connect Four"
    num_actions = COLUMNS
    max_legal = COLUMNS
    max_plies = COLUMNS * ROWS
    state_words = 2
    planes = 3
    height = ROWS
    width = COLUMNS
    players = ("Red", "Yellow")
    drops = True
    cell_symmetries = np.stack(
        [np.arange(42), np.arange(42).reshape(ROWS, COLUMNS)[:, ::-1].ravel()]
    )
    action_symmetries = np.stack([np.arange(COLUMNS), np.arange(COLUMNS)[::-1]])

    advance = staticmethod(advance)
    generate = staticmethod(generate)
    encode = staticmethod(encode)
    playout = staticmethod(playout)

    def initial(self, batch=1):
        """Return ``batch`` empty boards, [B, 2]."""
        return np.zeros((batch, 2), np.uint64)

    def board(self, states):
        """Return boards [B, 6, 7]: 1 Red, -1 Yellow, 0 empty; row 0 is the top."""
        planes = self.encoded(states)
        mine = (planes[:, 0] - planes[:, 1]).astype(np.int8)
        return mine * self.to_play(states)[:, None, None]

    def to_play(self, states):
        """Return the side to move, [B]: 1 Red, -1 Yellow."""
        return (1 - 2 * (np.bitwise_count(states[:, 1]) & 1).astype(np.int8)).astype(np.int8)

    def action_text(self, state, action):
        """Write a column as people count them: 1 to 7."""
        return str(action + 1)

    def read_action(self, state, text):
        """Read a column, 1 to 7."""
        text = text.strip()
        if text not in {str(column + 1) for column in range(COLUMNS)}:
            raise MoveError(
                f"cannot read {quoted(text)} as a move; type a column from 1 to {COLUMNS}"
            )
        return self.require_legal(state, int(text) - 1, text)

    def action_cell(self, state, action):
        """Return the cell the disc falls to."""
        column = (int(state[1]) >> 7 * action) & int(COLUMN)
        return (ROWS - 1 - column.bit_count()) * COLUMNS + action

    def winning_cells(self, state):
        """Return the cells of all lines of four."""
        board = self.board(state[None])[0]
        found: set[int] = set()
        for row, column in np.argwhere(board):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * down, column + k * right) for k in range(4)]
                if all(0 <= r < ROWS and 0 <= c < COLUMNS for r, c in cells) and all(
                    board[cell] == board[row, column] for cell in cells
                ):
                    found |= {int(r * COLUMNS + c) for r, c in cells}
        return frozenset(found)

    def read_moves(self, text):
        """Read a transcript: digits such as 4444422, or letters a to g."""
        return transcripts.read_columns(text)

    def read_position(self, text):
        """Read the position behind a transcript."""
        return transcripts.position(self, self.read_moves(text))
