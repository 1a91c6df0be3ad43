"""Intervals by pairs of games: of a match, and of a player against opponents of known Elo."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from evenmatch.errors import UsageError
from evenmatch.ratings import BradleyTerry, PairingScore, Pentanomial, Score
from evenmatch.ratings.pentanomial import SCORES, anchored_interval, excess, likeliest
from evenmatch.ratings.score import expected_score, normal_quantile


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
        excess([(Pentanomial(tuple(counts)), truth)], normal_quantile(0.95)) <= 0
        for counts in draws.tolist()
    ]
    assert sum(kept) >= 0.93 * 300


@pytest.mark.parametrize("counts", [(3, 5, 9, 4, 2), (0, 0, 8, 1, 1), (0, 0, 0, 0, 12)])
def test_the_interval_ends_where_the_test_rejects(counts):
    score, z = Pentanomial(counts), normal_quantile(0.9)
    low, high = score.interval(0.9)
    assert excess([(score, low + 1e-6)], z) <= 0
    assert excess([(score, low - 1e-6)], z) > 0
    assert high == 1 or (
        excess([(score, high - 1e-6)], z) <= 0 and excess([(score, high + 1e-6)], z) > 0
    )


def test_against_one_opponent_it_is_the_interval_of_the_match():
    pairs = Pentanomial((2, 3, 9, 4, 7))
    low, high = anchored_interval({300.0: pairs}, 300 + pairs.elo)
    expected = pairs.elo_interval()
    assert (low - 300, high - 300) == pytest.approx(tuple(expected), abs=1e-3)


def test_who_won_all_has_no_upper_end():
    low, high = anchored_interval({0.0: Pentanomial((0, 0, 0, 0, 10))}, 500.0)
    assert 0 < low < 500
    assert high == math.inf
    low, high = anchored_interval({0.0: Pentanomial((10, 0, 0, 0, 0))}, -500.0)
    assert low == -math.inf
    assert -500 < high < 0


def test_pairs_that_go_together_say_less():
    apart, together = Pentanomial((0, 0, 20, 0, 0)), Pentanomial((10, 0, 0, 0, 10))
    narrow, wide = (anchored_interval({0.0: x, 100.0: x}, 50.0) for x in (apart, together))
    assert narrow.high - narrow.low < 0.5 * (wide.high - wide.low)


def test_no_interval_without_games():
    with pytest.raises(UsageError, match="play some first"):
        anchored_interval({0.0: Pentanomial()}, 0.0)


@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
def test_coverage_of_the_anchored_interval(together):
    """95% intervals hold the truth in 93% or more of 600 draws.

    At a true coverage of 95% they would not in 2% of runs; the draws are fixed, so none is by luck.
    Whether an interval holds the truth is what the test behind it says of the truth, which is
    seen on the first 10 draws and is forty times faster.
    """
    rng, truth, opponents = np.random.default_rng(5), 120.0, (-200.0, 0.0, 150.0, 300.0, 600.0)
    z, held = normal_quantile(0.95), 0
    for draw in range(600):
        met = {opponent: _pairs(rng, expected_score(truth - opponent), together)
               for opponent in opponents}  # fmt: skip
        means = [(pairs, expected_score(truth - opponent)) for opponent, pairs in met.items()]
        kept = excess(means, z) <= 0
        held += kept
        if draw < 10:
            low, high = anchored_interval(met, _estimate(met))
            assert (low <= truth <= high) == kept
    assert held >= 0.93 * 600


def _pairs(rng, score, together, pairs=10):
    """Draw pairs whose second game repeats the first with a probability."""
    first, second = (rng.random((2, pairs)) < score) * 2 - 1
    second = np.where(rng.random(pairs) < together, first, second)
    return Pentanomial.from_outcomes(zip(first.tolist(), second.tolist(), strict=True))


def _estimate(met):
    anchors = {str(opponent): opponent for opponent in met}
    pairings = []
    for opponent, pairs in met.items():
        wins = round(2 * pairs.pairs * pairs.fraction)
        score = Score(wins=wins, losses=2 * pairs.pairs - wins)
        pairings.append(PairingScore(first="it", second=str(opponent), score=score))
    return BradleyTerry(anchors=anchors).fit(pairings)["it"].elo
