"""The experiments that read games, on a few random ones and a random network."""

import chess
import numpy as np
import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.estimation import NearestScore, Ranks, estimator_files
from evenmatch.games.chess import Chess
from evenmatch.games.chess.actions import actions_of_moves
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.ratings import Score
from evenmatch.workshop.fitting.samples import Rated
from evenmatch_lab import get_experiment
from evenmatch_lab.chen2025 import estimator
from evenmatch_lab.ours import move_prediction
from evenmatch_lab.runner import run
from evenmatch_lab.shared.move_kinds import chess_kinds
from evenmatch_lab.shared.moves_by_rank import MovesByRank

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Games of all eight ranks, by candidates and query players."""
    path = tmp_path_factory.mktemp("reading")
    random_dataset(path, games=240, shares=(1, 1, 1, 1), bands=PAIRS, each=3)
    return path / "dataset"


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A random network in the place of the shipped one."""
    path = random_network(tmp_path / "net.onnx", scales=("dataset",), strength=2 + 8)
    monkeypatch.setattr(estimator_files, "shipped_path", lambda game: path)
    for module in ("ours.move_prediction", "ace2019.theta_fit", "runner"):
        monkeypatch.setattr(f"evenmatch_lab.{module}.shipped_path", lambda name: path)
    net = NetworkEvaluator(path, Chess())
    monkeypatch.setattr("evenmatch_lab.ace2019.turing.network_of", lambda game, *_: net)
    from evenmatch_lab.runner import digest

    digest.cache_clear()
    yield path
    digest.cache_clear()


def test_moves_foreseen_of_random_games(folder, shipped, tmp_path):
    other = random_network(tmp_path / "other.onnx")
    experiment = get_experiment("move_prediction")
    page = run(experiment, tmp_path / "out", quick=True, data=[folder], nets=[other])
    lines = page.read_text().splitlines()
    assert sum(line.startswith(("| ours |", "| ours, rating not given |")) for line in lines) == 6
    assert sum(line.startswith("| other |") for line in lines) == 3


def test_what_is_foreseen_is_the_best_legal_move(folder, shipped):
    from evenmatch.network.inference import NetworkEvaluator

    sample = MovesByRank(folder, 3)
    net = NetworkEvaluator(shipped, Chess(), precision="f32")
    right = move_prediction.foreseen(net, sample, None, lambda done, due: None)
    assert len(right) == 8 * 3
    for at, state in enumerate(sample.states):
        legal = [int(a) for a in Chess().legal_actions(state[None])[0] if a >= 0]
        logits = net.evaluate(state[None]).logits[0]
        best = max(legal, key=lambda a: logits[a])
        assert sample.actions[at] in legal
        assert right[at] == (best == sample.actions[at])


def test_shares_by_rank():
    sample = object.__new__(MovesByRank)
    sample.groups, sample.labels = 2, np.array([1, 1, 2, 2, 2])
    sample.game = Chess()
    sample.plies, moves = np.array([0, 30, 2, 20, 21]), np.array([0, 3, 3, 1, 3])
    sample.people = np.array([7, 7, 7, 9, 7])
    found = move_prediction.shares(sample, moves, np.array([True, False, True, True, False]))
    kinds = [[1, 1], [1, 1], [0, 0], [1, 3]]
    assert found == {
        "all": [[1, 2], [2, 3]], "later": [[0, 1], [1, 2]], "kinds": kinds,
        move_prediction.EACH: ["1/2", "1/2 1/1"],
    }  # fmt: skip
    assert move_prediction.share([2, 3]) == Score(wins=2, losses=1)


@pytest.mark.parametrize(
    ("fen", "uci", "kind"),
    [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 0),  # far too, but mate first
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a7", 1),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a5", 1),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1d1", 2),
        ("6k1/q4ppp/8/8/8/8/8/R6K b - - 0 1", "a7b7", 2),
        ("6k1/b4ppp/8/8/8/8/8/R6K b - - 0 1", "a7e3", 1),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "g1g2", 3),
        ("5bk1/5p1p/5N2/8/8/8/8/5KR1 b - - 0 1", "g8h8", 3),
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7f8", 0),
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", 3),  # stalemate is no mate
    ],
)
def test_kinds_of_moves(fen, uci, kind):
    game, move = Chess(), chess.Move.from_uci(uci)
    states = game.from_fen(fen)[None]
    moves = np.array([move.from_square | move.to_square << 6], np.uint16)
    [found] = chess_kinds(states, moves, actions_of_moves(states, moves))
    assert found == kind


def test_players_are_drawn_with_all_their_games():
    players = np.array([5, 7, 5, 9, 7, 7])
    drawn = estimator.resampled(players, np.random.default_rng(0))
    for player in (5, 7, 9):
        times = np.bincount(drawn, minlength=6)[players == player]
        assert len(set(times)) == 1, "all games of a player are drawn equally often"
    assert 1 <= len(set(players[drawn])) <= 3


def test_intervals_hold_what_was_measured():
    """Scores that tell half: each point lies between its ends; one player's games go together."""
    rng = np.random.default_rng(3)
    ranks = Ranks(count=2, lowest=1000)
    labels = np.repeat([1, 2], 200)
    scores = rng.normal((labels == 1).astype(float), 1.0)
    method = NearestScore(0, ranks)
    method.targets = np.array([1.0, 0.0])
    evidence = np.column_stack([scores, np.ones(400)])
    query = Rated(None, labels, ranks.middle(labels), np.arange(400) // 4, None)
    row = estimator.accuracies(method, evidence, query, (1, 20), repeats=50)
    one, twenty = row["points"]
    assert one["exact"][1] <= one["exact"][0] <= one["exact"][2]
    assert one["exact"][0] == pytest.approx(0.69, abs=0.06)  # normal_cdf(0.5)
    assert twenty["exact"][0] > 0.95
    assert np.sum(row["confusion"]["20"]) == 2 * 500
