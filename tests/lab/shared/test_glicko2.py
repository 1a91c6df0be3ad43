"""Glicko-2 beside the worked example of its paper."""

import pytest

from evenmatch_lab.shared.glicko2 import DEVIATION, START, Glicko, Met, after


def test_the_example_of_the_paper():
    """Glickman 2022, 'Example calculation': 1464.06, 151.52, 0.05999."""
    player = Glicko(1500, 200, 0.06)
    games = [Met(1400, 30, 1), Met(1550, 100, 0), Met(1700, 300, 0)]
    found = after(player, games, tau=0.5)
    assert found.rating == pytest.approx(1464.06, abs=0.01)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=1e-5)


def test_without_games_only_doubt_grows():
    found = after(Glicko(1600, 50, 0.06), [])
    assert found.rating == 1600
    assert found.deviation == pytest.approx((50**2 + (0.06 * 173.7178) ** 2) ** 0.5)


def test_surprises_make_volatile():
    steady = after(Glicko(1500, 50), [Met(1500, 50, 0.5)] * 10)
    wild = after(Glicko(1500, 50), [Met(2200, 50, 1)] * 10)
    assert wild.volatility > steady.volatility
    assert Glicko() == Glicko(START, DEVIATION, 0.06)
