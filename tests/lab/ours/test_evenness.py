"""What a move gave up, where it is known."""

import pytest

from evenmatch.arena import Pairing, Played
from evenmatch.games import GAMES
from evenmatch_lab.ours.evenness import give_aways

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
