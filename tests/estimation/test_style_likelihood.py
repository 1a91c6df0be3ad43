"""Likelihoods of moves by style, against the player `style` itself."""

import numpy as np
import pytest

from evenmatch.estimation.style_likelihood import SLIP, JudgedMoves, grid_of, likelihoods, on_grid
from evenmatch.games import get_game
from evenmatch.opponents import load_evaluator
from evenmatch.play.arena import play_match

GAME = get_game("connect4")
STYLES = (0.0, 2.0, 4.0, 7.0)


def moves_of(spec: str, games: int, seed: int = 0) -> JudgedMoves:
    """What a player moved in games against itself, where it had a choice."""
    states, actions = [], []
    for played in play_match(spec, spec, GAME, games, seed=seed).games:
        state = GAME.initial()
        for action in played.actions:
            if GAME.legal_mask(state)[0].sum() > 1:
                states.append(state[0])
                actions.append(action)
            state = GAME.after(state, np.array([action]))
    return JudgedMoves(np.array(states), np.array(actions))


@pytest.mark.parametrize("number", range(len(STYLES)))
def test_a_style_is_likeliest_to_have_made_its_own_moves(number):
    """Some 120 moves; neighbouring styles differ by ten log units and more."""
    moves = moves_of(f"style:s={STYLES[number]},sims=30", 4)
    logs = likelihoods(moves, GAME, load_evaluator(GAME), STYLES, 30)
    assert logs.shape == (len(moves.actions), len(STYLES))
    assert logs.sum(0).argmax() == number


def test_a_random_mover_by_hand():
    """Style 0 is random: slip or not, a move has one chance in as many as are legal."""
    moves = moves_of("random", 2)
    logs = likelihoods(moves, GAME, load_evaluator(GAME), (0.0,), 1)
    legal = GAME.legal_mask(moves.states).sum(1)
    assert np.exp(logs[:, 0]) == pytest.approx(1 / legal, rel=0.02)


def test_a_move_that_nobody_makes_is_a_slip():
    state = GAME.initial()
    for action in (3, 0, 3, 0, 3):  # the first player threatens to connect four in column 3
        state = GAME.after(state, np.array([action]))
    moves = JudgedMoves(np.repeat(state, 2, 0), np.array([3, 6]))
    logs = likelihoods(moves, GAME, load_evaluator(GAME), (7.0,), 100)
    assert np.exp(logs[0, 0]) == pytest.approx(1 - SLIP + SLIP / 7, abs=1e-6)
    assert np.exp(logs[1, 0]) == pytest.approx(SLIP / 7, abs=1e-6)


def test_progress_and_no_moves():
    heard = []
    none = JudgedMoves(np.zeros((0, GAME.state_words), np.uint64), np.zeros(0, int))
    evaluator = load_evaluator(GAME)
    assert likelihoods(none, GAME, evaluator, STYLES, 4).shape == (0, 4)
    moves = moves_of("random", 1)
    likelihoods(moves, GAME, evaluator, STYLES, 4, lambda *at: heard.append(at))
    assert heard == [(len(moves.actions), len(moves.actions))]


def test_on_a_grid():
    logs = np.array([[-3.0, -1.0, -2.0]])
    ratings = (1000.0, 1200.0, 1600.0)
    grid = np.array([900.0, 1000, 1100, 1200, 1400, 1600, 2000])
    assert on_grid(logs, ratings, grid).tolist() == [[-3, -3, -2, -1, -1.5, -2, -2]]


def test_the_grid_goes_beyond_the_dial():
    grid = grid_of((810.0, 2033.0))
    assert grid[0] <= 510
    assert grid[-1] >= 2333
    assert set(np.diff(grid)) == {25.0}
