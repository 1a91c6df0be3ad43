"""What tests of commands share: a game that was won, files of games, small estimators."""

import shutil
from functools import cache

import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network
from records_from_elsewhere import GAMES, JUDGED, PGN, WON

from evenmatch.app import estimate as estimates
from evenmatch.app import move_review
from evenmatch.estimation import NetworkScorer, PooledFeatures, Ranks, estimator_files
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.workshop.fitting.pooled_fit import learn, save
from evenmatch.workshop.fitting.samples import score_sides

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@cache
def loaded(path, changed, game):
    """The network of a file that was changed at that time: compiled once for all commands."""
    return NetworkEvaluator(path, game)


@pytest.fixture(autouse=True)
def networks_once(monkeypatch):
    """Each command would compile all networks of an estimate again."""
    monkeypatch.setattr(
        estimator_files,
        "NetworkEvaluator",
        lambda path, game: loaded(path, path.stat().st_mtime_ns, game),
    )


@pytest.fixture(autouse=True)
def no_search_for_mistakes(monkeypatch):
    """It takes seconds a game; `test_move_review.py` says what a search found."""
    monkeypatch.setattr(move_review, "confirmed", lambda *_: {})


@pytest.fixture
def played(run):
    """A game of Connect Four that was won."""
    run("play", "connect4", "-o", "random", "-s", "2", lines=WON)


@pytest.fixture
def lichess(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "1-0") + PGN.replace("{result}", "0-1"))
    return str(path)


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.pgn"
    path.write_text(JUDGED)
    return path


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with a network, an estimator, and the games that it learned from."""
    folder = tmp_path_factory.mktemp("estimate")
    network = random_network(folder / "chess.onnx", scales=("lichess-rapid",), strength=2 + 8)
    dataset = random_dataset(folder, games=64, bands=PAIRS, each=2)
    chosen, net = dataset.select(), NetworkEvaluator(network, get_game("chess"))
    maia = [
        random_network(folder / f"{name}.onnx", seed=n)
        for n, name in enumerate(game_info("chess").extra_networks)
    ]
    others = [NetworkEvaluator(path, get_game("chess")) for path in maia]
    moves = score_sides(NetworkScorer(net, "lichess-rapid", others), dataset, chosen)
    sides = chosen.games, chosen.sides
    ratings, players = dataset.games["ratings"][sides], dataset.games["players"][sides]
    for name, policies in (
        (estimator_files.SHIPPED, []),
        (estimator_files.SHIPPED_WITH_EXTRA, maia),
    ):
        method = PooledFeatures(0, Ranks(), policies=bool(policies))
        learn(method, moves, ratings.astype(float), players.astype(np.int64))
        path = folder / name["lichess-rapid"]
        save(method, network, ["lichess-rapid"], path, policies)
    whole = (folder / "games.pgn").read_text().split("[Event ")
    (folder / "some.pgn").write_text("[Event ".join(whole[: 1 + GAMES]))
    for name in estimator_files.OF_PHASE:  # what is said of whole games stands for phases
        shutil.copy(path, folder / name.format("chess", "lichess-rapid"))
    return folder


@pytest.fixture
def games(made, monkeypatch):
    """A file of some games; the folder's network and estimator stand for the shipped ones."""
    monkeypatch.setattr(estimator_files, "shipped_path", lambda game: made / "chess.onnx")
    monkeypatch.setattr(estimator_files, "nets", lambda: made)
    monkeypatch.setattr(estimates, "engine_there", lambda cmd: False)
    return str(made / "some.pgn")
