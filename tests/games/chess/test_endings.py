"""Endings of three men, beside known counts, python-chess and the rules of the game."""

import random

import chess
import numpy as np
import pytest

from evenmatch.games import GAMES
from evenmatch.games.chess.endings import DRAW, PIECES, UNKNOWN, endings
from evenmatch.games.chess.make_endings import make_table
from evenmatch.games.game import ONE_PLY, Game, random_positions

GAME = GAMES["chess"]
PAWN, ROOK, QUEEN = PIECES
KINGS_AND_KNIGHT = "8/8/4k3/8/8/4K3/4N3/8 w - - 0 1"


@pytest.mark.parametrize(
    ("piece", "won", "longest"),
    [(QUEEN, 144_508, 10), (ROOK, 175_168, 16), (PAWN, 124_960, 28)],
)
def test_known_counts(piece, won, longest):
    """Positions that White, to move, wins, and the moves of the longest win: published figures."""
    numbers = endings()[PIECES.index(piece), 0]
    assert (numbers != DRAW).sum() == won
    assert (int(numbers.max()) - 1 + 1) // 2 == longest


def test_the_file_is_what_the_rules_make():
    """For one piece, which takes a second; `make_endings` makes all."""
    at = PIECES.index(QUEEN)
    assert (make_table([QUEEN])[at] == endings()[at]).all()
    assert (endings() != UNKNOWN).all()


def drawn(rng, piece):
    """A legal position with the piece of either side, either to move."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), 3)
        strong = rng.random() < 0.5
        board.set_piece_at(squares[0], chess.Piece(chess.KING, strong))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, not strong))
        board.set_piece_at(squares[2], chess.Piece(piece, strong))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def settled(fens):
    """Whether positions are known, and their values; finished ones by the rules."""
    states = np.stack([GAME.from_fen(fen) for fen in fens])
    actions, counts, values = GAME.examine(states)
    GAME.settle(states, actions, counts, values)
    return counts == 0, values


def value_after(values):
    """What a position is worth whose children have these values."""
    best = max(-value for value in values)
    return best - ONE_PLY * np.sign(best)


@pytest.mark.parametrize("piece", PIECES)
def test_a_position_is_worth_its_best_child(piece):
    """By python-chess's moves, for both colours; promotions and captures among them."""
    rng, won = random.Random(piece), 0
    for _ in range(150):
        board = drawn(rng, piece)
        known, values = settled([board.fen()])
        assert known[0]
        if board.is_game_over():
            assert values[0] == (-1 if board.is_checkmate() else 0)
            continue
        children = []
        for move in board.legal_moves:
            if move.promotion in (chess.KNIGHT, chess.BISHOP):
                continue  # worth nothing
            board.push(move)
            children.append(board.fen())
            board.pop()
        after_known, after = settled(children)
        assert after_known.all()
        assert values[0] == pytest.approx(value_after(after))
        won += values[0] != 0
    assert won > 50


@pytest.mark.parametrize(
    ("fen", "known"),
    [
        ("8/8/8/8/8/2k5/8/K6R w - - 0 1", True),
        ("8/8/8/8/8/2k5/8/K6R w - - 90 60", False),  # the fifty-move rule comes first
        ("8/8/8/3k4/8/8/8/4K2R w K - 0 1", False),  # may castle
        ("8/8/4k3/8/8/4K3/4N1N1/8 w - - 0 1", False),  # four men
        (KINGS_AND_KNIGHT, True),  # drawn by the rules
    ],
)
def test_what_is_known(fen, known):
    found, values = settled([fen])
    assert found[0] == known
    assert known or values[0] == 0


def test_mates_at_once_as_the_plain_way_finds_them():
    """Beside the generic search through all children; false alarms and misses both show."""
    states = np.concatenate(list(random_positions(GAME, 48, 3))[10:120:2])
    men = np.unpackbits((states[:, 0] | states[:, 1] | states[:, 2]).view(np.uint8)).reshape(
        len(states), 64
    )
    states = states[men.sum(1) > 3]
    actions, counts, values = GAME.examine(states)
    found, wanted = (counts.copy(), values.copy()), (counts.copy(), values.copy())
    GAME.settle(states, actions, *found)
    Game.settle(GAME, states, actions, *wanted)
    assert (found[0] == wanted[0]).all()
    assert (found[1] == wanted[1]).all()
    assert (found[0] != counts).sum() > 20
