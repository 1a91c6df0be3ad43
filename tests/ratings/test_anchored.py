"""A player's Elo by pairs of games: against one opponent, where games repeat, and coverage."""

import math

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.ratings import BradleyTerry, PairingScore, Pentanomial, Score
from evenmatch.ratings.anchored import anchored_interval, keeps
from evenmatch.ratings.score import expected_score, normal_quantile


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


def test_without_games():
    with pytest.raises(UsageError, match="play some first"):
        anchored_interval({0.0: Pentanomial()}, 0.0)


@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
def test_coverage(together):
    """95% intervals hold the truth in 93% or more of 600 draws.

    At a true coverage of 95% they would not in 2% of runs; the draws are fixed, so none is by luck.
    Whether an interval holds the truth is what the test behind it says of the truth, which is
    seen on the first 30 draws and is forty times faster.
    """
    rng, truth, opponents = np.random.default_rng(5), 120.0, (-200.0, 0.0, 150.0, 300.0, 600.0)
    z, held = normal_quantile(0.95), 0
    for draw in range(600):
        met = {opponent: _pairs(rng, expected_score(truth - opponent), together)
               for opponent in opponents}  # fmt: skip
        kept = keeps(met, truth, z)
        held += kept
        if draw < 30:
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
