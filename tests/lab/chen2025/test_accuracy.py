"""The protocol on made-up games whose accuracy can be worked out."""

import numpy as np
import pytest
from scipy.stats import norm

from evenmatch.errors import UsageError
from evenmatch.estimation import NearestScore, Ranks, SummedChances
from evenmatch_lab.chen2025.accuracy import measure

RANKS = Ranks(lowest=1000, width=200, count=4)
TARGETS = np.array([3.0, 2.0, 1.0, 0.0])


def query(games=4000, seed=0):
    """Games whose scores are their rank's target and normal noise of deviation 1."""
    labels = np.repeat(np.arange(1, 5), games)
    scores = np.random.default_rng(seed).normal(TARGETS[labels - 1], 1.0)
    return labels, RANKS.middle(labels), scores


def told(scores):
    """The method that knows the targets, and evidence of one move per game."""
    method = NearestScore(0, RANKS)
    method.targets = TARGETS
    return method, np.column_stack([scores, np.ones(len(scores))])


def test_accuracy_is_what_normal_noise_gives():
    """500 repeats of 4 ranks: a share strays by at most 0.0224 (s.d.), five of them 0.11."""
    labels, ratings, scores = query()
    for found in measure(*told(scores), labels, ratings, (1, 4, 16)):
        reach = norm.cdf(0.5 * found.games**0.5)  # a bound half a target away
        wanted = [reach, 2 * reach - 1, 2 * reach - 1, reach]
        assert found.by_rank == pytest.approx(wanted, abs=0.11)
        assert found.exact == pytest.approx(np.mean(wanted), abs=0.06)
        assert found.confusion.sum() == 4 * 500


def test_a_neighbour_is_within_one():
    labels, ratings, _ = query(10)
    neighbours = np.where(labels == 4, 3, labels + 1)
    evidence = np.eye(4)[neighbours - 1]
    (found,) = measure(
        SummedChances(slice(0, 4), RANKS), evidence, labels, ratings, (1,), repeats=20
    )
    assert found.exact == 0
    assert found.within_one == 1
    assert found.error == pytest.approx(200)


def test_a_rank_without_games():
    labels, ratings, scores = query(5)
    with pytest.raises(UsageError, match="rated 1600-1799"):
        measure(*told(scores), np.where(labels == 1, 0, labels), ratings, (1,))
