"""Moves rated one by one as they are in bulk, from records and from a dataset."""

import chess
import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.errors import NetworkError
from evenmatch.estimation import NetworkScorer, PlayerGame
from evenmatch.estimation.scorer import answered
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator

GAME = Chess()


def evaluator(path, **settings):
    return NetworkEvaluator(random_network(path, **settings), GAME, precision="f32")


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return NetworkScorer(evaluator(tmp_path_factory.mktemp("net") / "n.onnx", strength=3))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return random_dataset(tmp_path_factory.mktemp("scorer"), games=6)


def test_records_and_datasets_agree_with_moves_one_by_one(scorer, dataset):
    chosen = dataset.select()
    in_bulk = scorer.of_dataset(dataset, chosen)
    games = [
        PlayerGame(dataset.record(game), 1 - 2 * int(side))
        for game, side in zip(chosen.games, chosen.sides, strict=True)
    ]
    by_record = scorer(games)
    assert (in_bulk.counts == by_record.counts).all()
    assert in_bulk.rows == pytest.approx(by_record.rows, abs=1e-5)
    record, side = games[3]
    state, slow = GAME.initial(), []
    for ply, word in enumerate(record.moves[:-1]):
        move = chess.Move(int(word) & 63, int(word) >> 6 & 63, int(word) >> 12 or None)
        state = GAME.after(state, np.array([GAME.read_action(state[0], move.uci())]))
        if ply % 2 == (side == -1):
            slow.append(scorer.rate(state)[0])
    assert len(slow) == by_record.counts[3] > 10
    mine = by_record.rows[by_record.games == 3]
    assert mine == pytest.approx(np.array(slow), abs=1e-5)


def test_progress_is_told(scorer, dataset):
    told = []
    moves = scorer.of_dataset(dataset, dataset.select(), lambda *numbers: told.append(numbers))
    assert told[-1] == (len(moves.rows), len(moves.rows))


def test_a_network_without_a_strength_head(tmp_path):
    with pytest.raises(NetworkError, match="no strength head"):
        NetworkScorer(evaluator(tmp_path / "n.onnx"))


@pytest.mark.parametrize("plies", range(8))
@pytest.mark.parametrize("side", [0, 1])
def test_moves_with_a_reply_are_counted(plies, side):
    own = [ply for ply in range(side, plies, 2) if ply + 1 < plies]
    assert answered(np.array([plies]), np.array([side]))[0] == len(own)
