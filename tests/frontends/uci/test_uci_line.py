"""The game that a chess program sends."""

import random

import chess
import numpy as np
import pytest

from evenmatch.frontends.uci.protocol import Position
from evenmatch.frontends.uci.thinking import GAME, names, playable, possible, read_game
from evenmatch.games.line import Line

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8") * 2
MIDDLE = "4k3/pp6/8/8/8/8/4PP2/4K3 {} - - {} {}"


def line_of(fen=None, words=(), before=None):
    return read_game(Position(fen, tuple(words)), before).line


def random_words(seed, plies):
    rng, board, words = random.Random(seed), chess.Board(), []
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        words.append(move.uci())
        board.push(move)
    return board, words


@pytest.mark.parametrize("seed", range(5))
def test_games_are_those_of_python_chess(seed):
    board, words = random_words(seed, 120)
    line = line_of(None, words)
    assert GAME.to_fen(line.state) == board.fen()
    found = {names(line, [int(action)])[0] for action in possible(line)}
    assert found == {move.uci() for move in board.legal_moves}
    assert (line.side > 0) == board.turn
    assert names(Line(GAME), line.actions) == words


def test_what_was_read_before_is_not_read_again():
    _, words = random_words(1, 40)
    first = read_game(Position(None, tuple(words[:30])))
    longer = read_game(Position(None, tuple(words)), first)
    assert np.shares_memory(first.line.states, longer.line.states)
    assert (first.line.states == line_of(None, words[:30]).states).all()
    assert longer.line.since(first.line) == longer.line.actions[30:]
    back = line_of(None, words[:10], longer)
    assert (back.states == line_of(None, words[:10]).states).all()
    other = line_of(chess.STARTING_FEN, (), longer)
    assert other.since(longer.line) is None
    assert len(other.states) == 1


def test_a_draw_that_was_not_claimed_is_played_on():
    shuffled = read_game(Position(None, SHUFFLE))
    assert not shuffled.line.legal
    assert len(playable(shuffled.line).legal) == len(possible(shuffled.line)) == 20
    further = line_of(None, (*SHUFFLE, "e2e4"), shuffled)
    assert playable(further) is further


def test_dead_positions_are_left_as_they_are():
    kings = line_of("8/8/8/4k3/8/8/8/4K3 w - - 0 1")
    assert len(possible(kings)) == 5
    assert not playable(kings).legal
    mate = line_of(None, ("f2f3", "e7e5", "g2g4", "d8h4"))
    assert len(possible(mate)) == 0
    assert playable(mate) is mate


@pytest.mark.parametrize(("side", "move", "ply"), [("w", 30, 58), ("b", 30, 59), ("b", 1, 1)])
def test_plies_are_counted_from_that_of_a_fen(side, move, ply):
    words = ("e2e4", "b7b5") if side == "w" else ("b7b5", "e2e4")
    before = read_game(Position(MIDDLE.format(side, 3, move)))
    after = line_of(before.position.fen, words, before)
    assert before.line.ply == ply
    assert after.states.shape == (ply + 3, 32)
    assert (after.states[: ply + 1] == before.line.state).all()
    assert after.actions[:ply] == [-1] * ply
    assert names(before.line, after.actions[ply:]) == list(words)


@pytest.mark.parametrize("move", [30_000, 40_000, 600_000_000, 10**20])
def test_absurd_move_numbers_do_no_harm(move):
    line = line_of(MIDDLE.format("w", 0, move), ("e2e4",))
    assert playable(line) is line
    assert line.ply < 1100
