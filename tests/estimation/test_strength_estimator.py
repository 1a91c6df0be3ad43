"""The estimator on games whose scores are made up: what it should find is known."""

from dataclasses import replace

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.estimation import (
    MoveFeatures,
    NearestScore,
    PlayerGame,
    PooledFeatures,
    Ranks,
    StrengthEstimator,
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


def test_ours_learns_from_the_candidates_too():
    """Everything but the scores is the same for all moves, so that they alone tell."""

    def scorer(games):
        moves = by_rating(games)
        scores, none = moves.columns["strength"], np.zeros((moves.moves, 2))
        rest = dict.fromkeys(("likelihood", "entropy", "choice", "value", "evals"), none)
        ranked = np.hstack([scores, scores, none, none])
        return moves._replace(columns={"strength": ranked, **rest})

    candidates = [game(rating + k) for rating in (1100, 1300, 1500, 1700) for k in range(-90, 100)]
    fitted = StrengthEstimator(scorer, PooledFeatures(0, RANKS)).fit(candidates)
    for rating in (1050, 1250, 1400, 1620, 1790):
        found = fitted.predict_rank([game(rating)])
        assert found.rating == pytest.approx(rating, abs=30)
        low, high = found.interval
        assert low < found.rating < high < low + 200
        assert abs(RANKS.middle(found.rank) - rating) <= 130


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
