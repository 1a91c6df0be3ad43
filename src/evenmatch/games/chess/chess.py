"""Chess by the laws of FIDE, except where a player would have to claim.

Fifty moves of both sides without a capture or pawn move, and the third occurrence of a position,
end the game as draws at once. So do 1024 plies, which no recorded game has come near. Positions
in which neither side can mate are drawn as in python-chess's ``is_insufficient_material``; dead
positions of other kinds are played on. Positions are packed as ``chess_history`` describes,
actions are those of ``chess_policy``, the planes AlphaZero's of ``chess_planes``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from evenmatch.errors import MoveError
from evenmatch.games.bits import inlined, kernel, random_below
from evenmatch.games.chess import text as chess_text
from evenmatch.games.chess.actions import (
    FLIP,
    NUM_ACTIONS,
    action_of_move,
    move_of_action,
    write_actions,
)
from evenmatch.games.chess.endings import endings, settle_endings, settle_mates
from evenmatch.games.chess.history import (
    COUNTERS,
    MAX_PLIES,
    PLAYED,
    ROOT,
    SIXTEEN,
    STATE_WORDS,
    is_drawn,
    marked,
    new_states,
    step,
    to_play,
)
from evenmatch.games.chess.moves import BOARD_WORDS, MAX_LEGAL, SIDE, in_check, mover_moves
from evenmatch.games.chess.planes import (
    ALPHAZERO_PLANES,
    LEELA_PLANES,
    MAIA2_PLANES,
    MAIA3_PLANES,
    alphazero_planes,
    leela_planes,
    maia2_planes,
    maia3_planes,
)
from evenmatch.games.game import Game, States

if TYPE_CHECKING:
    import chess

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@kernel
def advance(states, actions, out):  # [B, 32], [B], [B, 32]
    """Play legal actions."""
    for b in range(len(states)):
        step(states[b], move_of_action(states[b], np.int64(actions[b])), out[b])


@kernel
def generate(states, actions, counts, values):  # [B, 32], [B, E], [B], [B]
    """List the legal actions, or the outcome: mate, stalemate or a draw by rule."""
    for b in range(len(states)):
        count, values[b] = moves_or_outcome(states[b], actions[b])
        write_actions(states[b], actions[b], count)
        counts[b] = count


@kernel
def generate_unclaimed(states, actions, counts):  # [B, 32], [B, E], [B]
    """List the actions that the pieces allow, whether the game is drawn or not."""
    for b in range(len(states)):
        counts[b] = mover_moves(states[b], actions[b])
        write_actions(states[b], actions[b], counts[b])


@inlined
def moves_or_outcome(state, moves):  # [32], [E] int16 -> int, float32
    """Write the mover's moves, none if the game is over; return how many, and the outcome."""
    count = mover_moves(state, moves)
    if count == 0:
        return 0, np.float32(-1 if in_check(state) else 0)
    return 0 if is_drawn(state) else count, np.float32(0)


@kernel
def playout(states, seeds, values, state, moves):  # [B, 32], [B], [B], [32], [E] int16
    """Play random moves to the end; outcomes for the side to move. Two arrays to work in."""
    for b in range(len(states)):
        for word in range(STATE_WORDS):
            state[word] = states[b, word]
        seed, sign = seeds[b], np.float32(1)
        while True:
            count, value = moves_or_outcome(state, moves)
            if count == 0:
                break
            seed, pick = random_below(seed, count)
            move = np.int64(moves[pick])
            step(state, move ^ FLIP if state[4] & SIDE else move, state)
            sign = -sign
        values[b] = sign * value
        seeds[b] = seed


class Chess(Game):
    """Chess; an action is one of Leela's 1858 moves, seen by the side to move."""

    id = "chess"
    title = "Chess"
    players = ("White", "Black")
    draws_agreed = True
    num_actions = NUM_ACTIONS
    max_legal = MAX_LEGAL
    max_plies = MAX_PLIES
    state_words = STATE_WORDS
    planes = ALPHAZERO_PLANES
    plane_formats = MappingProxyType(
        {
            LEELA_PLANES: "Leela's classical format, eight positions",
            ALPHAZERO_PLANES: "AlphaZero's, eight positions (Silver et al. 2018, table S1)",
        }
    )
    height = width = 8
    cell_symmetries = np.arange(64)[None]
    action_symmetries = np.arange(NUM_ACTIONS)[None]

    def initial(self, batch=1):
        """Return ``batch`` start positions, [B, 32]."""
        return np.tile(self.from_fen(START), (batch, 1))

    def as_roots(self, states):
        """Return positions below which a search counts any repetition as a draw."""
        return marked(states, ROOT)

    def advance(self, states, actions, out):
        """Write the positions after ``actions`` [B] to ``out`` [B, 32]."""
        advance(states, actions, out)

    def generate(self, states, actions, counts, values):
        """Write legal actions [B, E], their counts [B] and outcomes [B]."""
        generate(states, actions, counts, values)

    def settle(self, states, actions, counts, values):
        """Settle positions [B, 32] of three men, and those from which a move is checkmate."""
        settle_endings(endings(), states, counts, values)
        room = np.empty(BOARD_WORDS, np.uint64), np.empty(MAX_LEGAL, np.int16)
        settle_mates(states, actions, counts, values, *room)

    def unclaimed(self, states):
        """Return the actions [B, E] that the pieces allow, drawn or not, and their counts [B]."""
        actions = np.zeros((len(states), self.max_legal), np.int16)
        counts = np.zeros(len(states), np.int32)
        generate_unclaimed(states, actions, counts)
        return actions, counts

    def encode(self, states, out):
        """Write the planes of AlphaZero's paper, [B, 119, 8, 8]."""
        alphazero_planes(states, out.reshape(len(out), ALPHAZERO_PLANES, 64))

    def encoder(self, planes):
        """Return AlphaZero's encoding of 119 planes, Leela's of 112, Maia's of 96 or of 18."""
        others = {
            LEELA_PLANES: self.encode_leela,
            MAIA3_PLANES: self.encode_maia3,
            MAIA2_PLANES: self.encode_maia2,
        }
        return others[planes] if planes in others else super().encoder(planes)

    def encode_leela(self, states, out):
        """Write the planes of Leela's classical format, [B, 112, 8, 8]."""
        leela_planes(states, out.reshape(len(out), LEELA_PLANES, 64))

    def encode_maia3(self, states, out):
        """Write the planes of Maia-3, [B, 96, 8, 8]."""
        maia3_planes(states, out.reshape(len(out), MAIA3_PLANES, 64))

    def encode_maia2(self, states, out):
        """Write the planes of Maia-2, [B, 18, 8, 8]."""
        maia2_planes(states, out.reshape(len(out), MAIA2_PLANES, 64))

    def playout(self, states, seeds, values):
        """Write outcomes [B] of random playouts; ``seeds`` [B] advance."""
        room = np.empty(STATE_WORDS, np.uint64), np.empty(MAX_LEGAL, np.int16)
        playout(states, seeds, values, *room)

    def board(self, states):
        """Return boards [B, 8, 8]: 1 White's pieces, -1 Black's, 0 empty; row 0 is rank 8."""
        return np.sign(self.pieces(states)).astype(np.int8)

    def pieces(self, states: States) -> np.ndarray:
        """Return the pieces [B, 8, 8]: 1 pawn to 6 king, Black's negative; row 0 is rank 8."""
        squares = np.arange(64, dtype=np.uint64)
        bits = (states[:, :4, None] >> squares & np.uint64(1)).astype(np.int8)  # [B, 4, 64]
        numbers = bits[:, 0] + 2 * bits[:, 1] + 4 * bits[:, 2]
        return (numbers * (2 * bits[:, 3] - 1)).reshape(-1, 8, 8)[:, ::-1]

    def to_play(self, states):
        """Return the side to move, [B]: 1 White, -1 Black."""
        return to_play(states)

    def action_text(self, state, action):
        """Write a move in standard algebraic notation: Nf3, exd5, O-O, e8=Q+."""
        return chess_text.san(state, move_of_action(state, action))

    def read_action(self, state, text):
        """Read a move in algebraic notation or as UCI has it: Nf3 or g1f3."""
        action = action_of_move(state, chess_text.read_move(state, text))
        if action not in self.legal_actions(state[None])[0]:
            raise MoveError(f"the game is over; {text.strip()!r} cannot be played")
        return int(action)

    def action_cell(self, state, action):
        """Return the cell (row * 8 + column, row 0 is rank 8) a piece lands on."""
        return self.action_cells(state, action)[-1]

    def action_cells(self, state, action):
        """Return the cells a piece comes from and lands on; in castling it is the king."""
        move = int(move_of_action(state, action))
        return (move & 63) ^ 56, (move >> 6 & 63) ^ 56

    def alarm(self, state):
        """Tell the side to move in ``state`` [32] that it is in check."""
        return "you are in check" if chess_text.position_of(state).is_check() else ""

    def ending(self, state):
        """Say why the game is over in ``state`` [32]: the first that holds of several reasons."""
        over, values = self.outcome(state[None])
        if not over[0]:
            return ""
        if values[0] < 0:
            return "checkmate"
        position = chess_text.position_of(state)
        reasons = {
            "insufficient material": position.is_insufficient_material(),
            "stalemate": position.is_stalemate(),
            "the fifty-move rule": position.halfmove_clock >= 100,
            f"the limit of {MAX_PLIES} plies": int(state[COUNTERS] >> PLAYED & SIXTEEN)
            >= MAX_PLIES,
        }
        return next((words for words, holds in reasons.items() if holds), "threefold repetition")

    def read_position(self, text):
        """Read a FEN."""
        return self.from_fen(text)

    def position_text(self, text):
        """Return the FEN that ``text`` means, and what was passed over in it."""
        position, notes = chess_text.read_fen(text)
        return position.fen(), notes

    def can_win(self, state, side):
        """Tell whether ``side`` has more than its king: else time alone does not win (FIDE 6.9)."""
        return int((self.pieces(state[None]) * side > 0).sum()) > 1

    def from_fen(self, text: str) -> np.ndarray:
        """Return the position of a FEN, [32]; UsageError if it is none.

        What is passed over in it is in the notes of ``chess_text.read_fen``. Its past is unknown,
        but for the double step that an en passant square implies.
        """
        return self.state_of(chess_text.read_fen(text).position)

    def state_of(self, position: chess.Board) -> np.ndarray:
        """Return a python-chess position without its moves so far, [32]."""
        board, ply = chess_text.board_of(position), position.ply()
        latest = chess_text.double_step(position)
        if latest is None:
            return new_states(board[None], np.array([ply]))[0]
        before, move = latest
        state = new_states(chess_text.board_of(before)[None], np.array([0]))[0]
        step(state, move, state)
        state[:BOARD_WORDS] = board  # whose clock may say otherwise
        state[COUNTERS] = state[COUNTERS] & ~SIXTEEN | np.uint64(ply)
        return state

    def to_fen(self, state: np.ndarray) -> str:
        """Write the FEN of a position [32]; the en passant square only where it can be used."""
        return chess_text.position_of(state, int(state[COUNTERS] & SIXTEEN)).fen()
