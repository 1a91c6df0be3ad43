"""Target curves of SE-MCTS: means by ply, and what lies between ranks."""

import numpy as np
import pytest

from evenmatch.errors import NetworkError
from evenmatch.estimation import Ranks
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.estimation.targets import LEAST, PLIES, Targets, target_curves

RANKS = Ranks(lowest=1000, width=200, count=3)


def moves_of(betas):
    """Games whose moves have these betas."""
    counts = np.array([len(row) for row in betas], np.int64)
    column = np.concatenate([np.asarray(row, np.float32) for row in betas])
    return MoveFeatures({STRENGTH: np.stack([column, -column], 1)}, counts)


def test_means_are_those_of_the_plies():
    """Betas that are a line in the ply: smoothing leaves lines as they are."""
    games, length = 60, 30
    sides = np.arange(games) % 2
    labels = 1 + np.arange(games) % 3
    rows = [
        0.01 * (2 * np.arange(length) + side) + label
        for side, label in zip(sides, labels, strict=True)
    ]
    found = target_curves(moves_of(rows), sides, labels, 0, RANKS)
    assert found.shape == (3, PLIES)
    inner = np.arange(10, 40)
    for rank in range(3):
        assert found[rank, inner] == pytest.approx(0.01 * inner + rank + 1, abs=2e-3)
    other = target_curves(moves_of(rows), sides, labels, 1, RANKS)
    assert other == pytest.approx(-found)


def test_late_plies_are_as_the_last_that_many_reach():
    long = [np.full(90, 5.0)] * 2 + [np.full(20, 1.0)] * LEAST
    sides, labels = np.zeros(len(long), int), np.ones(len(long), int)
    found = target_curves(moves_of(long), sides, labels, 0, RANKS)[0]
    assert len(np.unique(found[60:])) == 1
    assert found[10] == pytest.approx(1.0, abs=0.1)


def test_ranks_that_do_not_count():
    nobody = np.zeros(300, int)
    found = target_curves(moves_of([[1.0] * 40] * 300), nobody, nobody, 0, RANKS)
    assert (found == 0).all()


def test_ratings_between_ranks():
    curves = np.array([[3.0, 30.0], [2.0, 20.0], [0.0, 0.0]])  # the strongest first
    targets = Targets(curves, -curves, RANKS)
    assert targets.at(1400, plain=True).tolist() == [-2.5, -25]
    assert targets.at(1500).tolist() == [3, 30]
    assert targets.at(1300).tolist() == [2, 20]
    assert targets.at(1400).tolist() == [2.5, 25]
    assert targets.at(1150).tolist() == [0.5, 5]
    assert targets.at(700).tolist() == [0, 0]
    assert targets.at(2900).tolist() == [3, 30]


def test_they_are_kept_for_one_network(tmp_path):
    path = tmp_path / "targets.npz"
    beta = np.arange(12.0).reshape(3, 4)
    targets = Targets(beta, -beta, RANKS)
    targets.save(path, "one")
    again = Targets.load(path, "one")
    assert (again.beta == beta).all()
    assert (again.plain == -beta).all()
    assert again.ranks == RANKS
    with pytest.raises(NetworkError, match="another network"):
        Targets.load(path, "two")
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(NetworkError, match="corrupt"):
        Targets.load(path, "one")
    with pytest.raises(NetworkError, match="no targets"):
        Targets.load(tmp_path / "none.npz", "one")
