"""The game that a chess program shows."""

import random

import chess
import numpy as np
import pytest

from evenmatch.frontends.uci.line import GAME, UciLine
from evenmatch.frontends.uci.protocol import Position

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8") * 2


def random_words(seed, plies):
    rng, board, words = random.Random(seed), chess.Board(), []
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        words.append(move.uci())
        board.push(move)
    return board, tuple(words)


@pytest.mark.parametrize("seed", range(5))
def test_games_are_those_of_python_chess(seed):
    board, words = random_words(seed, 120)
    line = UciLine(Position(None, words))
    assert GAME.to_fen(line.state) == board.fen()
    names = {line.words([int(action)])[0] for action in line.playable_actions}
    assert names == {move.uci() for move in board.legal_moves}
    assert line.white == board.turn
    assert UciLine().words(line.actions) == list(words)


def test_what_was_read_before_is_not_read_again():
    _, words = random_words(1, 40)
    first = UciLine(Position(None, words[:30]))
    longer = UciLine(Position(None, words), first)
    assert np.shares_memory(first.states, longer.states)
    assert (first.states == UciLine(Position(None, words[:30])).states).all()
    assert longer.since(first) == longer.actions[30:]
    assert first.since(longer) is None
    back = UciLine(Position(None, words[:10]), longer)
    assert len(back.states) == 11
    assert (back.state == UciLine(Position(None, words[:10])).state).all()
    other = UciLine(Position(chess.STARTING_FEN), longer)
    assert other.since(longer) is None
    assert len(other.states) == 1


def test_a_draw_that_nobody_claimed_is_played_on():
    line = UciLine(Position(None, SHUFFLE))
    assert not len(GAME.legal_actions(line.state[None])[0])
    on = line.playable()
    assert len(GAME.legal_actions(on.state[None])[0]) == len(line.playable_actions) == 20
    further = UciLine(Position(None, (*SHUFFLE, "e2e4")), line)
    assert further.playable() is further


def test_dead_positions_are_left_as_they_are():
    kings = UciLine(Position("8/8/8/4k3/8/8/8/4K3 w - - 0 1"))
    assert len(kings.playable_actions) == 5
    assert not len(GAME.legal_actions(kings.playable().state[None])[0])
    mate = UciLine(Position(None, ("f2f3", "e7e5", "g2g4", "d8h4")))
    assert len(mate.playable_actions) == 0
    assert mate.playable() is mate


MIDDLE = "4k3/pp6/8/8/8/8/4PP2/4K3 {} - - {} {}"


@pytest.mark.parametrize(("side", "move", "ply"), [("w", 30, 58), ("b", 30, 59), ("b", 1, 1)])
def test_plies_are_counted_from_that_of_a_fen(side, move, ply):
    fen, words = MIDDLE.format(side, 3, move), ("e2e4", "b7b5") if side == "w" else ("b7b5", "e2e4")
    before, after = (UciLine(Position(fen, played)) for played in ((), words))
    assert before.with_past().ply == ply
    line = after.with_past()
    assert line.states.shape == (ply + 3, 32)
    assert (line.states[: ply + 1] == before.state).all()
    assert (line.state == after.state).all()
    assert line.actions == [-1] * ply + after.actions


@pytest.mark.parametrize("move", [30_000, 40_000, 600_000_000, 10**20])
def test_absurd_move_numbers_do_no_harm(move):
    line = UciLine(Position(MIDDLE.format("w", 0, move), ("e2e4",)))
    assert line.playable() is line
    assert line.with_past().ply < 1100
