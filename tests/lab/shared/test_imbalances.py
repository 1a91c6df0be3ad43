"""Means of |W - L| by hand, and how far drawn games stray."""

import numpy as np
import pytest

from evenmatch_lab.shared.imbalances import (
    by_sides,
    compared,
    d_in,
    d_per_game,
    drawn_d,
    drawn_mean,
    mean_by_side,
    mean_imbalance,
    mean_in,
    overall,
)

ROWS = {
    "a": {"first": [30, 20, 0], "second": [20, 30, 0], "pairs": [0, 0, 50, 0, 0]},
    "b": {"first": [40, 10, 0], "second": [30, 10, 10], "pairs": [5, 0, 15, 10, 20]},
}


def test_means_by_hand():
    """0 and (70 - 20) / 100 in sum; by side 0.2, 0.2, 0.6 and 0.4."""
    assert mean_imbalance(ROWS) == pytest.approx(0.25)
    assert mean_by_side(ROWS) == pytest.approx(0.35)
    assert d_per_game(ROWS) == pytest.approx((10 + 10 + 30 + 20) / 100)


def test_pairs_are_drawn_whole():
    """Pairs of a win and a loss leave no doubt; as single games they would."""
    pairs = drawn_mean({"a": ROWS["a"]})
    games = drawn_mean({"a": {key: ROWS["a"][key] for key in ("first", "second")}})
    assert pairs.interval == (0, 0)
    assert games.interval.high > 0.15


def test_draws_spread_as_the_pairs_do():
    """Of row b a pair's difference has mean 0.5; the mean of 50 has its deviation / sqrt(50).

    The deviation of 2,000 draws errs by 1.6%; 8% is five times that.
    """
    x, n = np.array([-1, -0.5, 0, 0.5, 1]), np.array(ROWS["b"]["pairs"])
    mean = n @ x / 50
    deviation = np.sqrt(n @ (x - mean) ** 2 / 50 / 50)
    assert drawn_mean({"b": ROWS["b"]}).draws.std() == pytest.approx(deviation, rel=0.08)


def test_the_intervals_of_d_hold_the_value():
    found = drawn_d(ROWS)
    assert found.value == pytest.approx(0.7)
    assert found.interval.low < 0.7 < found.interval.high


def test_the_fewer_games_the_farther_a_mean_strays():
    """Of certain equals it is what equals show; the mean of 2,000 draws errs by 0.4%."""
    certain = {"a": {"first": [10**6, 10**6, 0], "second": [10**6, 10**6, 0]}}
    for games in (100, 1000):
        assert mean_in(certain, games).value == pytest.approx(np.sqrt(2 / np.pi / games), rel=0.06)
    d = d_in(certain, 100)  # half the sum of two sides
    assert d.value == pytest.approx(np.sqrt(2 / np.pi / 50), rel=0.06)


@pytest.mark.parametrize(("uneven", "games"), [(overall, 100), (by_sides, 8)])
def test_tables_of_the_same_chances_are_seldom_told_apart(uneven, games):
    """120 pairs of tables, of which 2.5% should differ by chance; the known one has 100 games.

    At most 12 either way: the chance of more is 1e-5 at 2.5%, 0.2% at 4.3%.
    """
    rng, signs = np.random.default_rng(games), []
    for _ in range(120):
        chances = {name: rng.dirichlet((2, 2, 1), 2) for name in "abcd"}
        known, ours = (
            {
                name: dict(zip(("first", "second"), rng.multinomial(n, p), strict=True))
                for name, p in chances.items()
            }
            for n in (50, games // 2)
        )
        signs.append(compared(ours, known, uneven))
    assert signs.count(1) <= 12
    assert signs.count(-1) <= 12


def test_tables_that_differ_are_told_apart():
    even = {"a": {"first": [25, 25, 0], "second": [25, 25, 0]}}
    lost = {"a": {"first": [1, 49, 0], "second": [1, 49, 0]}}
    assert compared(even, lost, overall) == compared(even, lost, by_sides) == -1
    assert compared(lost, even, overall) == compared(lost, even, by_sides) == 1
    assert compared(even, even, overall) == 0


def test_a_side_each_is_even_in_sum_alone():
    """Who wins all games with one side and loses all with the other is even, but not by side."""
    split = {"a": {"first": [50, 0, 0], "second": [0, 50, 0]}}
    even = {"a": {"first": [25, 25, 0], "second": [25, 25, 0]}}
    assert compared(split, even, by_sides) == 1
    assert compared(split, even, overall) == 0
    assert mean_in(split, 7).value == pytest.approx(1 / 7), "the first side has the odd game"
    assert d_in(split, 7).value == pytest.approx(1.0)
