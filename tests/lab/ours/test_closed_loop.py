"""The closed loop: what is counted of its games, and one run of it against random moves."""

import numpy as np

from evenmatch_lab.ours.closed_loop import (
    open_until,
    row_of_lanes,
    settled,
)

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def actions_of(words):
    from evenmatch.games import GAMES

    game, state, found = GAMES["chess"], GAMES["chess"].initial(), []
    for word in words:
        found.append(game.read_action(state[0], word))
        state = game.after(state, np.array([found[-1]]))
    return found


def test_when_a_level_is_settled():
    assert settled([1500.0]) == 1
    assert settled([1000.0, 1350.0, 1420.0, 1400.0]) == 2
    assert settled([1400.0, 1000.0, 1400.0]) == 3, "it was near, and left again"


def test_rows_of_series():
    row = row_of_lanes([[1.0, -1.0], [0.0, 1.0]])
    assert row["first"] == [2, 1, 1]
    assert row["series"] == [[1, 1, 0], [1, 0, 1]]


def test_how_long_a_game_is_open():
    """White may be lost after 2. g4, never before the first move."""
    assert open_until(actions_of(FOOLS_MATE[:1])) == 1.0
    assert open_until(actions_of(FOOLS_MATE)) in (0.75, 1.0)
