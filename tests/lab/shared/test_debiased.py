"""A debiased root mean square, by simulated tables whose truth is known."""

import numpy as np
import pytest

from evenmatch_lab.shared.debiased import differences, equals, rms


def tables(truth, count, units, games, drawn=0.0, spread=0.0, seed=1):
    """``count`` simulated tables: of each opponent the scores of its units, [units].

    ``truth`` [K] are expected scores; ``spread`` is the standard deviation of a unit's own.
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        own = np.clip(
            np.array(truth)[:, None] + spread * rng.normal(size=(len(truth), units)), 0, 1
        )
        decided = rng.binomial(games, 1 - drawn, own.shape)
        yield list((rng.binomial(decided, own) + (games - decided) / 2) / games)


@pytest.mark.parametrize(("units", "games", "drawn"), [(30, 2, 0.0), (5, 20, 0.0), (5, 15, 0.5)])
def test_fair_coins_have_a_mean_of_0(units, games, drawn):
    """Twenty opponents of equal strength: the square is 0 on average, whatever the draws."""
    found = [differences(one).mean() for one in tables([0.5] * 20, 400, units, games, drawn)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))


@pytest.mark.parametrize(("units", "games"), [(30, 2), (5, 20)])
def test_fair_coins_are_called_uneven_seldom(units, games):
    """The interval of equals leaves out 0 in at most 2.5% of tables; 100 tables, 3 deviations."""
    lows = [
        rms(one, seed=k).squares.low for k, one in enumerate(tables([0.5] * 20, 100, units, games))
    ]
    assert np.mean(np.array(lows) > 0) <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 100)


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_intervals_contain_the_truth(spread):
    """Expected scores 0.35 to 0.65; units that vary more than their games count as units."""
    truth = np.linspace(0.35, 0.65, 12)
    square = np.mean((truth - 0.5) ** 2)
    found = [rms(one, seed=k) for k, one in enumerate(tables(truth, 200, 5, 20, spread=spread))]
    inside = [one.squares.low <= square <= one.squares.high for one in found]
    assert np.mean(inside) >= 0.9
    error = np.array([one.square for one in found]) - square
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(len(error))


def test_games_that_depend_on_each_other_within_a_unit_are_no_evidence():
    """A unit of twenty games that are all won or all lost is one coin."""
    rng = np.random.default_rng(3)
    lows = [
        rms(list(rng.integers(0, 2, (20, 10)).astype(float)), seed=k).squares.low
        for k in range(100)
    ]
    assert np.mean(np.array(lows) > 0) <= 0.08


def test_a_square_below_0_is_shown_as_0():
    even = rms([np.array([0.0, 1.0, 0.0, 1.0])] * 3)
    assert even.square == pytest.approx(-1 / 12)
    assert even.value == 0
    assert even.text().startswith("0.00 (0.00 to ")
    assert even.text().endswith("its square -0.083)")


def test_one_who_always_wins_is_half_away():
    assert rms([np.ones(5)] * 4).text() == "0.50 (0.50 to 0.50)"


def test_over_opponents_one_that_stands_out_counts():
    units = [np.full(5, 0.5)] * 9 + [np.ones(5)]
    found = rms(units)
    assert found.squares.low == found.squares.high == pytest.approx(0.025)
    assert found.spread.low < 0.01 < 0.05 < found.spread.high


def test_equals_who_draw_show_less():
    """Without draws sqrt(2 / (pi n)); half of the games drawn: by sqrt(1/2) of that."""
    never = equals([(50, 2)] * 20, [0.0] * 20)
    often = equals([(50, 2)] * 20, [0.5] * 20)
    assert never.imbalance == pytest.approx(np.sqrt(2 / (np.pi * 100)), rel=0.03)
    assert often.imbalance == pytest.approx(never.imbalance / np.sqrt(2), rel=0.03)
    assert often.rms < never.rms < 0.04


def test_equals_stay_below_what_chance_reaches():
    """In 95% of tables; 400 tables, 3 deviations."""
    most = equals([(5, 20)] * 20, [0.2] * 20).rms ** 2
    found = [differences(one).mean() for one in tables([0.5] * 20, 400, 5, 20, drawn=0.2)]
    assert np.mean(np.array(found) > most) == pytest.approx(0.05, abs=0.033)
