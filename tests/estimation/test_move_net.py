"""The network of moves against torch, and on games that only it can tell apart."""

from itertools import pairwise

import numpy as np
import pytest

from evenmatch.estimation import MoveFeatures, move_net
from evenmatch.estimation.move_net import Layer, game_features

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")


def test_features_are_torchs_means():
    rng = np.random.default_rng(0)
    sizes = (5, 7, 7, 3)
    layers = [
        Layer(rng.normal(size=(b, a)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in pairwise(sizes)
    ]
    numbers = rng.normal(size=(9, 5)).astype(np.float32)
    moves = MoveFeatures({"x": numbers}, np.array([4, 0, 5]))
    x = torch.from_numpy(numbers)
    for number, (weight, bias) in enumerate(layers):
        x = torch.nn.functional.linear(x, torch.from_numpy(weight), torch.from_numpy(bias))
        x = torch.nn.functional.gelu(x) if number < 2 else x
    found = game_features(layers, numbers, moves)
    assert found[0] == pytest.approx(x[:4].mean(0).numpy(), abs=1e-5)
    assert found[1] == pytest.approx([0, 0, 0])
    assert found[2] == pytest.approx(x[4:].mean(0).numpy(), abs=1e-5)


def products(rng, games, moves=20):
    """Two columns whose product alone tells the rank: means of both are 0 in every rank."""
    labels = rng.integers(1, 3, games)
    signs = np.repeat(np.where(labels == 1, 1, -1), moves)
    first = rng.normal(size=games * moves)
    second = 0.6 * signs * first + 0.8 * rng.normal(size=games * moves)
    numbers = np.stack([first, second], 1).astype(np.float32)
    return numbers, MoveFeatures({"x": numbers}, np.full(games, moves)), labels


def test_it_learns_what_no_mean_tells():
    rng = np.random.default_rng(1)
    numbers, moves, labels = products(rng, 600)
    layers = move_net.learn(numbers, moves, labels, 2, seed=0)
    again = move_net.learn(numbers, moves, labels, 2, seed=0)
    assert all((a.weight == b.weight).all() for a, b in zip(layers, again, strict=True))
    numbers, moves, labels = products(rng, 400)
    features = game_features(layers, numbers, moves)
    direction = features[labels == 1].mean(0) - features[labels == 2].mean(0)
    scores = features @ direction
    right = (scores > np.median(scores)) == (labels == 1)
    # a line through products of 20 moves tells 99%; 400 games stray by 0.01
    assert right.mean() > 0.93


def test_games_left_out_change_nothing(monkeypatch):
    monkeypatch.setattr(move_net, "EPOCHS", 2)
    rng = np.random.default_rng(2)
    numbers, moves, labels = products(rng, 60)
    labels[:20] = 0
    one = move_net.learn(numbers, moves, labels, 2, seed=3)
    numbers[: 20 * 20] = 7
    other = move_net.learn(numbers, moves, labels, 2, seed=3)
    assert all((a.weight == b.weight).all() for a, b in zip(one, other, strict=True))
