"""Pairs of games: counts, the likeliest probabilities by a solver of scipy's, and coverage."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from evenmatch.errors import UsageError
from evenmatch.ratings import Pentanomial, Score
from evenmatch.ratings.pentanomial import SCORES, keeps, likeliest
from evenmatch.ratings.score import normal_quantile


def test_pairs_are_counted_add_up_and_turn_round():
    score = Pentanomial.from_outcomes([(1, 1), (1, -1), (-1, 1), (0, 1), (-1, -1), (0, -1)])
    assert score.counts == (1, 1, 2, 1, 1)
    assert score.pairs == 6
    assert score.fraction == pytest.approx(0.5)
    assert (score + Pentanomial((0, 0, 0, 0, 2))).fraction == pytest.approx(5 / 8)
    assert (-Pentanomial((1, 0, 0, 2, 0))).counts == (0, 2, 0, 0, 1)


@pytest.mark.parametrize("pairs", [[(2, 0)], [(0.5, 1)]])
def test_other_outcomes_are_refused(pairs):
    with pytest.raises(UsageError, match="outcomes are"):
        Pentanomial.from_outcomes(pairs)


@pytest.mark.parametrize("counts", [(1, 2, 3), (1, -1, 0, 0, 0)])
def test_other_counts_are_refused(counts):
    with pytest.raises(UsageError, match="five counts"):
        Pentanomial(counts)


@pytest.mark.parametrize(
    ("counts", "mean"),
    [
        ((3, 5, 9, 4, 2), 0.6),
        ((3, 5, 9, 4, 2), 0.3),
        ((0, 0, 4, 1, 0), 0.7),
        ((7, 0, 0, 0, 1), 0.4),
    ],
)
def test_likeliest_probabilities_by_a_general_solver(counts, mean):
    n, x = np.array(counts, float), np.array(SCORES)
    found = minimize(
        lambda p: -np.dot(n, np.log(np.maximum(p, 1e-12))),
        np.full(5, 0.2),
        bounds=[(0, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: np.dot(p, x) - mean},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    p = np.array(likeliest(counts, mean))
    assert p.sum() == pytest.approx(1)
    assert np.dot(p, x) == pytest.approx(mean)
    assert np.dot(n[n > 0], np.log(p[n > 0])) == pytest.approx(-found.fun, abs=1e-5)


def test_a_pair_that_is_always_won_counts_once():
    """100 games won in 50 pairs bound the score as 50 games do, not as 100."""
    pairs = Pentanomial((0, 0, 0, 0, 50))
    games, half = Score(wins=100), Score(wins=50)
    assert pairs.interval().high == 1
    assert half.interval().low < pairs.interval().low < games.interval().low
    assert pairs.elo == pairs.elo_interval().high == math.inf


def test_openings_that_decide_narrow_the_interval():
    """Each side won its games: as even as can be seen, though a game alone says nothing."""
    low, high = Pentanomial((0, 0, 50, 0, 0)).interval()
    wide = Score(wins=50, losses=50).interval()
    assert wide.low < low < 0.5 < high < wide.high
    assert low + high == pytest.approx(1)


def test_nothing_played_bounds_nothing():
    assert Pentanomial().interval() == (0, 1)
    assert math.isnan(Pentanomial().fraction)


def pair_chances(win: float, draw: float, together: float, apart: float) -> np.ndarray:
    """Chances of the five scores: games independent, the same, or one won by either side."""
    one = np.array([(1 - win) * (1 - draw), draw, win * (1 - draw)])
    joint = (1 - together - apart) * np.outer(one, one) + together * np.diag(one)
    joint[0, 2] += apart / 2
    joint[2, 0] += apart / 2
    return np.array([np.trace(joint[::-1], k) for k in range(-2, 3)])


@pytest.mark.parametrize("pairs", [10, 25, 50, 200])
@pytest.mark.parametrize("win", [0.05, 0.3, 0.5])
@pytest.mark.parametrize(("together", "apart"), [(0, 0), (0.7, 0), (0, 0.6)])
def test_coverage(pairs, win, together, apart):
    """At least 93% of 300 tests keep the truth; were it 95%, fewer would in 5% of cases.

    The draws are the same in every run, so the test does not fail by chance.
    """
    chances = pair_chances(win, 0.2, together, apart)
    truth = float(np.dot(chances, SCORES))
    draws = np.random.default_rng(pairs).multinomial(pairs, chances, size=300)
    kept = [
        keeps(Pentanomial(tuple(counts)), truth, normal_quantile(0.95)) for counts in draws.tolist()
    ]
    assert sum(kept) >= 0.93 * 300


@pytest.mark.parametrize("counts", [(3, 5, 9, 4, 2), (0, 0, 8, 1, 1), (0, 0, 0, 0, 12)])
def test_the_interval_ends_where_the_test_rejects(counts):
    score, z = Pentanomial(counts), normal_quantile(0.9)
    low, high = score.interval(0.9)
    assert keeps(score, low + 1e-6, z)
    assert not keeps(score, low - 1e-6, z)
    assert high == 1 or (keeps(score, high - 1e-6, z) and not keeps(score, high + 1e-6, z))
