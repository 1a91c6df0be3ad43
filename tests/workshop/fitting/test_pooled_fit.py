"""Features of moves that are learned, the normal model of games, and target curves."""

from itertools import pairwise

import numpy as np
import pytest

from evenmatch.errors import NetworkError, UsageError
from evenmatch.estimation import Ranks
from evenmatch.estimation.estimator_files import Targets
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.estimation.pooled import Layer, game_features
from evenmatch.workshop.fitting import pooled_fit
from evenmatch.workshop.fitting.pooled_fit import (
    LEAST,
    LEAST_RATINGS,
    PLIES,
    RatedGames,
    fit_curve,
    intraclass_correlation,
    learn_layers,
    save_targets,
    target_curves,
)

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
    layers = learn_layers(numbers, moves, labels, 2, seed=0)
    again = learn_layers(numbers, moves, labels, 2, seed=0)
    assert all((a.weight == b.weight).all() for a, b in zip(layers, again, strict=True))
    numbers, moves, labels = products(rng, 400)
    features = game_features(layers, numbers, moves)
    direction = features[labels == 1].mean(0) - features[labels == 2].mean(0)
    scores = features @ direction
    right = (scores > np.median(scores)) == (labels == 1)
    # a line through products of 20 moves tells 99%; 400 games stray by 0.01
    assert right.mean() > 0.93


def test_games_left_out_change_nothing(monkeypatch):
    monkeypatch.setattr(pooled_fit, "EPOCHS", 2)
    rng = np.random.default_rng(2)
    numbers, moves, labels = products(rng, 60)
    labels[:20] = 0
    one = learn_layers(numbers, moves, labels, 2, seed=3)
    numbers[: 20 * 20] = 7
    other = learn_layers(numbers, moves, labels, 2, seed=3)
    assert all((a.weight == b.weight).all() for a, b in zip(one, other, strict=True))


GRID = np.arange(-1, 1.001, 0.0125)


def draw(rng, games, players=None, kin=0.0):
    """Rows of three features whose noise is correlated, and larger in short games."""
    x, moves = rng.uniform(-1, 1, games), rng.integers(5, 120, games)
    means = np.stack([x, 0.5 * x**2, -x + 0.3 * x**3], 1)
    mixing = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, -0.4, 0.8]])
    spread = np.sqrt(0.5 + 20 / moves)
    noise = rng.normal(size=(games, 3)) @ mixing.T * spread[:, None]
    if players is not None:
        own = rng.normal(size=(players.max() + 1, 3)) @ mixing.T
        noise = np.sqrt(1 - kin) * noise + np.sqrt(kin) * own[players] * spread[:, None]
    weights = np.full(games, 1 / games)
    alone = np.full(games, -1) if players is None else players
    return RatedGames(means + noise, x, moves, weights, alone)


def told(model, sample):
    """The mean rating of each game by its chances, and the 95% interval."""
    logs = model.logs(sample.rows, sample.moves, GRID)
    shares = np.exp(logs - logs.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    below = shares.cumsum(1)
    ends = [GRID[(below >= tail).argmax(1)] for tail in (0.025, 0.975)]
    return shares @ GRID, ends


def test_intervals_hold_what_they_say():
    """Of 4000 games 95% lie in their intervals, short games and long: +-0.011 is 3 deviations."""
    rng = np.random.default_rng(0)
    model, query = fit_curve(draw(rng, 20_000)), draw(rng, 4000)
    _, (low, high) = told(model, query)
    held = (low <= query.ratings) & (query.ratings <= high)
    assert held.mean() == pytest.approx(0.95, abs=0.011)
    short = query.moves < 30
    assert held[short].mean() == pytest.approx(0.95, abs=0.03)
    assert held[~short].mean() == pytest.approx(0.95, abs=0.015)
    assert (high - low)[short].mean() > 1.1 * (high - low)[~short].mean()


def test_the_noise_falls_with_length_as_it_was_made():
    model = fit_curve(draw(np.random.default_rng(1), 50_000))
    a, b = model.spread
    assert b / a == pytest.approx(40, rel=0.25)  # 20 / 0.5


def test_games_add_up():
    rng = np.random.default_rng(2)
    model, query = fit_curve(draw(rng, 5000)), draw(rng, 2)
    both = model.logs(query.rows, query.moves, GRID)
    assert both.sum(0) == pytest.approx(sum(
        model.logs(query.rows[[i]], query.moves[[i]], GRID)[0] for i in range(2)
    ))  # fmt: skip


@pytest.mark.parametrize("kin", [0.0, 0.3])
def test_intraclass_correlation_is_found(kin):
    players = np.repeat(np.arange(4000), 3)
    model = fit_curve(draw(np.random.default_rng(3), len(players), players, kin))
    assert model.correlation == pytest.approx(kin, abs=0.04)
    strangers = np.full(len(players), -1)
    assert intraclass_correlation(np.arange(len(players)) / 10, strangers) == 0


def test_few_ratings_give_no_curve():
    sample = draw(np.random.default_rng(4), 300)
    with pytest.raises(UsageError, match=f"fewer than {LEAST_RATINGS} different ratings"):
        fit_curve(sample._replace(ratings=np.round(sample.ratings, 0)))


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
    save_targets(targets, path, "one")
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
