"""How far made-up points are from eq. 15."""

import numpy as np
import pytest
from parts_of_a_dial import dial as made

from evenmatch_lab.wu2019 import prediction
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z

SHAPE = {z: 1 / (1 + np.exp(1.2 * z)) for z in LINEAR}


def on_the_curve(gap):
    return {z: -gap * share for z, share in SHAPE.items()} | {INF: 0.0, -INF: -gap}


def test_points_on_the_curve_have_no_error():
    assert prediction.errors(on_the_curve(900.0), SHAPE) == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_shift_is_the_ends_and_vanishes_where_these_are_fitted():
    elo = {z: x - (100 if abs(z) <= 2 else 0) for z, x in on_the_curve(900.0).items()}
    assert prediction.errors(elo, SHAPE) == pytest.approx((-100, 100, 0), abs=1e-9)


def test_the_papers_own_error_from_what_it_prints():
    """It says 40.45; its E_norm is known to 10.5 Elo only, by its logistic curve."""
    found = prediction.errors(prediction.paper_elo(), prediction.paper_shape())
    assert found.pinned == pytest.approx(40.45, abs=10.51)


def units(counts):
    return dict.fromkeys(Z, counts)


def test_chance_makes_smaller_errors_with_more_games():
    """Standard errors: 2% of a mean by 2,000 experiments of few games, 2% of one of many."""
    few, many = (prediction.by_chance(SHAPE, 900.0, units([n, 0, 0, 0, n])) for n in (125, 12_500))
    assert few.shape == (prediction.SIMULATED, 3)
    assert many[:, 1].mean() == pytest.approx(few[:, 1].mean() / 10, rel=0.25)
    assert abs(many[:, 0].mean()) < 1  # the curve itself is where points lie


def test_chance_errs_by_how_pairs_vary():
    """Pairs of one win each vary half as much, in variance, if half of all are such pairs."""
    whole, split = (
        prediction.by_chance(SHAPE, 300.0, units(counts))
        for counts in ([5000, 0, 0, 0, 5000], [2500, 0, 5000, 0, 2500])
    )
    assert split[:, 1].mean() / whole[:, 1].mean() == pytest.approx(0.5**0.5, rel=0.1)


def test_steps_add_up_from_the_one_named_to_the_next():
    steps = {INF: 100.0, 0.0: 300.0}
    assert prediction.added_up(steps) == {INF: 100.0, 0.0: 0.0, -INF: -300.0}


def test_a_power_mean_of_equal_moves_has_e_norms_shape():
    """The made-up powers are e^(k E_norm), as where all candidates have the same visits."""
    dial = made(dict.fromkeys(Z, 0.5))
    for power in (-2.0, 1.0):
        assert prediction.powered(dial, power) == pytest.approx(dial.shape())
    assert prediction.at_own_positions(dial) == pytest.approx(dial.shape())
