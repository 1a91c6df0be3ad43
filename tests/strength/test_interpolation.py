"""Numbers of ratings in between."""

import pytest

from evenmatch.strength.interpolation import number_at, row_at
from evenmatch.strength.regularized import Level
from evenmatch.strength.theta import Theta


@pytest.mark.parametrize(
    ("rating", "line", "of_logs"), [(900, 1, 1), (1000, 1, 1), (1500, 2.5, 2), (3000, 4, 4)]
)
def test_numbers_lie_in_a_line(rating, line, of_logs):
    table = {2000: 4.0, 1000: 1.0}
    assert number_at(table, rating) == pytest.approx(line)
    assert number_at(table, rating, logs=True) == pytest.approx(of_logs)


def test_numbers_below_zero_lie_in_a_line_too():
    assert number_at({1000: -1.0, 2000: 3.0}, 1250) == 0


def test_rows_lie_between_their_neighbours():
    level = row_at({2000: Level(0.4, 0.25, 400), 1000: Level(0.1, 1.0, 100)}, 1500)
    assert (level.lam, level.t, level.simulations) == pytest.approx((0.2, 0.5, 200))
    one, two = Theta(0.5, 1.0, 1.0), Theta(2.0, 1.0, 4.0)
    thetas = {1800.0: two, 1400.0: one}
    assert row_at(thetas, 1000) == one
    assert row_at(thetas, 2400) == two
    assert row_at(thetas, 1600).values == pytest.approx((1.0, 1.0, 2.0))
