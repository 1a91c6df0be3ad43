"""Minimax players: their controller conforms, and depth follows the value."""

import pytest

from evenmatch.errors import UsageError
from evenmatch.opponents import PLAYERS, check_controller
from evenmatch_lab.baselines.minimax_player import DepthByValue, depth_for
from evenmatch_lab.baselines.players import PLAYERS as BASELINES


def test_the_controller_conforms():
    check_controller(lambda: DepthByValue(2, 3.0, -1.0, 5))


def test_bad_constants_are_refused():
    with pytest.raises(UsageError, match="depth"):
        DepthByValue(2, 3.0, -1.0, 13)


def test_baselines_are_found_by_their_entry_point():
    assert BASELINES.items() <= PLAYERS.items()


def test_depth_by_hand():
    assert [depth_for(v, 3.0, -1.0, 5) for v in (-1, -0.5, 0, 0.5, 1)] == [5, 5, 3, 2, 1]
