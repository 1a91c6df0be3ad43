"""The level by games in order, and the offset of results."""

import numpy as np
import pytest

from evenmatch.estimation.level import (
    CHANGE,
    OFFSET_SPREAD,
    OFFSETS,
    GameSays,
    level,
    result_says,
    results_offset,
    shares,
    spread,
)
from evenmatch.ratings import expected_score
from evenmatch.ratings.belief import Belief

GRID = np.arange(0.0, 4000.0, 10.0)


def normal(mean, deviation):
    return -((GRID - mean) ** 2) / (2 * deviation**2)


def moments(belief):
    chances = belief.probabilities
    mean = chances @ GRID
    return mean, np.sqrt(chances @ (GRID - mean) ** 2)


def test_moves_of_independent_games_add_up():
    """Precisions add: two games of deviation 200 are one of 141."""
    games = [GameSays(0, normal(1400, 200)), GameSays(0, normal(1600, 200))]
    mean, deviation = moments(level(GRID, games, 0, correlation=0))
    assert mean == pytest.approx(1500)
    assert deviation == pytest.approx(200 / np.sqrt(2), rel=1e-3)


def test_games_of_one_person_are_worth_less():
    """n games are worth n / (1 + k (n - 1)), as for `PooledFeatures.decide`."""
    games = [GameSays(0, normal(1500, 200))] * 10
    _, deviation = moments(level(GRID, games, 0, correlation=0.2))
    assert deviation == pytest.approx(200 / np.sqrt(10 / (1 + 0.2 * 9)), rel=1e-3)


def test_however_many_games_there_are_some_play_unlike_others():
    """Variances add: what moves say for sure is as unsure as people differ; results stay."""
    games = [GameSays(0, normal(1500, 100))] * 1000
    mean, deviation = moments(level(GRID, games, 0, correlation=0, unlike=300))
    assert mean == pytest.approx(1500, abs=0.1)
    assert deviation == pytest.approx(np.sqrt(300**2 + 100**2 / 1000), rel=1e-3)
    known = [one._replace(result=normal(2000, 200)) for one in games[:1]]
    mean, _ = moments(level(GRID, known, 0, correlation=0, unlike=300))
    spread_out = 300**2 + 100**2
    assert mean == pytest.approx((1500 * 200**2 + 2000 * spread_out) / (200**2 + spread_out), abs=1)


def test_evidence_is_flat_beyond_the_ends_of_the_grid():
    """Moves cannot tell how much stronger somebody is than the strongest."""
    grid = np.arange(0.0, 1000.0, 25.0)
    np.testing.assert_allclose(spread(grid, np.zeros(40), 300.0), 0, atol=1e-12)
    risen = spread(grid, np.linspace(0, 8, 40), 100.0)
    assert (np.diff(risen) > 0).all()


def test_one_game_says_what_it_says():
    """Whatever its shape, and however alike games are."""
    says = np.where(GRID < 1500, -3.0, -np.abs(GRID - 1800) / 100)
    found = level(GRID, [GameSays(0, says)], 0, correlation=0.3)
    assert np.allclose(found.log_weights, says - says.max())


def test_shares_without_drift():
    """As of an intraclass correlation; the surer of two pieces counts no more by its number."""
    assert shares([0] * 10, np.full(10, 4.0), 0, 0.2, 0) == pytest.approx(1 / (1 + 0.2 * 9))
    assert shares([0, 1], np.array([1.0, 9.0]), 5, 0.0, 0) == pytest.approx([1, 1])
    assert shares([], np.zeros(0), 5, 0.2, 1).tolist() == []


def test_old_games_say_less_as_a_random_walk_has_it():
    """After d days the variance is v + q d."""
    games = [GameSays(10, normal(1500, 200))]
    _, deviation = moments(level(GRID, games, 110, correlation=0, drift=50))
    assert deviation == pytest.approx(np.sqrt(200**2 + 50 * 100), rel=1e-3)


def test_who_changed_is_found_at_the_new_level():
    old = [GameSays(day, normal(1200, 200)) for day in range(10)]
    new = [GameSays(1000 + day, normal(1800, 200)) for day in range(10)]
    still, moved = (
        moments(level(GRID, old + new, 1010, correlation=0, drift=drift))[0] for drift in (0, 60)
    )
    assert still == pytest.approx(1500)
    assert moved > 1600


def kalman(games, day, k, drift, unlike=0.0):
    """The level by a filter of two numbers, the rating and what games have in common."""
    each = len(games) / sum(1 / deviation**2 for _, _, deviation in games)
    mean, covariance, now = np.zeros(2), np.diag([1e12, k * each + unlike**2]), games[0][0]
    for when, told, deviation in games:
        covariance[0, 0] += drift * (when - now)
        now, both = when, np.ones(2)
        gain = covariance @ both / (both @ covariance @ both + (1 - k) * deviation**2)
        mean = mean + gain * (told - both @ mean)
        covariance = covariance - np.outer(gain, both) @ covariance
    return mean[0], np.sqrt(covariance[0, 0] + drift * (day - now))


@pytest.mark.parametrize(
    "games",
    [
        [(0, 1500, 200)] * 100,
        [(0, 1300, 200)] * 60 + [(730, 2000, 200)] * 20,
        [(3 * n, 1400 + 10 * n, 150 + 20 * (n % 5)) for n in range(40)],
        [(0, 1700, 300), (0.1, 1500, 300), (40, 1900, 120)],
    ],
)
def test_the_level_is_that_of_kalman_s_filter(games):
    """With games that are alike, unequal numbers of them, and years between."""
    known = [GameSays(day, normal(told, deviation)) for day, told, deviation in games]
    for later in (0, 400):
        day = games[-1][0] + later
        mean, deviation = moments(level(GRID, known, day, correlation=0.2, drift=60, unlike=50))
        exact = kalman(games, day, 0.2, 60, 50)
        assert mean == pytest.approx(exact[0], abs=0.5)
        assert deviation == pytest.approx(exact[1], rel=2e-3)


@pytest.mark.parametrize("opponent", [1000, 1500, 2200])
def test_a_result_is_as_likely_as_the_expected_score(opponent):
    """Of an opponent whose rating is exactly known."""
    expected = np.array([expected_score(rating - opponent) for rating in GRID])
    assert np.allclose(np.exp(result_says(GRID, opponent, 1, 0)), expected)
    assert np.allclose(np.exp(result_says(GRID, opponent, 0, 0)), 1 - expected)
    draw = result_says(GRID, opponent, 0.5, 0)
    assert GRID[draw.argmax()] == opponent


def test_an_opponent_that_is_not_exactly_known_says_less():
    """Glickman 1999, section 'An example': g of deviations 30, 100 and 300."""
    for deviation, g in ((30, 0.9955), (100, 0.9531), (300, 0.7242)):
        slope = np.diff(np.exp(result_says(GRID, 2000, 1, deviation)))[199:201].mean()
        exact = np.diff(np.exp(result_says(GRID, 2000, 1, 0)))[199:201].mean()
        assert slope / exact == pytest.approx(g, abs=2e-4)


def test_results_bound_a_level_from_both_sides():
    games = [GameSays(0, result=result_says(GRID, 1500, points)) for points in (1, 0) * 10]
    alone = level(GRID, games, 0, correlation=0.5, of_results=0)
    alike = level(GRID, games, 0, correlation=0.5, of_results=0.1)
    assert alone.mean == pytest.approx(1500, abs=5)
    assert np.ptp(alone.interval()) < 400
    assert np.ptp(alone.interval()) < np.ptp(alike.interval()) < 700
    assert np.allclose(alike.log_weights, alone.log_weights / (1 + 0.1 * 19))


def test_without_games_the_prior_is_believed():
    prior = normal(1300, 300)
    assert np.allclose(
        level(GRID, [], 0, correlation=0.1, prior=prior).probabilities,
        Belief(GRID, prior).probabilities,
    )


def test_nothing_is_known_before_the_first_result():
    assert results_offset(1500.0, []).mean == pytest.approx(0.0, abs=1e-6)


def test_results_as_expected_change_nothing():
    assert results_offset(1500.0, [(1500.0, 0.5)] * 20).mean == pytest.approx(0.0, abs=1e-6)


def test_one_result_moves_it_a_little_and_many_more():
    lost = [results_offset(1500.0, [(1500.0, 0.0)] * games).mean for games in (1, 3, 10)]
    assert 0 > lost[0] > -OFFSET_SPREAD
    assert lost[0] > lost[1] > lost[2] > OFFSETS[0]


def test_wins_and_losses_are_alike():
    assert results_offset(1500.0, [(1600.0, 1.0)]).mean == pytest.approx(
        -results_offset(1500.0, [(1400.0, 0.0)]).mean
    )


def test_it_is_the_mean_of_the_posterior_by_hand():
    """A loss, a random step and a draw, summed over the grid as Bayes has it."""
    chances = 1 / (1 + (OFFSETS / 300) ** 2)
    expected = np.array([expected_score(1400.0 + x - 1500.0) for x in OFFSETS])
    chances *= 1 - expected
    steps = np.exp(-(((OFFSETS[:, None] - OFFSETS) / CHANGE) ** 2) / 2)
    chances = steps @ chances * np.sqrt(expected * (1 - expected))
    by_hand = float(chances @ OFFSETS / chances.sum())
    assert results_offset(1400.0, [(1500.0, 0.0), (1500.0, 0.5)]).mean == pytest.approx(
        by_hand, abs=3
    )


def test_it_is_the_integral_over_student_s_t_with_one_degree():
    """A draw with a weaker player, in steps of 0.1 Elo with nothing of the module's own."""
    elo = np.arange(-1500, 1500.05, 0.1)
    density = 1 / (np.pi * 300 * (1 + (elo / 300) ** 2))
    won = 1 / (1 + 10 ** ((1500 - 1600 - elo) / 400))
    weights = density * np.sqrt(won * (1 - won))
    wanted = float(np.trapezoid(weights * elo, elo) / np.trapezoid(weights, elo))
    assert results_offset(1600.0, [(1500.0, 0.5)]).mean == pytest.approx(wanted, abs=1)


def test_a_player_that_improves_is_followed():
    """By 300 Elo in 20 games: the opponent is within 100 at the end."""
    results, level = [], 1500.0
    for game in range(20):
        rating = level + results_offset(level, results).mean
        results.append((rating, float(expected_score(level + 15 * game - rating))))
    assert level + results_offset(level, results).mean > level + 300 - 100


def test_ten_losses_overrule_what_moves_say():
    """Moves of programs mislead by up to 650 Elo; so much is believed within ten games."""
    assert results_offset(1500.0, [(1500.0, 0.0)] * 10).mean < -650


@pytest.mark.parametrize("gap", [-600, -300, 0, 300, 600])
def test_in_the_long_run_the_opponent_is_as_strong(gap):
    """Points as they are expected, of a person whose results are ``gap`` from their level."""
    results, level = [], 1500.0
    for _ in range(40):
        rating = level + results_offset(level, results).mean
        results.append((rating, float(expected_score(level + gap - rating))))
    assert level + results_offset(level, results).mean == pytest.approx(level + gap, abs=60)
