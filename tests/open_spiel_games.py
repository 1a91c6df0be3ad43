"""Comparison of a compiled game with OpenSpiel's, position by position."""

import random

import numpy as np
import pytest


def spiel_games(name, positions, seed):
    """Play random games in OpenSpiel until they have so many positions together.

    Yields (legal actions of every position, the action taken at all but the last, first
    player's return, drawing of the last board).
    """
    reason = "OpenSpiel absent: pip install evenmatch[test]"
    pyspiel = pytest.importorskip("pyspiel", reason=reason)
    game = pyspiel.load_game(name)
    rng = random.Random(seed)
    while positions > 0:
        state, legal, taken = game.new_initial_state(), [], []
        while not state.is_terminal():
            legal.append(state.legal_actions())
            taken.append(legal[-1][int(rng.random() * len(legal[-1]))])
            state.apply_action(taken[-1])
        legal.append([])
        positions -= len(legal)
        yield legal, taken, state.returns()[0], str(state)


def assert_equals_spiel(game, name, read_board, positions, seed):
    """Replay OpenSpiel's games, side by side, and compare everything it says of them."""
    games = list(spiel_games(name, positions, seed))
    states = game.initial(len(games))
    playing = np.arange(len(games))
    ply, compared = 0, 0
    while len(playing):
        compared += len(playing)
        mask = np.zeros((len(playing), game.num_actions), bool)
        for row, number in enumerate(playing):
            mask[row, games[number][0][ply]] = True
        assert (game.legal_mask(states) == mask).all()
        over, values = game.outcome(states)
        assert (over == ~mask.any(1)).all()
        returns = np.array([games[number][2] for number in playing])
        assert (values == np.where(over, returns * game.to_play(states), 0)).all()
        boards = game.board(states)
        for row in np.nonzero(over)[0]:
            assert boards[row].tolist() == read_board(games[playing[row]][3])
        playing, states = playing[~over], states[~over]
        taken = np.array([games[number][1][ply] for number in playing], np.int32)
        states = game.after(states, taken)
        ply += 1
    assert compared >= positions
