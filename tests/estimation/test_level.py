"""A level from games in order, beside what normal distributions give exactly."""

import numpy as np
import pytest

from evenmatch.estimation.level import GameSays, level, result_says, shares, spread
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
