"""Moves of Go rated from records as from a dataset, on several rating scales at once."""

import numpy as np
import pytest
from random_go import random_go_games
from random_networks import random_network

from evenmatch.estimation import NetworkScorer, PlayerGame
from evenmatch.estimation.move_features import ENTROPY, LIKELIHOOD
from evenmatch.estimation.pooled import move_numbers
from evenmatch.games import get_game
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search import Request
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.fitting.samples import score_sides

GO = get_game("go")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "n.onnx"
    random_network(path, ("ogs", "kgs"), strength=2 + 2 * 8, game="go")
    return NetworkEvaluator(path, GO, precision="f32", sizes=(16,))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scorer")
    (folder / "games.sgfs").write_text(random_go_games(3))
    return build([folder / "games.sgfs"], folder / "kgs", game="go", shares=(1, 0, 0, 0))


def test_records_datasets_and_scales_agree(network, dataset):
    chosen = dataset.select()
    games = [
        PlayerGame(dataset.record(game), 1 - 2 * int(side))
        for game, side in zip(chosen.games, chosen.sides, strict=True)
    ]
    both = NetworkScorer(network, "ogs", (), ["kgs"]).on_each_scale(games)
    for scale, found in zip(("ogs", "kgs"), both, strict=True):
        wanted = score_sides(NetworkScorer(network, scale), dataset, chosen)
        assert found.counts.tolist() == wanted.counts.tolist() == 3 * [6, 5]
        for name, rows in wanted.columns.items():
            assert found.columns[name] == pytest.approx(rows, abs=1e-4, nan_ok=True), name
    assert np.abs(both[0].columns[LIKELIHOOD] - both[1].columns[LIKELIHOOD]).max() > 1e-3


def test_every_second_move_of_some_games_is_rated_as_it_is_among_all(network, dataset):
    games = [PlayerGame(dataset.record(game), 1) for game in range(3)]
    scorer = NetworkScorer(network, "ogs")
    whole, (some,) = scorer(games), scorer.on_each_scale(games, [1, 2, 2])
    chosen = (whole.games == 0) | (whole.places % 2 == 0)
    assert some.counts.tolist() == [6, 3, 3]
    assert (
        some.places.tolist() == whole.places[chosen].tolist() == [0, 1, 2, 3, 4, 5] + 2 * [0, 2, 4]
    )
    assert some.left.tolist() == whole.left[chosen].tolist() == [6, 5, 4, 3, 2, 1] + 2 * [6, 4, 2]
    wanted = move_numbers(whole, slice(2, 10), evals=False)[chosen]
    found = move_numbers(some, slice(2, 10), evals=False)
    assert found == pytest.approx(wanted, abs=1e-4, nan_ok=True)


def test_policies_are_asked_for_the_ends_and_the_middle_of_a_scale(network, dataset):
    """1d, 5d and 9d of KGS: half a rank beyond the outer ones."""
    record = dataset.record(0)
    moves = NetworkScorer(network, "kgs")([PlayerGame(record, 1)])
    for column, rating in enumerate((3050.0, 3500.0, 3950.0)):
        request = Request(ratings=np.array([rating]), scales=np.array([1]))
        logits = network.evaluate(GO.initial(), request).logits[0].astype(float)
        logs = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        assert moves.columns[ENTROPY][0, column] == pytest.approx(
            -(np.exp(logs) * logs).sum(), abs=1e-4
        )  # all points are legal
