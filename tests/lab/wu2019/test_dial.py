"""Elo, bounds and H of made-up games."""

import math

import numpy as np
import pytest
from parts_of_a_dial import dial as made
from parts_of_a_dial import expected, part, row

from evenmatch.ratings import elo_from_score
from evenmatch_lab.shared.intervals import elo_text, number_text
from evenmatch_lab.wu2019.analysis import ELO_PER_NAT
from evenmatch_lab.wu2019.dial import dials, elo_of_draws, openings_drawn
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z


def test_h_is_the_gap_in_nats_over_e_norm():
    dial = made({z: expected(z) for z in Z})
    value, (low, high) = dial.h()
    gap = dial.elo(INF) - dial.elo(-INF)
    assert value == pytest.approx(gap / ELO_PER_NAT)  # E_norm(-inf) = -1
    assert low < value < high
    assert dial.shape()[0.0] == pytest.approx(0.5)


def test_parts_of_a_name_come_together_and_lend_their_best():
    """z = inf is the same player at every threshold; of its openings the others have the first."""
    results = {f"R_th = 0.1, z = {z:g}": part(z, expected(z)) for z in reversed(Z)}
    short = part(1.0, 0.5, r_th=0.05)
    short["point"] |= {"halves": [4, 0] * 4, "pairs": [4, 0, 0, 0, 4]}
    results["R_th = 0.05, z = 1"] = short
    usual, other = dials(results, "R_th")
    assert list(usual.points) == list(Z)
    assert usual.h() == made({z: expected(z) for z in Z}).h()
    assert usual.positions.sum() == 30 * 40 * 9  # not those of z = inf and -inf
    assert list(other.points) == [INF, 1.0]
    assert other.points[INF]["halves"] == usual.points[INF]["halves"][:8]
    assert len(other.played) == 1


def test_a_dial_needs_positions_of_finite_z():
    assert dials({"R_th = 0.1, z = inf": part(INF, 0.9)}, "R_th") == []


def test_a_point_without_a_win_is_a_bound_and_so_is_h():
    fractions = {z: expected(z) for z in Z} | {-2.0: 0.0, -INF: 0.0}
    dial = made(fractions)
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


@pytest.mark.parametrize("openings", [40, 160])
def test_openings_drawn_again_make_wider_gaps_of_fewer_pairs(openings):
    """The spread is that of a binomial: pairs are won or lost whole."""
    drawn = elo_of_draws(openings_drawn(openings), row(0.75, openings)["halves"])
    slope = ELO_PER_NAT / (0.75 * 0.25)  # Elo a unit of the fraction
    assert drawn.std() == pytest.approx(slope * math.sqrt(0.75 * 0.25 / openings), rel=0.15)


def test_a_point_of_fewer_openings_has_the_first_of_them():
    """Drawn with the others: each draw counts those openings that the point was played from."""
    draws, halves = openings_drawn(30), [4, 2, 1, 0, 3]
    drawn = elo_of_draws(draws, halves)
    for own, elo in zip(draws[:50, :5], drawn, strict=False):
        won, played = sum(n * h for n, h in zip(own, halves, strict=True)), 4 * own.sum()
        wanted = elo_from_score(won / played) if played else math.nan
        assert elo == pytest.approx(wanted, nan_ok=True)
    assert np.isnan(drawn).sum() == (draws[:, :5].sum(1) == 0).sum() > 0


def test_points_of_unequal_numbers_of_games_make_one_dial():
    dial = made({z: expected(z) for z in Z})
    few = dial.parts[1.0]
    few["point"]["halves"] = few["point"]["halves"][:8]
    few["roots"] |= {name: few["roots"][name][:8] for name in ("positions", "lowest")}
    every = len(dial.parts[0.5]["roots"]["positions"])
    assert dial.openings == every == len(dial.positions)
    each = dial.parts[0.5]["roots"]["positions"]
    assert dial.positions.tolist() == [9 * n if i < 8 else 8 * n for i, n in enumerate(each)]
    assert np.isfinite(dial.lowest_drawn()).all()
    low, high = dial.h()[1]
    assert low < dial.h()[0] < high


def test_where_both_win_nothing_the_gap_may_be_anything():
    """Of 40 pairs that one point won of 40, none is drawn in (39/40)^40 = 36% of draws."""
    dial = made({1.0: 1 / 40, -1.0: 1 / 40})
    dial.points[-1.0]["halves"].reverse()  # it won another opening
    assert np.isnan(dial.gaps_drawn(1.0, -1.0)).mean() == pytest.approx(0.13, abs=0.04)
    assert dial.gap(1.0, -1.0) == (0, (-math.inf, math.inf))
