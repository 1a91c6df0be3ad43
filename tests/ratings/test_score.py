"""The score in closed form; its interval against Newcombe's formula and by coverage."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.special import xlogy

from evenmatch.errors import UsageError
from evenmatch.ratings import PairingScore, Score, elo_from_score, expected_score
from evenmatch.ratings.score import likeliest_outcomes, normal_quantile

few = settings(max_examples=60)
counts = st.integers(0, 300)
scores = st.builds(Score, wins=counts, losses=counts, draws=counts)


def outcome_probabilities(mean: float, draw_share: float) -> tuple[float, float, float]:
    """Win, draw, loss with that mean, drawing `draw_share` of what the mean allows."""
    draw = draw_share * 2 * min(mean, 1 - mean)
    return mean - draw / 2, draw, 1 - mean - draw / 2


def covers(score: Score, mean: float) -> bool:
    low, high = score.interval()
    return low <= mean <= high


def test_points_and_fraction():
    score = Score(wins=3, losses=1, draws=4)
    assert (score.games, score.points, score.fraction) == (8, 5, 0.625)


def test_counts_outcomes_in_the_players_view():
    assert Score.from_outcomes([1, -1, 0, 1.0, np.float32(-1)]) == Score(wins=2, losses=2, draws=1)
    with pytest.raises(UsageError, match=r"not 0\.5"):
        Score.from_outcomes([1, 0.5])


@pytest.mark.parametrize("bad", [-1, 1.5, "3", None])
def test_refuses_what_is_no_count(bad):
    with pytest.raises(UsageError, match="wins is a whole number"):
        Score(wins=bad)


def test_takes_numpy_counts_as_plain_integers():
    assert type(Score(wins=np.int64(3)).wins) is int


def test_no_games_say_nothing():
    empty = Score()
    assert math.isnan(empty.fraction)
    assert math.isnan(empty.elo)
    assert empty.interval() == (0, 1)
    assert empty.elo_interval() == (-math.inf, math.inf)


def test_a_player_does_not_meet_itself():
    with pytest.raises(UsageError, match="plays itself"):
        PairingScore(first="a", second="a", score=Score(wins=1))


@few
@given(scores, scores)
def test_scores_add_up_and_turn_round(a, b):
    assert (a + b).points == a.points + b.points
    assert (a + b).games == a.games + b.games
    assert (-a).points == a.games - a.points
    assert (-a).wins == a.losses


@pytest.mark.parametrize(("elo", "expected"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11)])
def test_eq_16(elo, expected):
    assert expected_score(elo) == pytest.approx(expected, rel=1e-12)


@few
@given(st.floats(-2000, 2000))
def test_elo_and_score_are_inverse_and_antisymmetric(elo):
    assert elo_from_score(expected_score(elo)) == pytest.approx(elo, abs=1e-6)
    assert expected_score(-elo) == pytest.approx(1 - expected_score(elo), abs=1e-15)


def test_elo_at_the_ends():
    assert expected_score(1e6) == 1
    assert expected_score(-1e6) == 0
    assert elo_from_score(1) == math.inf
    assert elo_from_score(0) == -math.inf
    with pytest.raises(UsageError, match="lies in"):
        elo_from_score(1.01)


def test_elo_of_three_points_in_four_games():
    assert Score(wins=3, losses=1).elo == pytest.approx(400 * math.log10(3))
    assert Score(wins=1, draws=1).elo == pytest.approx(400 * math.log10(3))


@few
@given(scores, st.floats(0.001, 0.999))
def test_likeliest_outcomes_match_a_numerical_maximum(score, mean):
    """Oracle: scipy maximises the log-likelihood over the draw probability."""

    def cost(draw):
        p = np.array([mean - draw / 2, draw, 1 - mean - draw / 2])
        return -xlogy([score.wins, score.draws, score.losses], np.maximum(p, 0)).sum()

    found = likeliest_outcomes(score, mean)
    assert sum(found) == pytest.approx(1, abs=1e-12)
    assert found.win + found.draw / 2 == pytest.approx(mean, abs=1e-12)
    best = optimize.minimize_scalar(
        cost, bounds=(0, 2 * min(mean, 1 - mean)), method="bounded", options={"xatol": 1e-12}
    )
    assert cost(found.draw) <= best.fun + 1e-9 * max(score.games, 1)


@few
@given(counts, counts)
def test_without_draws_it_is_wilsons_interval_with_continuity_correction(wins, losses):
    """Oracle: Newcombe (1998), method 4, in closed form."""
    assume(wins and losses)
    n, p, z = wins + losses, wins / (wins + losses), normal_quantile(0.95)
    low = (2 * n * p + z * z - 1 - z * math.sqrt(z * z - 2 - 1 / n + 4 * p * (n * (1 - p) + 1))) / (
        2 * (n + z * z)
    )
    high = (
        2 * n * p + z * z + 1 + z * math.sqrt(z * z + 2 - 1 / n + 4 * p * (n * (1 - p) - 1))
    ) / (2 * (n + z * z))
    found = Score(wins=wins, losses=losses).interval()
    assert found == pytest.approx((max(low, 0), min(high, 1)), abs=1e-9)


@few
@given(scores)
def test_interval_contains_the_score_and_turns_round(score):
    assume(score.games)
    low, high = score.interval()
    assert 0 <= low <= score.fraction <= high <= 1
    assert low < high
    assert (-score).interval() == pytest.approx((1 - high, 1 - low), abs=1e-12)


@few
@given(scores)
def test_more_confidence_is_wider(score):
    assume(score.games)
    narrow, wide = score.interval(0.8), score.interval(0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@few
@given(scores)
def test_draws_narrow_the_interval(score):
    """Two draws have the points of a win and a loss, and vary less."""
    drawn = score + Score(draws=2)
    decided = score + Score(wins=1, losses=1)
    assert drawn.interval().low >= decided.interval().low - 1e-12
    assert drawn.interval().high <= decided.interval().high + 1e-12


def test_the_ends_are_honest():
    assert Score(wins=100).interval().high == 1
    assert 0.9 < Score(wins=100).interval().low < 0.97  # Clopper-Pearson says 0.964
    assert Score(wins=100).elo_interval().high == math.inf
    assert Score(losses=100).elo_interval().low == -math.inf
    low, high = Score(draws=100).interval()
    assert 0.45 < low < 0.49
    assert 0.51 < high < 0.55
    assert Score(wins=9, draws=1).interval().high == 1


def test_elo_interval_is_the_interval_on_the_elo_scale():
    score = Score(wins=30, losses=20, draws=10)
    expected = [expected_score(end) for end in score.elo_interval(0.9)]
    assert expected == pytest.approx(list(score.interval(0.9)), abs=1e-12)


@pytest.mark.parametrize("confidence", [0, 1, 1.5, math.nan])
def test_refuses_impossible_confidence(confidence):
    with pytest.raises(UsageError, match="confidence lies between"):
        Score(wins=1).interval(confidence)


@pytest.mark.parametrize("games", [1, 2, 5, 12, 25])
def test_coverage_is_exact_to_the_nominal_level(games):
    """Every result of `games` games, weighted by its probability: no randomness, no false alarm."""
    every = [
        Score(wins=w, draws=d, losses=games - w - d)
        for w, d in itertools.product(range(games + 1), repeat=2)
        if w + d <= games
    ]
    triples = [(score.wins, score.draws, score.losses) for score in every]
    ends = np.array([score.interval() for score in every])  # [S, 2]
    for mean, share in itertools.product(
        [0.002, 0.01, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.9, 0.99], [0, 0.1, 0.5, 0.9, 0.999]
    ):
        weights = stats.multinomial(games, outcome_probabilities(mean, share)).pmf(triples)
        assert weights[(ends[:, 0] <= mean) & (mean <= ends[:, 1])].sum() >= 0.95


@pytest.mark.parametrize(("mean", "share"), [(0.5, 0), (0.5, 0.8), (0.02, 0.3), (0.97, 0)])
def test_coverage_of_hundred_game_matches_by_simulation(mean, share):
    """2000 matches; with coverage 95 % or more it fails for at most 1 seed in a million."""
    rng = np.random.default_rng(20)
    drawn = rng.multinomial(100, outcome_probabilities(mean, share), size=2000)
    results, times = np.unique(drawn, axis=0, return_counts=True)
    covered = sum(
        count
        for (wins, draws, losses), count in zip(results, times, strict=True)
        if covers(Score(wins=wins, draws=draws, losses=losses), mean)
    )
    assert covered >= stats.binom.ppf(1e-6, 2000, 0.95)
    assert covered <= 1999 or min(mean, 1 - mean) < 0.05  # honest, not vacuous
