"""Ours on made-up games whose ranks are told by what a mean alone does not tell."""

from copy import copy

import numpy as np
import pytest
from scipy.stats import norm

from evenmatch.errors import UsageError
from evenmatch.estimation import MoveFeatures, PooledFeatures, Ranks
from evenmatch.estimation.pooled import Evals, move_numbers, shifted
from evenmatch.network.card import rank_logits
from evenmatch.records.record import Speed
from evenmatch.workshop.fitting import pooled_fit
from evenmatch.workshop.fitting.pooled_fit import learn, learn_made

RANKS = Ranks(lowest=1000, width=200, count=3)
pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(pooled_fit, "EPOCHS", 16)


def games(rng, count=300, moves=40, column=lambda rng, rating, n: rng.normal(size=n)):
    """``count`` games a rank whose scores follow ``column``; the rest is noise or nothing."""
    ratings = np.concatenate([rng.uniform(low, low + 200, count) for low in (1400, 1200, 1000)])
    scores = np.concatenate([column(rng, rating, moves) for rating in ratings])
    n = len(scores)
    columns = {
        "strength": np.column_stack([scores, np.zeros((n, 4))]),
        "likelihood": np.zeros((n, 3)),
        "entropy": np.zeros((n, 3)),
        "choice": np.zeros((n, 2)),
        "value": rng.normal(size=(n, 2)) * 0.1,
        "evals": rng.normal(size=(n, 2)) * 50,
    }
    counts = np.full(len(ratings), moves)
    return MoveFeatures({k: v.astype(np.float32) for k, v in columns.items()}, counts), ratings


def learned(rng, column, count=300, **settings):
    moves, ratings = games(rng, count, column=column)
    pooled = PooledFeatures(0, RANKS, **settings)
    learn(pooled, moves, ratings, np.full(len(ratings), -1))
    return pooled


def accuracy(pooled, rng, column, number=5):
    """The share told right from so many games, 200 times a rank."""
    moves, ratings = games(rng, column=column)
    evidence, labels = pooled.evidence(moves), RANKS.of(ratings)
    right = []
    for rank in (1, 2, 3):
        drawn = rng.choice(np.nonzero(labels == rank)[0], (200, number))
        right.append((pooled.decide(evidence[drawn].sum(1)).ranks == rank).mean())
    return np.mean(right)


def rank_of(rating):
    return RANKS.of(rating)


def test_spread_is_told_though_means_are_the_same(monkeypatch):
    monkeypatch.setattr(pooled_fit, "EPOCHS", 32)

    def spread(rng, rating, n):
        return rng.normal(scale=0.5 + 0.25 * rank_of(rating), size=n)

    rng = np.random.default_rng(0)
    assert accuracy(learned(rng, spread), rng, spread) > 0.9


def test_it_is_nearly_as_good_as_the_best_for_normal_means():
    """One column, means a deviation of a game's mean apart: 5 games give what is known."""

    def means(rng, rating, n):
        return rng.normal(-0.6 * rank_of(rating) / n**0.5, size=n)

    rng = np.random.default_rng(1)
    reach = norm.cdf(0.3 * 5**0.5)
    best = (2 * reach + 2 * reach - 1) / 3
    # 600 draws stray by 0.02; three of them, and what a smooth curve misses of three steps
    assert accuracy(learned(rng, means, 400), rng, means) == pytest.approx(best, abs=0.08)


def linear(rng, rating, n):
    return rng.normal(rating / 100, size=n)


@pytest.fixture(scope="module")
def straight():
    """What was learned of games whose mean score is a line in the rating; not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled_fit, "EPOCHS", 16)
        return learned(np.random.default_rng(2), linear)


def test_ratings_between_those_learned_are_told(straight):
    rng, pooled = np.random.default_rng(9), straight
    moves, ratings = games(rng, 30, column=linear)
    verdicts = pooled.decide(pooled.evidence(moves))
    off = verdicts.ratings - ratings
    assert np.sqrt((off**2).mean()) < 30  # a game's mean strays by 100 / sqrt(40) = 16
    low, high = verdicts.intervals.T
    held = ((low <= ratings) & (ratings <= high)).mean()
    assert held > 0.85  # 95% of 90: below 85% with a chance of 1e-4


def test_games_of_one_person_say_less():
    """Every person has a bias as large as the noise of a game: many games leave it."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(450), 4)
    bias = rng.normal(scale=0.16, size=450)[people]

    def biased(rng, rating, n):
        return rng.normal(rating / 100 + bias[next(number)], size=n)

    number = iter(range(10**6))
    moves, ratings = games(rng, 600, column=biased)
    pooled = PooledFeatures(0, RANKS)
    learn(pooled, moves, ratings, people)
    # half of a game's score is the person's; features that were learned have noise of their own
    assert 0.25 < pooled.models[Evals.RECORDED][0].curve.correlation < 0.6
    once = pooled.evidence(moves)[:1]
    alone, many, people = (
        float(np.ptp(pooled.decide(n * once, one_player=one).intervals))
        for n, one in ((1, True), (100, True), (100, False))
    )
    assert 0.5 * alone < many < alone, "a hundred games like it are worth two"
    assert people < 0.5 * many
    nothing = np.zeros_like(once)
    assert pooled.decide(once + 9 * nothing, one_player=True).ratings == pytest.approx(
        pooled.decide(once, one_player=True).ratings
    )


def test_many_people_are_of_the_rank_whose_mean_rating_is_likeliest(straight):
    """Those of the highest rank are mostly at its lower end, and so are their games together."""
    pooled = copy(straight)
    pooled.centres = RANKS.middle(np.arange(1, 1 + RANKS.count)).astype(float)
    pooled.centres[0] -= 0.4 * RANKS.width
    top = RANKS.highest - RANKS.width
    peak = -(((pooled.grid - (top - 0.1 * RANKS.width)) / 10) ** 2)  # just below the highest rank
    evidence = np.append(peak, 1.0)[None]
    assert pooled.decide(evidence, one_player=True).ranks == 2
    assert pooled.decide(evidence).ranks == 1


def test_games_without_moves_say_nothing(straight):
    pooled = straight
    moves, _ = games(np.random.default_rng(4), 1, column=linear)
    nothing = MoveFeatures({k: v[:0] for k, v in moves.columns.items()}, np.array([0]))
    evidence = pooled.evidence(nothing)
    assert not evidence.any()
    assert np.isfinite(pooled.decide(evidence).ratings).all()


def by_evals(rng, count):
    """Games whose evaluations alone tell the rating: weaker players lose more."""
    moves, ratings = games(rng, count)
    lost = rng.exponential(2000 - np.repeat(ratings, 40)) * 0.2
    evals = np.stack([np.zeros_like(lost), -lost], 1).astype(np.float32)
    return moves._replace(columns=moves.columns | {"evals": evals}), ratings


def test_games_with_and_without_evals_are_judged_apart():
    """What is asked of games without them is what a method says that never heard of them."""
    rng = np.random.default_rng(7)
    both, none = PooledFeatures(0, RANKS), PooledFeatures(0, RANKS, evals=False)
    moves, ratings = by_evals(rng, 300)
    for method in (both, none):
        learn(method, moves, ratings, np.full(len(ratings), -1))
    query, truth = by_evals(rng, 20)
    query.columns["evals"][: 40 * 30] = np.nan  # of 60 games
    found, plain = both.evidence(query), none.evidence(query)
    assert found[:30] == pytest.approx(plain[:30])
    off = both.decide(found[30:]).ratings - truth[30:]
    blind = both.decide(found[:30]).ratings - truth[:30]
    assert np.abs(off).mean() < 0.8 * np.abs(blind).mean()


def test_evals_count_only_where_they_may():
    moves, _ = games(np.random.default_rng(5), 2)
    with_evals, without = (
        move_numbers(moves, rank_logits(0, RANKS.count), evals) for evals in (True, False)
    )
    assert (with_evals[:, : without.shape[1]] == without).all()
    assert with_evals.shape[1] == without.shape[1] + 12


def test_what_cannot_be_learned():
    pooled, rng = PooledFeatures(0, RANKS), np.random.default_rng(6)
    moves, ratings = games(rng, 3)
    with pytest.raises(UsageError, match="call learn"):
        pooled.evidence(moves)
    with pytest.raises(
        UsageError, match="fewer than 2 games of each half of the people rated 1000-1199"
    ):
        learn(pooled, moves, np.maximum(ratings, 1200), np.full(9, -1))


def test_games_of_a_speed_that_look_stronger_say_less():
    """By hand: what was said of a rating is said of one 200 lower; the one that counts stays."""
    grid = np.arange(1000.0, 1601, 100)
    says = -np.abs(grid - 1400)
    evidence = np.stack([np.append(says, 1.0), np.append(says, 0.0)])
    moved = shifted(evidence, grid, np.array([200.0, 0.0]))
    assert grid[moved[0, :-1].argmax()] == 1200
    assert moved[0, :-1].tolist() == [-200, -100, 0, -100, -200, -200, -200]
    assert moved[1].tolist() == evidence[1].tolist()
    assert moved[:, -1].tolist() == [1, 0]


def test_only_speeds_with_a_shift_are_shifted():
    pooled = PooledFeatures(0, RANKS)
    evidence = np.append(-np.abs(pooled.grid - 1410), 1.0)[None].repeat(3, 0)
    speeds = [Speed.blitz, Speed.rapid, Speed.unknown]
    assert pooled.at_speeds(evidence, speeds) is evidence
    pooled.shifts = {"blitz": 100}
    found = pooled.grid[pooled.at_speeds(evidence, speeds)[:, :-1].argmax(1)]
    assert found.tolist() == [1310, 1410, 1410]


def test_nothing_is_shifted_where_there_are_no_games():
    assert shifted(np.zeros((0, 8)), np.arange(7.0), np.zeros(0)).shape == (0, 8)


def test_evaluations_made_here_are_judged_by_models_of_their_own():
    """By those that were made here the strongest lose most, by those recorded the weakest."""

    def told(*lost):
        moves, ratings = games(rng, 150)
        drops = np.array(lost)[moves.games // 150]  # of the ranks, the strongest first
        moves.columns["evals"][:, 1] = moves.columns["evals"][:, 0] - drops
        return moves, ratings

    rng = np.random.default_rng(7)
    recorded, ratings = told(0.0, 100.0, 200.0)
    made, _ = told(200.0, 100.0, 0.0)
    nobody = np.full(len(ratings), -1)
    pooled = PooledFeatures(0, RANKS)
    learn(pooled, recorded, ratings, nobody)
    marked = made._replace(columns=made.columns | {"made": np.ones((made.moves, 1), np.float32)})
    foolish = pooled.evidence(marked)
    assert foolish == pytest.approx(pooled.evidence(made)), "judged as recorded, for want of others"
    learn_made(pooled, marked, ratings, nobody)

    def off(moves):
        return np.abs(pooled.decide(pooled.evidence(moves)).ratings - ratings).mean()

    assert off(recorded) < 100 < 200 < off(made)
    assert off(marked) < 100
    bare = marked.columns | {"evals": np.full((made.moves, 2), np.nan, np.float32)}
    blind = pooled.evidence(marked._replace(columns=bare))
    pooled.models.pop(Evals.MADE)
    assert (
        blind == pooled.evidence(made._replace(columns=made.columns | {"evals": bare["evals"]}))
    ).all()
    with pytest.raises(UsageError, match="fewer than 2 games"):
        learn_made(pooled, made._replace(columns=bare), ratings, nobody)


def test_among_fewer_ranks_the_others_are_not_told(straight):
    rng, pooled = np.random.default_rng(8), straight
    upper = pooled.among(Ranks(lowest=1200, width=200, count=2))
    moves, _ = games(rng, 20, column=linear)
    whole, part = pooled.evidence(moves), upper.evidence(moves)
    assert (part == whole[:, 10:]).all(), "the same is said of ratings that can be told"
    assert set(pooled.decide(whole).ranks) == {1, 2, 3}
    assert set(upper.decide(part).ranks) == set(upper.decide(part, one_player=True).ranks) == {1, 2}
    assert upper.decide(part).ratings.min() > 1200
