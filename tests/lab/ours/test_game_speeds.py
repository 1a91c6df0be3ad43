"""Shifts of speeds, on made-up evidence and on random games."""

import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch.estimation import PooledFeatures, Ranks
from evenmatch_lab.ours import game_speeds
from evenmatch_lab.ours.game_speeds import Judged

METHOD = PooledFeatures(0, Ranks(lowest=1000, width=200, count=4))


def judged(rng, looks: float, count: int = 200) -> Judged:
    """People of 1250 to 1550 who look stronger by so much, give or take 50."""
    ratings = rng.uniform(1250, 1550, count)
    seen = ratings + looks + rng.normal(0, 50, count)
    says = -(((METHOD.grid - seen[:, None]) / 50) ** 2) / 2
    evidence = np.hstack([says, np.ones((count, 1))])
    return Judged(evidence, ratings, np.arange(count))


def test_the_shift_that_is_there_is_found():
    rng = np.random.default_rng(1)
    one = game_speeds.of_speed(METHOD, judged(rng, 80), judged(rng, 80))
    assert one["shift"] == 80
    assert game_speeds.counts(one)
    assert one["query"]["difference"][2] < 0
    assert one["query"]["bias"][0][0] == pytest.approx(80, abs=15)
    assert one["query"]["bias"][1][0] == pytest.approx(0, abs=15)


def test_where_there_is_none_nothing_counts():
    rng = np.random.default_rng(2)
    one = game_speeds.of_speed(METHOD, judged(rng, 0), judged(rng, 0))
    assert abs(one["shift"]) <= 20
    assert not game_speeds.counts(one)


def test_the_page_tells_what_counts():
    rng = np.random.default_rng(3)
    speeds = {
        name: game_speeds.of_speed(METHOD, judged(rng, by), judged(rng, by))
        for name, by in (("blitz", 80), ("rapid", 0))
    }
    text = "\n".join(game_speeds.page({"somewhere": {"speeds": speeds}}))
    assert "## somewhere" in text
    assert "Counts: blitz by 80." in text
    assert "| blitz | +80 | query | 200 |" in text


def test_random_games_are_measured(tmp_path):
    bands = tuple((low, low + 100) for low in range(1050, 2600, 200))
    dataset = random_dataset(tmp_path, games=32, shares=(0, 0, 1, 1), bands=bands)
    folder = dataset.folder.rename(tmp_path / "lichess-rapid")
    (part,) = game_speeds.parts(True, [folder], []).values()
    heard = []
    assert part.run(lambda *told: heard.append(told), {}) == {"speeds": {}}, "no speed is told"
    assert heard[-1][0] == heard[-1][1]
    with pytest.raises(UsageError, match="leave out --net"):
        game_speeds.parts(True, [folder], [folder])
