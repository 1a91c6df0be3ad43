"""The classifier of the Turing test, and games as records."""

import chess
import numpy as np

from evenmatch.arena import Pairing, play
from evenmatch.experiments import turing
from evenmatch.games import get_game
from evenmatch.games.chess_text import code_of

CHESS = get_game("chess")


def test_two_kinds_are_told_apart():
    rng = np.random.default_rng(1)
    agents = np.arange(300) % 3 == 0
    rows = rng.normal(size=(300, 6)) + agents[:, None] * [3, 0, 0, 0, 0, 0]
    assert turing.told_right(rows, agents, np.arange(300)).mean() > 0.85  # at best 0.93


def test_one_kind_is_not():
    """400 guesses at even chances: beyond five deviations with a chance of 6e-7."""
    rng = np.random.default_rng(2)
    rows, agents = rng.normal(size=(400, 6)), np.arange(400) % 2 == 0
    assert abs(turing.told_right(rows, agents, np.arange(400)).mean() - 0.5) < 0.125


def test_nobody_is_both_learned_and_asked():
    """Every person has a number of their own, which a classifier could learn by heart."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(100), 4)
    rows = rng.normal(size=(100, 60))[people]
    agents = (rng.random(100) < 0.5)[people]
    assert turing.told_right(rows, agents, people).mean() < 0.75  # by heart it is 1


def test_games_become_records():
    board, actions, state = chess.Board(), [], CHESS.initial()[0]
    for san in ("e4", "d5", "exd5", "Nf6", "Bb5+", "Bd7", "Nf3", "a6", "O-O"):
        action = CHESS.read_action(state, san)
        actions.append(action)
        state = CHESS.after(state[None], np.array([action]))[0]
    wanted = []
    for san in ("e4", "d5", "exd5", "Nf6", "Bb5+", "Bd7", "Nf3", "a6", "O-O"):
        wanted.append(code_of(board.parse_san(san)))
        board.push_san(san)
    assert turing.record_of(actions).moves.tolist() == wanted


def test_games_begin_with_the_lines_given():
    lines = [[CHESS.read_action(CHESS.initial()[0], move)] for move in ("e4", "a3")]
    played = play(["random", "random"], [Pairing(0, 1, 1), Pairing(1, 0, 0)], CHESS, lines=lines)
    assert [one.actions[0] for one in played] == [lines[1][0], lines[0][0]]


def test_the_mean_of_two_shares_and_its_interval():
    """1000 samples of 56 and 200 sides: 95% intervals hold the truth in all but 8% at most.

    The share strays by 0.7%, so 8% is more than four deviations away.
    """
    rng, held = np.random.default_rng(6), 0
    for _ in range(1000):
        middle, half = turing.balanced(rng.binomial(56, 0.6), 56, rng.binomial(200, 0.9), 200)
        held += abs(middle - 0.75) < half
    assert 920 < held < 980
