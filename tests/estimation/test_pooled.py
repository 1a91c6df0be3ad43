"""Ours on made-up games whose ranks are told by what a mean alone does not tell."""

import numpy as np
import pytest
from scipy.stats import norm

from evenmatch.errors import UsageError
from evenmatch.estimation import MoveOutputs, PooledFeatures, Ranks

RANKS = Ranks(lowest=1000, width=200, count=3)


def games(rng, count=300, moves=40, column=lambda rng, rank, n: rng.normal(size=n)):
    """Moves of one score and three logits that say nothing, and a loss; ``count`` games a rank."""
    labels = np.repeat([1, 2, 3], count)
    rows = [
        np.column_stack([column(rng, rank, moves), np.zeros((moves, 3)), rng.random(moves) * 0.1])
        for rank in labels
    ]
    return MoveOutputs(np.vstack(rows).astype(np.float32), np.full(len(labels), moves)), labels


def method():
    return PooledFeatures((0,), (1, 3), losses=4)


def accuracy(pooled, rng, column, number=5):
    """The share told right from so many games, 200 times a rank."""
    moves, labels = games(rng, column=column)
    evidence = pooled.evidence(moves)
    right = []
    for rank in (1, 2, 3):
        drawn = rng.choice(np.nonzero(labels == rank)[0], (200, number))
        right.append((pooled.decide(evidence[drawn].sum(1), RANKS).ranks == rank).mean())
    return np.mean(right)


def test_spread_is_told_though_means_are_the_same():
    def spread(rng, rank, n):
        return rng.normal(scale=0.5 + 0.25 * rank, size=n)

    pooled, rng = method(), np.random.default_rng(0)
    pooled.learn(*games(rng, column=spread), RANKS)
    assert accuracy(pooled, rng, spread) > 0.95


def test_it_is_as_good_as_the_best_for_normal_means():
    """One column, means a deviation of a game's mean apart: 5 games give what is known."""

    def means(rng, rank, n):
        return rng.normal(-0.6 * rank / n**0.5, size=n)

    pooled, rng = method(), np.random.default_rng(1)
    pooled.learn(*games(rng, count=1500, column=means), RANKS)
    reach = norm.cdf(0.3 * 5**0.5)
    # 600 draws stray by 0.02; three of them, and what 1500 games a rank leave open
    assert accuracy(pooled, rng, means) == pytest.approx((2 * reach + 2 * reach - 1) / 3, abs=0.08)


def test_ratings_follow_the_chances():
    pooled, rng = method(), np.random.default_rng(2)
    pooled.learn(*games(rng, column=lambda rng, rank, n: rng.normal(rank, size=n)), RANKS)
    sure = pooled.evidence(games(rng, 1, column=lambda rng, rank, n: rng.normal(rank, size=n))[0])
    verdicts = pooled.decide(sure, RANKS)
    assert verdicts.ranks.tolist() == [1, 2, 3]
    assert verdicts.ratings == pytest.approx([1500, 1300, 1100], abs=20)


def test_games_without_losses_or_moves_count_as_average():
    pooled, rng = method(), np.random.default_rng(3)
    moves, labels = games(rng)
    pooled.learn(moves, labels, RANKS)
    rows = moves.rows.copy()
    rows[: 40 * 10, 4] = np.nan
    evidence = pooled.evidence(MoveOutputs(rows, moves.counts))
    assert np.isfinite(evidence).all()
    nothing = pooled.evidence(MoveOutputs(rows[:0], np.array([0])))
    assert nothing.shape == (1, evidence.shape[1])
    assert np.isfinite(nothing).all()


def test_what_cannot_be_learned():
    with pytest.raises(UsageError, match="call learn"):
        method().evidence(games(np.random.default_rng(0), 2)[0])
    moves, labels = games(np.random.default_rng(0), 3)
    with pytest.raises(UsageError, match="fewer than two games rated 1000-1199"):
        method().learn(moves, np.where(labels == 3, 0, labels), RANKS)
