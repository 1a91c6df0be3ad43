"""Ratings in closed form, against scipy's optimiser, and recovered from simulated games."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from evenmatch.errors import UsageError
from evenmatch.ratings import BradleyTerry, PairingScore, RatingTable, Score, expected_score
from evenmatch.ratings.score import ELO_PER_LOGIT

few = settings(max_examples=20)
PLAIN = BradleyTerry(prior_draws=0)


def games(first: str, second: str, wins: int, losses: int, draws: int = 0) -> PairingScore:
    return PairingScore(
        first=first, second=second, score=Score(wins=wins, losses=losses, draws=draws)
    )


def elos(table: RatingTable) -> dict[str, float]:
    return {rating.name: rating.elo for rating in table.ratings}


@st.composite
def round_robins(draw):
    """Every pair of 2 to 5 players meets; counts may be one-sided."""
    counts = st.integers(0, 9)
    pairings = []
    for a, b in itertools.combinations("abcde"[: draw(st.integers(2, 5))], 2):
        pairings.append(games(a, b, draw(counts), draw(counts), draw(st.integers(1, 4))))
    return pairings


def play(rng, truth: dict[str, float], each: int, draw: float, advantage: float = 0.0):
    """A double round robin of `each` games per ordered pair, drawn as often as told or possible."""
    pairings = []
    for first, second in itertools.permutations(truth, 2):
        mean = expected_score(truth[first] + advantage - truth[second])
        drawn = min(draw, 1.9 * min(mean, 1 - mean))
        wins, draws, losses = rng.multinomial(each, [mean - drawn / 2, drawn, 1 - mean - drawn / 2])
        pairings.append(games(first, second, wins, losses, draws))
    return pairings


# closed forms


def test_two_players_are_the_logistic_of_the_score():
    table = PLAIN.fit([games("a", "b", 30, 10)])
    assert table["a"].elo - table["b"].elo == pytest.approx(400 * math.log10(3))
    assert table["a"].elo + table["b"].elo == pytest.approx(3000)
    assert [rating.name for rating in table.ratings] == ["a", "b"]
    assert table["b"].score == Score(wins=10, losses=30)
    assert table.relative_to == "mean of all players = 1500"


def test_two_players_error_bars_are_the_observed_information():
    error = ELO_PER_LOGIT / math.sqrt(40 * 0.75 * 0.25)
    table = PLAIN.fit([games("a", "b", 30, 10)])
    difference = table.difference("a", "b")
    assert difference.standard_error == pytest.approx(error)
    assert table["a"].standard_error == pytest.approx(error / 2)  # the mean is fixed
    assert difference.high - difference.elo == pytest.approx(1.959964 * error, rel=1e-6)
    assert difference.elo - difference.low == pytest.approx(1.959964 * error, rel=1e-6)


def test_draws_count_half_and_narrow_the_error_bars():
    drawn = PLAIN.fit([games("a", "b", 20, 0, 20)]).difference("a", "b")
    decided = PLAIN.fit([games("a", "b", 30, 10)]).difference("a", "b")
    assert drawn.elo == pytest.approx(decided.elo)
    variance, rate = 0.75 * 0.25, 20 / 44
    expected = decided.standard_error * math.sqrt((variance - rate / 4) / variance)
    assert drawn.standard_error == pytest.approx(expected)


def test_all_draws_are_not_certainty():
    difference = BradleyTerry().fit([games("a", "b", 0, 0, 100)]).difference("a", "b")
    assert difference.elo == pytest.approx(0, abs=1e-9)
    assert 3 < difference.standard_error < 12


def test_the_prior_is_one_virtual_draw_between_two_players():
    table = BradleyTerry().fit([games("a", "b", 10, 0)])
    assert table.difference("a", "b").elo == pytest.approx(400 * math.log10(10.5 / 0.5))


def test_the_prior_is_spread_over_opponents():
    """Per pair of players `prior_draws` in all, so it weighs no more in a large tournament."""
    pairings = [games(a, b, 5, 5) for a, b in itertools.combinations("abcd", 2)]
    table = BradleyTerry(prior_draws=3).fit(pairings)
    assert table._fit.problem.virtual.sum() == pytest.approx(6)


def test_first_move_advantage_between_two_players():
    table = BradleyTerry(prior_draws=0, first_move_advantage=True).fit(
        [games("a", "b", 30, 10), games("b", "a", 20, 20)]
    )
    half = 400 * math.log10(3) / 2
    assert table.advantage.elo == pytest.approx(half)
    assert table.difference("a", "b").elo == pytest.approx(half)
    assert table.expected_score("a", "b") == pytest.approx(0.75)
    assert table.expected_score("b", "a") == pytest.approx(0.5)
    assert table.advantage.standard_error > 0


# an independent oracle


@few
@given(round_robins())
def test_ratings_are_the_fixed_point_of_a_naive_twin(pairings):
    """Hunter 2004, minorisation and maximisation: strength = points / sum of games / strengths."""
    players = sorted({name for p in pairings for name in (p.first, p.second)})
    points = dict.fromkeys(players, 0.0)
    for p in pairings:
        points[p.first] += p.score.points
        points[p.second] += p.score.games - p.score.points
    strength = dict.fromkeys(players, 1.0)
    for _ in range(4000):
        weights = dict.fromkeys(players, 0.0)
        for p in pairings:
            for name in (p.first, p.second):
                weights[name] += p.score.games / (strength[p.first] + strength[p.second])
        strength = {name: points[name] / weights[name] for name in players}
    logs = {name: 400 * math.log10(value) for name, value in strength.items()}
    mean = sum(logs.values()) / len(logs)
    expected = {name: value - mean + 1500 for name, value in logs.items()}
    assert elos(PLAIN.fit(pairings)) == pytest.approx(expected, abs=1e-6)


def oracle(pairings, settings: BradleyTerry) -> tuple[dict[str, float], np.ndarray]:
    """Ratings by scipy's BFGS on the per-pairing likelihood, and its Hessian by differences.

    No prior. The gauge is imposed by a stiff spring on the mean, or by inserting the anchors.
    """
    names = sorted({name for p in pairings for name in (p.first, p.second)})
    free = [name for name in names if name not in settings.anchors]

    def cost(x):
        elo = dict(zip(free, x, strict=False)) | {
            name: value / 100 for name, value in settings.anchors.items()
        }
        advantage = x[-1] if settings.first_move_advantage else 0.0
        total = 0.0 if settings.anchors else 10 * (sum(elo.values()) - 15 * len(names)) ** 2
        for p in pairings:
            gap = (elo[p.first] + advantage - elo[p.second]) / 4  # decades of odds
            total += p.score.points * math.log1p(10**-gap)
            total += (p.score.games - p.score.points) * math.log1p(10**gap)
        return total

    start = np.concatenate([np.full(len(free), 15.0), np.zeros(int(settings.first_move_advantage))])
    found = optimize.minimize(cost, start, method="BFGS", options={"gtol": 1e-9})
    h = 1e-3 * np.eye(len(start))
    hessian = [
        [
            cost(found.x + a + b)
            - cost(found.x + a - b)
            - cost(found.x - a + b)
            + cost(found.x - a - b)
            for a in h
        ]
        for b in h
    ]
    covariance = np.linalg.inv(np.array(hessian) / 4e-6) * 1e4
    labels = [*free, "advantage"] if settings.first_move_advantage else free
    return dict(zip(labels, 100 * found.x, strict=True)), np.sqrt(np.diag(covariance))


@pytest.mark.parametrize("draw", [0, 0.3])
@pytest.mark.parametrize("advantage", [False, True])
@pytest.mark.parametrize("anchors", [{}, {"b": 1400.0}, {"a": 1700.0, "c": 1450.0}])
def test_agrees_with_scipy(draw, advantage, anchors):
    rng = np.random.default_rng(3)
    truth = {"a": 1650.0, "b": 1550.0, "c": 1450.0, "d": 1300.0}
    pairings = play(rng, truth, 30, draw, advantage=60)
    fit = BradleyTerry(prior_draws=0, first_move_advantage=advantage, anchors=anchors)
    table = fit.fit(pairings)
    expected, errors = oracle(pairings, fit)
    for (name, elo), error in zip(expected.items(), errors, strict=True):
        found = table.advantage if name == "advantage" else table[name]
        assert found.elo == pytest.approx(elo, abs=1e-2)
        if draw == 0 and anchors:
            assert found.standard_error == pytest.approx(error, rel=1e-3)
        elif draw:
            assert found.standard_error < error


# recovering known ratings


@pytest.mark.parametrize(
    ("draw", "advantage", "each"), [(0, 0.0, 6), (0.5, 0.0, 6), (0.3, 50.0, 12)]
)
def test_recovers_known_ratings_within_error_bars(draw, advantage, each):
    """300 tournaments, one 95 % interval of each: fails for at most 1 seed in a million if the
    true coverage is 94 % or more (it is asymptotic; a long simulation measured 95 to 99 %)."""
    rng = np.random.default_rng(11)
    truth = {"a": 0.0, "b": 80.0, "c": 200.0, "d": 350.0}
    settings = BradleyTerry(first_move_advantage=bool(advantage))
    covered = 0
    for _ in range(300):
        table = settings.fit(play(rng, truth, each, draw, advantage))
        difference = table.difference("c", "b")
        covered += difference.low <= 120 <= difference.high
    assert covered >= stats.binom.ppf(1e-6, 300, 0.94)


def test_recovers_many_ratings_from_many_games():
    """All 10 differences to the truth together: chi-squared with 9 degrees of freedom.

    Fails for about 1 seed in a hundred thousand.
    """
    rng = np.random.default_rng(5)
    truth = {f"p{i}": 1500.0 + 70 * (i - 4.5) for i in range(10)}
    table = PLAIN.fit(play(rng, truth, 60, 0.3))
    names = table._fit.problem.names
    miss = np.array([table[name].elo - truth[name] for name in names]) / ELO_PER_LOGIT
    assert miss @ np.linalg.pinv(table._fit.covariance) @ miss < stats.chi2.isf(1e-5, 9)
    assert max(abs(miss)) * ELO_PER_LOGIT < 60


# properties


@few
@given(round_robins(), st.randoms(use_true_random=False))
def test_order_and_splitting_do_not_matter(pairings, random):
    pieces = [piece for p in pairings for piece in split(p)]
    shuffled = random.sample(pieces, len(pieces))
    assert BradleyTerry().fit(shuffled).ratings == BradleyTerry().fit(pairings).ratings


def split(pairing: PairingScore) -> list[PairingScore]:
    """The same games as several pairings, some seen from the other side."""
    score = pairing.score
    half = Score(wins=score.wins // 2, losses=score.losses // 2, draws=score.draws // 2)
    rest = Score(
        wins=score.wins - half.wins,
        losses=score.losses - half.losses,
        draws=score.draws - half.draws,
    )
    return [
        PairingScore(first=pairing.first, second=pairing.second, score=half),
        PairingScore(first=pairing.second, second=pairing.first, score=-rest),
    ]


@few
@given(round_robins(), st.booleans())
def test_swapping_wins_and_losses_mirrors_the_table(pairings, with_advantage):
    both_sides = [
        *pairings,
        *(PairingScore(first=p.second, second=p.first, score=p.score) for p in pairings),
    ]
    settings = BradleyTerry(mean=0, first_move_advantage=with_advantage)
    table = settings.fit(both_sides)
    mirror = settings.fit(
        [PairingScore(first=p.first, second=p.second, score=-p.score) for p in both_sides]
    )
    for rating in table.ratings:
        other = mirror[rating.name]
        assert other.elo == pytest.approx(-rating.elo, abs=1e-6)
        assert other.standard_error == pytest.approx(rating.standard_error, abs=1e-6)
        assert (other.low, other.high) == pytest.approx((-rating.high, -rating.low), abs=1e-6)


@few
@given(round_robins(), st.floats(-3000, 3000))
def test_the_gauge_only_shifts(pairings, level):
    by_mean = BradleyTerry().fit(pairings)
    shifted = BradleyTerry(mean=level).fit(pairings)
    anchored = BradleyTerry(anchors={"a": level}).fit(pairings)
    assert sum(elos(by_mean).values()) == pytest.approx(1500 * len(by_mean.ratings))
    for name in elos(by_mean):
        gap = by_mean.difference(name, "a")
        assert shifted[name].elo == pytest.approx(by_mean[name].elo - 1500 + level, abs=1e-6)
        assert anchored[name].elo == pytest.approx(level + gap.elo, abs=1e-6)
        assert anchored[name].standard_error == pytest.approx(gap.standard_error, abs=1e-6)
        assert by_mean.difference("a", name).elo == pytest.approx(-gap.elo, abs=1e-9)


@settings(few, max_examples=12)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.integers(0, 2)),
        min_size=1,
        max_size=9,
    )
)
def test_an_end_is_infinite_exactly_where_no_points_were_taken(results):
    """Oracle: x is bounded below, seen from y, iff a chain of points taken leads from x to y."""
    pairings = [games(a, b, kind == 0, kind == 1, kind == 2) for a, b, kind in results if a != b]
    pairings += [games(a, b, 1, 0) for a, b in itertools.pairwise("abcde")]  # all are connected
    took = set()
    for p in pairings:
        if p.score.wins or p.score.draws:
            took.add((p.first, p.second))
        if p.score.losses or p.score.draws:
            took.add((p.second, p.first))
    table = BradleyTerry().fit(pairings)
    for x, y in itertools.permutations("abcde", 2):
        difference = table.difference(x, y)
        assert math.isfinite(difference.elo)
        assert math.isinf(difference.low) == (not leads(took, x, y))
        assert math.isinf(difference.high) == (not leads(took, y, x))


def leads(took: set[tuple[str, str]], start: str, goal: str) -> bool:
    seen, todo = set(), [start]
    while todo:
        player = todo.pop()
        if player not in seen:
            seen.add(player)
            todo += [b for a, b in took if a == player]
    return goal in seen


# winners and losers of everything


def test_who_lost_every_game_is_unbounded_below_and_the_rest_are_not():
    pairings = [games("a", "b", 6, 4), games("a", "random", 10, 0), games("b", "random", 10, 0)]
    table = BradleyTerry().fit(pairings)
    random = table["random"]
    assert random.low == -math.inf
    assert random.elo < random.high < table["b"].elo
    assert all(math.isfinite(end) for name in "ab" for end in (table[name].low, table[name].high))
    assert table.difference("a", "random").high == math.inf
    assert table.difference("a", "random").low > 0
    assert math.isfinite(table.difference("a", "b").high)


def test_two_players_and_one_winner_are_open_on_their_own_sides():
    table = BradleyTerry().fit([games("a", "b", 4, 0)])
    assert table["a"].high == math.inf
    assert math.isfinite(table["a"].low)
    assert table["b"].low == -math.inf
    assert math.isfinite(table["b"].high)


def test_a_first_mover_who_always_wins_leaves_everything_open():
    table = BradleyTerry(first_move_advantage=True).fit(
        [games("a", "b", 10, 0), games("b", "a", 10, 0)]
    )
    assert table.advantage.high == math.inf
    assert table.advantage.low > 0
    assert (table["a"].low, table["a"].high) == (-math.inf, math.inf)
    assert (table["b"].low, table["b"].high) == (-math.inf, math.inf)


def test_an_anchor_bounds_from_one_side():
    table = BradleyTerry(anchors={"a": 1000.0}).fit([games("a", "b", 0, 20)])
    assert (table["a"].elo, table["a"].low, table["a"].high) == (1000, 1000, 1000)
    assert table["b"].high == math.inf
    assert table["b"].low > 1000


def test_without_a_prior_unbounded_ratings_are_refused():
    with pytest.raises(UsageError, match="set prior_draws above 0"):
        PLAIN.fit([games("a", "b", 6, 4), games("a", "random", 10, 0)])


# anchors


def test_several_anchors_are_kept():
    """As the paper's Fig. 3: one player rated against opponents of given ratings."""
    anchors = {"AlphaZero": 1978.0, "MCTS1": 1731.0, "Random": 930.6}
    pairings = [
        games("new", "AlphaZero", 10, 40),
        games("new", "MCTS1", 25, 25),
        games("new", "Random", 49, 1),
    ]
    table = BradleyTerry(anchors=anchors, prior_draws=0).fit(pairings)
    assert {name: table[name].elo for name in anchors} == pytest.approx(anchors)
    assert all(table[name].standard_error == 0 for name in anchors)
    elo = table["new"].elo
    expected = sum(50 * expected_score(elo - opponent) for opponent in anchors.values())
    assert expected == pytest.approx(84)  # the likelihood's condition: points as expected
    assert table.relative_to == "AlphaZero = 1978, MCTS1 = 1731, Random = 930.6"


def test_all_players_anchored_is_no_fit_at_all():
    table = BradleyTerry(anchors={"a": 1000.0, "b": 1200.0}).fit([games("a", "b", 3, 1)])
    assert elos(table) == {"a": 1000, "b": 1200}


def test_anchors_join_groups_that_never_met():
    pairings = [games("a", "b", 3, 1), games("c", "d", 1, 3)]
    with pytest.raises(UsageError, match="a, b never met c, d"):
        BradleyTerry().fit(pairings)
    with pytest.raises(UsageError, match="anchor a player in each"):
        BradleyTerry(anchors={"a": 1500.0}).fit(pairings)
    table = BradleyTerry(anchors={"a": 1500.0, "d": 1500.0}, prior_draws=0).fit(pairings)
    assert table["b"].elo == pytest.approx(table["c"].elo)


# errors


def test_refuses_no_games():
    with pytest.raises(UsageError, match="no games"):
        BradleyTerry().fit([games("a", "b", 0, 0)])


def test_refuses_an_anchor_that_did_not_play():
    with pytest.raises(UsageError, match="'z' played no games; the players are a, b"):
        BradleyTerry(anchors={"z": 1500.0}).fit([games("a", "b", 1, 1)])


def test_refuses_an_advantage_that_cannot_be_told():
    with pytest.raises(UsageError, match="cannot be separated from the ratings"):
        BradleyTerry(first_move_advantage=True).fit([games("a", "b", 3, 1)])


def test_refuses_anchors_beyond_arithmetic():
    with pytest.raises(UsageError, match="too far apart"):
        BradleyTerry(anchors={"a": 0.0, "c": 1e6}).fit(
            [games("a", "b", 1, 1), games("b", "c", 1, 1)]
        )


def test_names_the_players_it_knows():
    table = BradleyTerry().fit([games("a", "b", 1, 1)])
    with pytest.raises(UsageError, match="no player 'x' in this table; there are a, b"):
        table["x"]
    with pytest.raises(UsageError, match="no player 'x'"):
        table.difference("a", "x")


@pytest.mark.parametrize(
    "bad",
    [
        {"prior_draws": -1},
        {"prior_draws": math.inf},
        {"mean": math.nan},
        {"anchors": {"a": math.inf}},
        {"confidence": 1},
    ],
)
def test_refuses_bad_settings(bad):
    with pytest.raises(UsageError):
        BradleyTerry(**bad)
