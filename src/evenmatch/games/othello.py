"""Othello (Reversi) on 8x8 and 6x6: outflank, flip, most discs win.

A state is three words: the discs of the side to move, the opponent's, and 1 if the second
player (White) is to move. Bit ``8 * row + column`` is a square, row 0 at the top, on both
sizes: the smaller board is the top left of the larger, whose other squares stay empty. An
action is ``size * row + column``; the last action is pass, legal only when nothing else is.
The game ends when neither side can place a disc.
"""

import numpy as np

from evenmatch.errors import MoveError, quoted
from evenmatch.games import transcripts
from evenmatch.games.bits import (
    inlined,
    kernel,
    nth_set_bit,
    popcount,
    random_below,
    trailing_zeros,
)
from evenmatch.games.game import PASS, Game, dihedral

NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)  # every square but the first column
NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)  # every square but the last column
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)
SHIFTS = (1, 7, 8, 9)
LEFT_MASKS = (NOT_A, NOT_H, EVERY, NOT_A)  # where a left shift by SHIFTS[i] may land
RIGHT_MASKS = (NOT_H, NOT_A, EVERY, NOT_H)


@inlined
def placements(own, other, squares):
    """Return the word of empty ``squares`` on which ``own`` outflanks ``other``."""
    squares_open = np.uint64(0)
    for i in range(4):
        shift = np.uint64(SHIFTS[i])
        left, right = other & LEFT_MASKS[i], other & RIGHT_MASKS[i]
        up = left & (own << shift)
        down = right & (own >> shift)
        for _ in range(5):
            up |= left & (up << shift)
            down |= right & (down >> shift)
        squares_open |= (up << shift) & LEFT_MASKS[i]
        squares_open |= (down >> shift) & RIGHT_MASKS[i]
    return squares_open & squares & ~(own | other)


@inlined
def flips(own, other, disc):
    """Return the word of ``other``'s discs that a new ``disc`` of ``own`` turns over."""
    turned = np.uint64(0)
    for i in range(4):
        shift = np.uint64(SHIFTS[i])
        left, right = other & LEFT_MASKS[i], other & RIGHT_MASKS[i]
        up = left & (disc << shift)
        down = right & (disc >> shift)
        for _ in range(5):
            up |= left & (up << shift)
            down |= right & (down >> shift)
        if (up << shift) & LEFT_MASKS[i] & own:
            turned |= up
        if (down >> shift) & RIGHT_MASKS[i] & own:
            turned |= down
    return turned


@inlined
def outcome(own, other):
    """Return 1, 0 or -1: whether the side to move has more discs, as many, or fewer."""
    lead = popcount(own) - popcount(other)
    return np.float32((lead > 0) - (lead < 0))


@kernel
def advance(states, actions, size, out):  # [B, 3], [B], int, [B, 3]
    """Play ``actions``; the other side is then to move."""
    for b in range(len(states)):
        own, other, second = states[b, 0], states[b, 1], states[b, 2]
        if actions[b] < size * size:
            square = 8 * (actions[b] // size) + actions[b] % size
            disc = np.uint64(1) << np.uint64(square)
            turned = flips(own, other, disc)
            own |= turned | disc
            other &= ~turned
        out[b, 0] = other
        out[b, 1] = own
        out[b, 2] = second ^ np.uint64(1)


@kernel
def generate(states, size, squares, actions, counts, values):  # [B, 3], int, word, [B, E], [B], [B]
    """List the placements, or pass alone, or the outcome once neither side can place."""
    for b in range(len(states)):
        own, other = states[b, 0], states[b, 1]
        open_ = placements(own, other, squares)
        counts[b] = 0
        values[b] = 0
        if open_ == 0:
            if placements(other, own, squares) == 0:
                values[b] = outcome(own, other)
            else:
                actions[b, 0] = size * size
                counts[b] = 1
        while open_:
            square = trailing_zeros(open_)
            open_ &= open_ - np.uint64(1)
            actions[b, counts[b]] = size * (square // 8) + square % 8
            counts[b] += 1


@kernel
def encode(states, size, squares, out):  # [B, 3], int, word, [B, 4, H, W]
    """Write planes: own discs, the opponent's, own placements, ones if Black is to move."""
    one = np.uint64(1)
    for b in range(len(states)):
        own, other = states[b, 0], states[b, 1]
        open_ = placements(own, other, squares)
        first = np.float32(one - states[b, 2])
        for row in range(size):
            for column in range(size):
                square = np.uint64(8 * row + column)
                out[b, 0, row, column] = (own >> square) & one
                out[b, 1, row, column] = (other >> square) & one
                out[b, 2, row, column] = (open_ >> square) & one
                out[b, 3, row, column] = first


@kernel
def playout(states, squares, seeds, values):  # [B, 3], word, [B], [B]
    """Play random placements to the end; outcomes for the side to move."""
    for b in range(len(states)):
        own, other, seed = states[b, 0], states[b, 1], seeds[b]
        sign, passed = np.float32(1), False
        while True:
            open_ = placements(own, other, squares)
            if open_:
                seed, pick = random_below(seed, popcount(open_))
                disc = np.uint64(1) << np.uint64(nth_set_bit(open_, pick))
                turned = flips(own, other, disc)
                own |= turned | disc
                other &= ~turned
            elif passed:
                break
            passed = open_ == 0
            own, other = other, own
            sign = -sign
        values[b] = sign * outcome(own, other)
        seeds[b] = seed


class Othello(Game):
    """Othello on a square board of 6 or 8; an action is a square, the last one is pass."""

    state_words = 3
    planes = 4
    players = ("Black", "White")
    counts_pieces = True

    def __init__(self, size: int = 8):
        self.size = size
        self.id = "othello" if size == 8 else f"othello{size}"
        self.title = "Othello" if size == 8 else f"{size}x{size} Othello"
        self.height = self.width = size
        self.num_actions = size * size + 1
        self.max_legal = 33 if size == 8 else size * size - 4
        self.max_plies = 2 * (size * size - 4)  # a pass is never followed by another
        row = (1 << size) - 1
        self.squares = np.uint64(sum(row << 8 * i for i in range(size)))
        self.cell_symmetries, self.action_symmetries = dihedral(size, 1)

    def initial(self, batch=1):
        """Return ``batch`` start positions, [B, 3]: four discs in the middle, Black to move."""
        half = self.size // 2
        black = 1 << 8 * (half - 1) + half | 1 << 8 * half + half - 1
        white = 1 << 8 * (half - 1) + half - 1 | 1 << 8 * half + half
        return np.tile(np.array([black, white, 0], np.uint64), (batch, 1))

    def advance(self, states, actions, out):
        """Write the positions after ``actions`` [B] to ``out`` [B, 3]."""
        advance(states, actions, self.size, out)

    def generate(self, states, actions, counts, values):
        """Write legal actions [B, E], their counts [B] and outcomes [B]."""
        generate(states, self.size, self.squares, actions, counts, values)

    def encode(self, states, out):
        """Write planes [B, 4, H, W]: own, opponent's, placements, Black to move."""
        encode(states, self.size, self.squares, out)

    def playout(self, states, seeds, values):
        """Write outcomes [B] of random playouts; ``seeds`` [B] advance."""
        playout(states, self.squares, seeds, values)

    def board(self, states):
        """Return boards [B, H, W]: 1 Black, -1 White, 0 empty; row 0 is the top."""
        planes = self.encoded(states)
        return (planes[:, 0] - planes[:, 1]).astype(np.int8) * self.to_play(states)[:, None, None]

    def to_play(self, states):
        """Return the side to move, [B]: 1 Black, -1 White."""
        return (1 - 2 * states[:, 2].astype(np.int8)).astype(np.int8)

    def action_text(self, state, action):
        """Write a square as a column letter and a row from the top: d3; or pass."""
        if action == self.size * self.size:
            return PASS
        return f"{chr(ord('a') + action % self.size)}{action // self.size + 1}"

    def read_action(self, state, text):
        """Read a square such as d3, or pass."""
        word = text.strip().lower()
        for action in range(self.num_actions):
            if self.action_text(state, action) == word:
                return self.require_legal(state, action, word)
        last = self.action_text(state, self.num_actions - 2)
        raise MoveError(
            f"cannot read {quoted(text.strip())} as a move; type a square a1 to {last}, or pass"
        )

    def action_cell(self, state, action):
        """Return the square of an action, None for pass."""
        return None if action == self.size * self.size else action

    def read_moves(self, text):
        """Read a transcript such as f5d6c3, with or without passes."""
        return transcripts.read_squares(text, self.size)

    def read_position(self, text):
        """Read the position behind a transcript."""
        return transcripts.position(self, self.read_moves(text))
