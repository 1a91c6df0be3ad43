"""The model of rows that are normal about a curve, on rows that are."""

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.estimation import normal
from evenmatch.estimation.normal import RatedGames

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
    model, query = normal.fit(draw(rng, 20_000)), draw(rng, 4000)
    _, (low, high) = told(model, query)
    held = (low <= query.ratings) & (query.ratings <= high)
    assert held.mean() == pytest.approx(0.95, abs=0.011)
    short = query.moves < 30
    assert held[short].mean() == pytest.approx(0.95, abs=0.03)
    assert held[~short].mean() == pytest.approx(0.95, abs=0.015)
    assert (high - low)[short].mean() > 1.1 * (high - low)[~short].mean()


def test_the_noise_falls_with_length_as_it_was_made():
    model = normal.fit(draw(np.random.default_rng(1), 50_000))
    a, b = model.spread
    assert b / a == pytest.approx(40, rel=0.25)  # 20 / 0.5


def test_games_add_up():
    rng = np.random.default_rng(2)
    model, query = normal.fit(draw(rng, 5000)), draw(rng, 2)
    both = model.logs(query.rows, query.moves, GRID)
    assert both.sum(0) == pytest.approx(sum(
        model.logs(query.rows[[i]], query.moves[[i]], GRID)[0] for i in range(2)
    ))  # fmt: skip


@pytest.mark.parametrize("kin", [0.0, 0.3])
def test_intraclass_correlation_is_found(kin):
    players = np.repeat(np.arange(4000), 3)
    model = normal.fit(draw(np.random.default_rng(3), len(players), players, kin))
    assert model.correlation == pytest.approx(kin, abs=0.04)


def test_few_ratings_give_no_curve():
    sample = draw(np.random.default_rng(4), 300)
    with pytest.raises(UsageError, match=f"fewer than {normal.LEAST_RATINGS} different ratings"):
        normal.fit(sample._replace(ratings=np.round(sample.ratings, 0)))
