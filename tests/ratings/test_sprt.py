"""The test's evidence against a numerical maximum, its symmetries, and its error rates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.special import xlogy

from evenmatch.errors import UsageError
from evenmatch.ratings import Score, Sprt, SprtSettings, expected_score, log_likelihood_ratio

few = settings(max_examples=60)
counts = st.integers(0, 400)
scores = st.builds(Score, wins=counts, losses=counts, draws=counts)


def greatest_log_likelihood(score: Score, elo: float) -> float:
    """Oracle: maximise over the draw probability."""

    mean = expected_score(elo)

    def cost(draw: float) -> float:
        p = np.array([mean - draw / 2, draw, 1 - mean - draw / 2])
        if p.min() < 0:
            return 1e9 * (1 - p.min())
        return -float(xlogy([score.wins, score.draws, score.losses], np.maximum(p, 1e-300)).sum())

    grid = np.linspace(0, 1, 401)
    start = grid[np.argmin([cost(draw) for draw in grid])]
    bounds = (max(start - 0.005, 0), min(start + 0.005, 1))
    found = optimize.minimize_scalar(
        cost, bounds=bounds, method="bounded", options={"xatol": 1e-13}
    )
    return -min(found.fun, cost(start))


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "elo0", "elo1"),
    [(4307, 4063, 8620, 0, 3), (30, 20, 50, 0, 40), (3, 9, 1, -20, 60), (55, 45, 10, 100, 150)],
)
def test_evidence_matches_a_numerical_maximum(wins, losses, draws, elo0, elo1):
    score = Score(wins=wins, losses=losses, draws=draws)
    expected = greatest_log_likelihood(score, elo1) - greatest_log_likelihood(score, elo0)
    test = SprtSettings(elo0=elo0, elo1=elo1)
    assert log_likelihood_ratio(score, test) == pytest.approx(expected, abs=2e-6)


def test_without_draws_the_evidence_is_the_binomials():
    score, p0, p1 = Score(wins=40, losses=25), expected_score(10), expected_score(60)
    binomial = 40 * math.log(p1 / p0) + 25 * math.log((1 - p1) / (1 - p0))
    found = log_likelihood_ratio(score, SprtSettings(elo0=10, elo1=60))
    assert found == pytest.approx(binomial)


def test_the_usual_approximation_of_engine_testers():
    """Van den Bergh: (s1 - s0)(2s - s0 - s1) / (2 variance) per game, for close hypotheses."""
    score, s0, s1 = Score(wins=4307, losses=4063, draws=8620), 0.5, expected_score(3)
    x = score.fraction
    variance = (score.wins + score.draws / 4) / score.games - x * x
    expected = score.games * (s1 - s0) * (2 * x - s0 - s1) / (2 * variance)
    found = log_likelihood_ratio(score, SprtSettings(elo0=0, elo1=3))
    assert found == pytest.approx(expected, rel=1e-3)


def test_a_single_kind_of_result_is_finite_evidence():
    rule = SprtSettings(elo0=0, elo1=100)
    assert log_likelihood_ratio(Score(wins=50), rule) > 1
    assert log_likelihood_ratio(Score(losses=50), rule) < -1
    assert -math.inf < log_likelihood_ratio(Score(draws=50), rule) < -1
    assert log_likelihood_ratio(Score(), rule) == 0


@few
@given(scores, st.floats(-300, 250), st.floats(1, 300))
def test_evidence_turns_round_with_the_players(score, elo0, gap):
    rule = SprtSettings(elo0=elo0, elo1=elo0 + gap)
    turned = SprtSettings(elo0=-elo0 - gap, elo1=-elo0)
    here, there = log_likelihood_ratio(score, rule), log_likelihood_ratio(-score, turned)
    assert here == pytest.approx(-there, abs=1e-6)


@few
@given(scores)
def test_a_win_is_evidence_for_elo1_and_a_loss_for_elo0(score):
    rule = SprtSettings(elo0=0, elo1=20)
    evidence = log_likelihood_ratio(score + Score(draws=1), rule)
    assert log_likelihood_ratio(score + Score(wins=1, draws=1), rule) > evidence - 1e-9
    assert log_likelihood_ratio(score + Score(losses=1, draws=1), rule) < evidence + 1e-9


def test_bounds_are_walds():
    low, high = SprtSettings(alpha=0.05, beta=0.1).bounds
    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


def test_status_follows_the_evidence():
    test = Sprt(settings=SprtSettings(elo0=0, elo1=100))
    assert test.update(Score(wins=2, losses=2)) == "continue"
    assert test.update(Score(losses=30)) == "accept_elo0"
    assert Sprt(settings=SprtSettings(elo1=100)).update(Score(wins=30)) == "accept_elo1"


@pytest.mark.parametrize("gap", [-1e-9, 1e-9])
def test_it_ends_where_the_evidence_reaches_a_bound(gap):
    """The bounds are put just before and just behind the evidence."""
    won, lost = Score(wins=30), Score(losses=20)
    for_elo1, for_elo0 = (log_likelihood_ratio(x, SprtSettings(elo1=100)) for x in (won, lost))
    high = SprtSettings(elo1=100, alpha=0.95 * math.exp(-for_elo1 - gap))
    low = SprtSettings(elo1=100, beta=0.95 * math.exp(for_elo0 - gap))
    ends = ("continue", "continue") if gap > 0 else ("accept_elo1", "accept_elo0")
    assert (Sprt(settings=high).update(won), Sprt(settings=low).update(lost)) == ends


def test_the_first_crossing_decides():
    test = Sprt(settings=SprtSettings(elo0=0, elo1=100))
    test.update(Score(wins=30))
    assert test.update(Score(losses=300)) == "accept_elo1"
    assert test.score == Score(wins=30, losses=300)
    assert test.log_likelihood_ratio < 0


@pytest.mark.parametrize(
    "bad",
    [
        {"elo0": 10, "elo1": 10},
        {"elo1": math.inf},
        {"alpha": 0},
        {"alpha": 0.6, "beta": 0.5},
    ],
)
def test_refuses_bad_settings(bad):
    with pytest.raises(UsageError):
        SprtSettings(**bad)


@pytest.mark.parametrize("truth", ["elo0", "elo1"])
@pytest.mark.parametrize(("draw", "batch"), [(0.0, 4), (0.5, 8)])
def test_error_rate(truth, draw, batch):
    """400 tests at 5 %: if no more than 5 % err, this fails for at most 1 seed in a million."""
    rng = np.random.default_rng(7)
    rule = SprtSettings(elo0=0, elo1=60)
    edge = expected_score(getattr(rule, truth)) - 0.5
    p = [(1 - draw) / 2 + edge, draw, (1 - draw) / 2 - edge]
    errors, lengths = 0, []
    for _ in range(400):
        test = Sprt(settings=rule)
        while test.status == "continue":
            wins, draws, losses = rng.multinomial(batch, p)
            test.update(Score(wins=wins, draws=draws, losses=losses))
        errors += test.status != f"accept_{truth}"
        lengths.append(test.score.games)
    assert errors <= stats.binom.ppf(1 - 1e-6, 400, 0.05)
    assert np.mean(lengths) < 300  # an equally sure fixed match needs 370 without draws


@few
@given(st.permutations([Score(wins=1)] * 3 + [Score(losses=1)] * 2 + [Score(draws=1)] * 3))
def test_order_does_not_matter_while_it_continues(games):
    test = Sprt()
    for score in games:
        test.update(score)
    whole = Sprt()
    whole.update(Score(wins=3, losses=2, draws=3))
    assert test == whole
