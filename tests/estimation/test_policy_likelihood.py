"""Ratings by a policy's likelihoods: Bayes' rule over any network that knows ratings."""

import numpy as np
import pytest
from random_networks import random_network

from evenmatch.errors import UsageError
from evenmatch.estimation import PlayerGame
from evenmatch.estimation.move_features import LEAST_LOG, LIKELIHOOD, MoveFeatures
from evenmatch.estimation.policy_likelihood import CORRELATION, PolicyLikelihood, by_policy
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.codec import codec_for
from evenmatch.search import Request

RATINGS = list(range(600, 2801, 200))
PGN = """[White "a"]
[Black "b"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *
"""


def said(*peaks, moves=8, width=300.0):
    """Games of so many moves that people of these ratings make most readily."""
    rows = [-(((np.array(RATINGS) - peak) / width) ** 2) / 2 for peak in peaks]
    columns = {LIKELIHOOD: np.repeat(rows, moves, 0).astype(np.float32)}
    return MoveFeatures(columns, np.full(len(peaks), moves))


def verdict(moves, one_player=True):
    method = PolicyLikelihood(RATINGS)
    return method.decide(method.evidence(moves).sum(0)[None], one_player)


@pytest.mark.parametrize("peak", [900, 1500, 2345])
def test_the_rating_is_where_moves_are_most_likely(peak):
    found = verdict(said(peak))
    deviation = 300 / np.sqrt(8)  # of the product of eight normal curves
    low, high = found.intervals[0]
    assert abs(found.ratings[0] - peak) < 5
    assert abs((high - low) - 2 * 1.96 * deviation) < 10
    assert found.ranks[0] == PolicyLikelihood(RATINGS).ranks.of([peak])[0]


def test_more_games_say_more_but_less_than_as_many_people():
    one, many = (verdict(said(*[1500] * n)).intervals[0] for n in (1, 16))
    factor = 16 / (1 + 15 * CORRELATION)
    assert (one[1] - one[0]) / (many[1] - many[0]) == pytest.approx(np.sqrt(factor), rel=0.02)
    people = verdict(said(*[1500] * 16), one_player=False).intervals[0]
    assert people[1] - people[0] < many[1] - many[0]


def test_games_without_moves_say_nothing():
    method, moves = PolicyLikelihood(RATINGS), said(1500)
    none = MoveFeatures({LIKELIHOOD: moves.columns[LIKELIHOOD]}, np.array([0, 8, 0]))
    evidence = method.evidence(none)
    assert (evidence[[0, 2]] == 0).all()
    assert evidence[1, -1] == 1


def rated(folder, *scales):
    path = random_network(folder / "n.onnx", scales)
    return NetworkEvaluator(path, Chess(), device="cpu", precision="f32")


def test_likelihoods_are_those_of_the_policy(tmp_path):
    net = rated(tmp_path, "fide", "lichess-rapid")
    (tmp_path / "g.pgn").write_text(PGN)
    (record,) = codec_for("chess").games(str(tmp_path / "g.pgn"))
    scorer, method = by_policy(net, "lichess-rapid")
    (found,) = scorer.on_each_scale([PlayerGame(record, 1), PlayerGame(record, -1)])
    assert found.counts.tolist() == [2, 2]  # the last move has no reply
    assert (scorer.ratings, method.ranks.lowest, method.ranks.highest) == (RATINGS, 600, 2800)
    game, state = net.game, net.game.initial()
    for row, text in ((0, "e4"), (2, "e5")):  # White's first move, Black's
        action = game.read_action(state[0], text)
        legal = game.legal_actions(state)[0]
        for column, rating in enumerate(RATINGS):
            request = Request(ratings=np.full(1, float(rating)), scales=np.full(1, 1))
            logits = net.evaluate(state, request).logits[0].astype(float)
            wanted = max(logits[action] - np.log(np.exp(logits[legal]).sum()), LEAST_LOG)
            assert abs(found.columns[LIKELIHOOD][row, column] - wanted) < 1e-3
        state = game.after(state, [action])


def test_a_network_without_ratings_is_refused(tmp_path):
    with pytest.raises(UsageError, match="this network knows no ratings; use one trained on"):
        by_policy(rated(tmp_path), None)
    with pytest.raises(UsageError, match="no rating scale 'ogs'; this network knows: lichess-rap"):
        by_policy(rated(tmp_path, "lichess-rapid"), "ogs")
