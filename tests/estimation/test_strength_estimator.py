"""The estimator and its methods on made-up scores, for which the right answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import UsageError
from evenmatch.estimation import (
    MoveFeatures,
    NearestScore,
    PlayerGame,
    Ranks,
    StrengthEstimator,
    SummedChances,
    Votes,
    rating_at,
)
from evenmatch.estimation.strength_estimator import player_numbers
from evenmatch.records.record import GameRecord

RANKS = Ranks(lowest=1000, width=200, count=4)


def game(rating, side=1, plies=40):
    ratings = (rating, 1500) if side == 1 else (1500, rating)
    record = GameRecord(game="chess", moves=np.zeros(plies, np.uint16), result=1, ratings=ratings)
    return PlayerGame(record, side)


def by_rating(games):
    """Scores that give the rating away, with noise that averages to nothing."""
    noise = np.tile([0.3, -0.3], 10)
    scores = [(g.record.ratings[g.side == -1] - 1400) / 400 + noise for g in games]
    return MoveFeatures({"strength": np.concatenate(scores)[:, None]}, np.full(len(games), 20))


def estimator(scorer=by_rating):
    return StrengthEstimator(scorer, NearestScore(0, RANKS))


RECORD = game(1500).record
CANDIDATES = [game(rating, side) for rating in (1100, 1300, 1500, 1700) for side in (1, -1)]


def test_it_finds_the_rank_it_learned():
    fitted = estimator().fit(CANDIDATES)
    for rank, rating in ((4, 1050), (3, 1320), (2, 1590), (1, 1790)):
        estimate = fitted.predict_rank([game(rating), game(rating, -1)])
        assert estimate.rank == rank
        assert estimate.rating == pytest.approx(rating, abs=0.1)
        assert estimate.moves == 40


def test_players_are_told_apart_by_name():
    names = ["a", "", "b", "a", "?"]
    games = [game(1500)._replace(record=replace(RECORD, players=(x, "z"))) for x in names]
    assert player_numbers(games).tolist() == [0, -1, 1, 0, -1]


def test_long_games_weigh_by_their_moves():
    """Eq. 3 averages moves, not games: 30 moves of score 1 and 10 of score 0 give 0.75."""
    strength = np.repeat([1.0, 0.0], [30, 10])[:, None]
    outputs = MoveFeatures({"strength": strength}, np.array([30, 10]))
    assert estimator(lambda games: outputs).score([1, 2]) == 0.75


def test_what_cannot_be_told():
    with pytest.raises(UsageError, match="call fit"):
        estimator().predict_rank([game(1500)])
    with pytest.raises(UsageError, match="no candidate moves rated 1000-1199"):
        estimator().fit(CANDIDATES[2:])
    nothing = MoveFeatures({"strength": np.zeros((0, 1))}, np.zeros(1, int))
    with pytest.raises(UsageError, match="no moves to judge"):
        estimator(lambda games: nothing).score([game(1500)])


def rated(strength, counts):
    return MoveFeatures({"strength": strength}, np.array(counts))


def test_beyond_the_ends_it_stays_in_the_bands():
    targets = np.array([3.0, 2.0, 1.0, 0.0])
    assert rating_at(np.array([9.0, -9.0]), targets, RANKS) == pytest.approx([1800, 1000])
    assert rating_at(np.array([3.0, 1.5]), targets, RANKS) == pytest.approx([1700, 1400])


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4), st.floats(-6, 6), st.floats(0, 3))
def test_a_higher_score_never_means_a_lower_rating(targets, score, more):
    low, high = rating_at(np.array([score, score + more]), np.array(targets), RANKS)
    assert 1000 <= low <= high <= 1800


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4), st.floats(-6, 6))
def test_the_nearest_target_wins(targets, score):
    method = NearestScore(0, RANKS)
    method.targets = np.array(targets)
    rank = method.decide(np.array([[3 * score, 3]])).ranks[0]
    assert abs(targets[rank - 1] - score) == pytest.approx(min(abs(t - score) for t in targets))


def test_means_by_rank_leave_out_who_is_outside():
    evidence = np.array([[10.0, 10], [2, 1], [3, 1], [5, 5], [100, 1]])
    method = NearestScore(0, RANKS)
    method.fit(evidence, np.array([1, 2, 3, 4, 0]))
    assert method.targets == pytest.approx([1, 2, 3, 1])


def test_sums_and_votes_may_differ():
    """Two moves lean a little to rank 1, one is sure of rank 3."""
    lean, sure = np.log([0.4, 0.3, 0.2, 0.1]), np.log([0.02, 0.02, 0.94, 0.02])
    moves = rated(np.array([lean, lean, sure]), [3])
    summed, votes = SummedChances(slice(0, 4), RANKS), Votes(slice(0, 4), RANKS)
    assert summed.evidence(moves)[0] == pytest.approx([0.82, 0.62, 1.34, 0.22])
    assert summed.decide(summed.evidence(moves)).ranks.tolist() == [3]
    assert votes.evidence(moves)[0].tolist() == [2, 0, 1, 0]
    assert votes.decide(votes.evidence(moves)).ranks.tolist() == [1]
    assert votes.decide(votes.evidence(moves)).ratings == pytest.approx([(2 * 1700 + 1300) / 3])


@pytest.mark.parametrize(
    "method", [NearestScore(0, RANKS), SummedChances(slice(0, 4), RANKS), Votes(slice(0, 4), RANKS)]
)
def test_evidence_adds_up(method):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 4))
    apart = method.evidence(rated(rows, [7, 0, 23]))
    together = method.evidence(rated(rows, [30]))
    assert apart.sum(0) == pytest.approx(together[0])
    assert (apart[1] == 0).all()


def test_classes_count_for_the_ranks_that_they_overlap():
    """By hand: of classes 100 wide, one lies half in each of two ranks, one half outside."""
    ranks = Ranks(lowest=1050, width=200, count=2)  # 1050 to 1250 to 1450
    classes = Ranks(lowest=1000, width=100, count=5)  # the strongest is 1400 to 1500
    logits = np.log(np.array([[0.1, 0.2, 0.3, 0.15, 0.25]]))
    moves = MoveFeatures({"strength": logits.astype(np.float32)}, np.array([1]))
    summed = SummedChances(slice(0, 5), ranks, classes).evidence(moves)
    assert summed[0] == pytest.approx([0.05 + 0.2 + 0.15, 0.15 + 0.15 + 0.125])
    votes = Votes(slice(0, 5), ranks, classes).evidence(moves)
    assert votes[0] == pytest.approx([0.5, 0.5])
