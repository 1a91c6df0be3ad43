"""What evaluations add: measured on random games, with an engine that knows nothing."""

import re

import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch_lab.chen2025 import evaluations
from evenmatch_lab.chen2025.evaluations import ALONE, MADE, RECORDED

BANDS = tuple((low, low + 100) for low in range(1050, 2600, 200))


class Even:
    """An engine that finds every position even."""

    def __init__(self, engine, nodes):
        self.nodes = nodes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __call__(self, games):
        return [np.zeros(len(states)) for states in games]


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluations, "EngineEvals", Even)
    monkeypatch.setattr(evaluations, "engine_there", lambda cmd: True)
    monkeypatch.setattr(evaluations, "engine_name", lambda cmd: "Even 1")
    found = random_dataset(tmp_path, games=64, shares=(0, 0, 0, 1), bands=BANDS, each=2)
    folder = tmp_path / "lichess-rapid"
    found.folder.rename(folder)
    return folder


def test_three_ways_to_judge_the_same_games(dataset):
    (part,) = evaluations.parts(True, [dataset], []).values()
    assert part.settings["engine"] == ["Even 1", 100, 1.5]
    heard = []
    row = part.run(lambda *told: heard.append(told), {})
    assert row["sides"] == 8 * 6
    assert list(row["shares"]) == list(row["one_game"]) == [ALONE, RECORDED, MADE]
    exact = {way: np.array(told["exact"])[:, 0] for way, told in row["shares"].items()}
    for one in row["differences"]:
        apart = exact[one["of"]] - exact[one["from"]]
        assert np.array(one["exact"])[:, 0] == pytest.approx(apart, abs=2e-4)
    assert heard[-1][0] == heard[-1][1]
    text = "\n".join(evaluations.page({"lichess-rapid": row | {"settings": part.settings}}))
    assert "Even 1 has 100 nodes a position" in text
    shown = re.search(rf"\| {RECORDED} \| exact \| ([\d.]+)%", text)
    assert float(shown[1]) == pytest.approx(100 * exact[RECORDED][0], abs=0.06)


def test_intervals_hold_the_middle_of_the_drawings():
    drawn = np.linspace(0, 1, 101)[:, None, None] * np.ones((101, 2, 2))
    told = evaluations.numbers_of(np.concatenate([np.full((1, 2, 2), 0.5), drawn]))
    assert told["exact"] == [[0.5, 0.025, 0.975]] * 2


def test_what_cannot_be_measured(dataset, monkeypatch):
    with pytest.raises(UsageError, match="leave out --net"):
        evaluations.parts(True, [dataset], [dataset])
    with pytest.raises(UsageError, match="no estimator of other reads evaluations"):
        evaluations.parts(True, [dataset.rename(dataset.with_name("other"))], [])
    monkeypatch.setattr(evaluations, "engine_there", lambda cmd: False)
    with pytest.raises(UsageError, match="stockfish is not installed"):
        evaluations.parts(True, [dataset.with_name("other").rename(dataset)], [])
