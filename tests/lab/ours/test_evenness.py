"""What a move gave up, where it is known."""

import numpy as np
import pytest

from evenmatch.games import GAMES
from evenmatch.play.arena import Pairing, Played
from evenmatch_lab.ours.evenness import (
    give_aways,
    measure_series,
    series_interval,
)

#: Connect Four: both stack up; the first player then wins at once in column 0, or lets it be.
STACKED = (0, 1, 0, 1, 0, 1)


def given(*actions, first=0):
    played = Played(Pairing(first, 1 - first), 1.0, (*STACKED, *actions))
    return give_aways(GAMES["connect4"], [played], judge=200)


def test_a_missed_win_that_loses_gives_up_everything():
    """After 3 instead of 0 the other side wins in column 1: from +1 to -1."""
    thrown = given(3, 1)
    assert thrown["moves"] == 4
    assert thrown["largest"] == pytest.approx(2.0, abs=0.05)


def test_taking_the_win_gives_up_nothing():
    """The last move counts 0; nothing before it can have given up more than a won game."""
    won, thrown = given(0), given(3, 1)
    assert won["moves"] == 4
    assert won["mean"] == pytest.approx(thrown["mean"] - thrown["largest"] / 4, abs=0.02)


def test_only_entrant_0_is_judged():
    """As the second player it had three moves."""
    assert given(0, first=1)["moves"] == 3


def test_a_series_is_the_unit():
    """Rates 0.2, 0, 0.4: mean 0.2, deviation 0.2, Student's quantile of 2 degrees 4.303."""
    low, high = series_interval({"series": [[12, 8, 0], [10, 10, 0], [14, 6, 0]]})
    half = 4.303 * 0.2 / np.sqrt(3)
    assert (low, high) == pytest.approx((0.2 - half, 0.2 + half), abs=1e-3)


def test_series_are_kept_apart():
    """Two series of three games with each of two opponents, one of whom is beaten."""
    rivals = {"weak": "random", "equal": "minimax2:depth=3"}
    row = measure_series("connect4", "minimax2:depth=3", rivals, 6, 2, lambda *_: None, {})
    assert row["table"]["weak"]["series"] == [[3, 0, 0], [3, 0, 0]]
    for one in row["table"].values():
        assert (
            np.sum(one["series"], axis=0).tolist() == np.add(one["first"], one["second"]).tolist()
        )
