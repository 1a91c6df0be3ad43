"""Moves rated one by one as they are in bulk, from records and from a dataset."""

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.estimation import NetworkScorer, PlayerGame  # noqa: E402
from evenmatch.estimation.scorer import answered  # noqa: E402
from evenmatch.games.chess import Chess  # noqa: E402
from evenmatch.network.artifact import Card, write_artifact  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator  # noqa: E402
from evenmatch.network.resnet import ResNet, ResNetConfig  # noqa: E402

GAME = Chess()


def write_network(path, strength):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    shape = {"planes": 112, "height": 8, "width": 8, "actions": 1858, "blocks": 1, "channels": 8}
    net = ResNet(ResNetConfig(**shape, chess_policy=True, strength=strength)).eval()
    card = Card(
        game="chess", shape=(112, 8, 8), planes="", actions=1858, blocks=1, channels=8,
        ranks={"lowest": 1000, "width": 200, "count": 8} if strength else {},
    )  # fmt: skip
    write_artifact(net, card, path)
    return NetworkEvaluator(path, GAME, precision="f32")


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return NetworkScorer(write_network(tmp_path_factory.mktemp("net") / "n.onnx", 3))


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
        NetworkScorer(write_network(tmp_path / "n.onnx", 0))


@pytest.mark.parametrize("plies", range(8))
@pytest.mark.parametrize("side", [0, 1])
def test_moves_with_a_reply_are_counted(plies, side):
    own = [ply for ply in range(side, plies, 2) if ply + 1 < plies]
    assert answered(np.array([plies]), np.array([side]))[0] == len(own)
