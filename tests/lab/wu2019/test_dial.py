"""Elo, bounds and H of made-up games."""

import math

import pytest
from parts_of_a_dial import expected, part

from evenmatch.strength.analysis import ELO_PER_NAT
from evenmatch_lab.wu2019.dial import Dial, dials, elo_text, number_text
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z


def test_h_is_the_gap_in_nats_over_e_norm():
    dial = Dial((part({z: expected(z) for z in Z}),))
    value, (low, high) = dial.h()
    gap = dial.elo(INF) - dial.elo(-INF)
    assert value == pytest.approx(gap / ELO_PER_NAT)  # E_norm(-inf) = -1
    assert low < value < high
    assert dial.shape()[0.0] == pytest.approx(0.5)


def test_points_and_sums_of_parts_come_together():
    fractions = {z: expected(z) for z in Z}
    whole = Dial((part(fractions),))
    halves = [part({z: fractions[z] for z in zs}) for zs in (Z[:6], Z[6:])]
    (dial,) = dials(
        {"R_th = 0.1, z inf to 0": halves[0], "R_th = 0.1, z -0.5 to -inf": halves[1]}, "R"
    )
    assert list(dial.points) == list(Z)
    assert dial.h() == whole.h()
    assert dial.positions.sum() == 2 * whole.positions.sum()


def test_a_point_without_a_win_is_a_bound_and_so_is_h():
    fractions = {z: expected(z) for z in Z} | {-2.0: 0.0, -INF: 0.0}
    dial = Dial((part(fractions),))
    assert dial.elo(-INF) == -math.inf
    assert elo_text(dial.elo(-INF), dial.elo_interval(-INF)).startswith("below -")
    assert set(dial.bounded(LINEAR)) == set(LINEAR) - {-2.0}
    assert not dial.has_ends
    value, (low, high) = dial.h()
    assert (value, high) == (INF, INF)
    least = dial.elo_interval(INF).low - dial.elo_interval(-INF).high
    assert low == pytest.approx(least / ELO_PER_NAT)
    assert number_text(value, dial.h()[1]).startswith("above ")
    assert elo_text(*dial.gap(2.0, -2.0)).startswith("above ")


def test_openings_drawn_again_make_wider_gaps_of_fewer_pairs():
    """The spread is that of a binomial: pairs are won or lost whole."""
    dial = Dial((part({1.0: 0.75}),))
    drawn = dial.elo_drawn(1.0)
    slope = ELO_PER_NAT / (0.75 * 0.25)  # Elo a unit of the fraction
    assert drawn.std() == pytest.approx(slope * math.sqrt(0.75 * 0.25 / 40), rel=0.15)
