"""Tournaments of ACE's classes: over networks given, and what the games say."""

import json

import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.arena import Played
from evenmatch.players import parse_spec
from evenmatch_lab import get_experiment
from evenmatch_lab.ace2019 import class_tournament, theta_fit
from evenmatch_lab.runner import run
from evenmatch_lab.shared import agents


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("classes")
    random_dataset(path, games=12, shares=(0, 0, 1, 0))
    return path / "dataset"


def rows_of(*batches):
    """Results of two classes, by batches of pairs' counts: two games decide each the same way."""
    settings = {"players": ["ace:elo=1250", "ace:elo=1650"]}
    return {
        f"D - B, batch {k}": {
            "settings": settings,
            "score": [2 * won, 2 * lost, 2 * even],
            "pairs": [lost, 0, even, 0, won],
            "distinct": 2 * (won + lost + even),
        }
        for k, (won, lost, even) in enumerate(batches, 1)
    }


def test_every_method_is_begun_before_any_goes_on(folder, tmp_path):
    net = random_network(tmp_path / "maia.onnx")
    parts = class_tournament.parts(False, [folder], [net])
    keys = [key for key in parts if class_tournament.FITTED not in key]
    first = keys[: 4 * 6]
    assert all(key.endswith(", batch 1") for key in first)
    assert {key.partition(": ")[0] for key in first} == {*class_tournament.METHODS, "ace, maia"}
    assert len(keys) == class_tournament.BATCHES * len(first)
    assert {parts[key].settings["games"] for key in keys} == {20}


def test_theta_is_fitted_to_a_network_before_its_classes_meet(folder, tmp_path, monkeypatch):
    net, met = random_network(tmp_path / "maia.onnx"), []
    thetas = {1200: [0.5, 1.5, 3.0], 1600: [0.7, 1.25, 2.0]}

    def fit(folder, path, scale, lowest, *_):
        assert (path, scale) == (net, None), "it is told no rating"
        return {"theta": thetas[lowest]}

    def play(specs, pairings, game, *, lines, **_):
        met.append(specs)
        return [Played(p, 1.0 if p.first else -1.0, tuple(lines[p.opening])) for p in pairings]

    monkeypatch.setattr(theta_fit, "fit", fit)
    monkeypatch.setattr(agents, "play", play)
    monkeypatch.setattr(class_tournament, "METHODS", {})
    experiment = get_experiment("class_tournament")
    page = run(experiment, tmp_path, quick=True, data=[folder], nets=[net])
    [(low, high)] = met
    wanted = {"net": str(net), "sims": 4}
    assert parse_spec(low)[1] == wanted | {"elo": 1250, "tau": 0.5, "t": 1.5, "c_puct": 3.0}
    assert parse_spec(high)[1] == wanted | {"elo": 1650, "tau": 0.7, "t": 1.25, "c_puct": 2.0}
    results = json.loads(page.with_suffix(".json").read_text())
    assert str(tmp_path) not in json.dumps(results), "where a file is says nothing to others"
    assert "tau, t and C_puct: D 0.50, 1.50, 3.00; B 0.70, 1.25, 2.00." in page.read_text()
    thetas[1200] = [0.6, 1.5, 3.0]
    del results["parts"]["ace, maia, fitted to D"]
    page.with_suffix(".json").write_text(json.dumps(results))
    run(experiment, tmp_path, quick=True, data=[folder], nets=[net])
    assert len(met) == 2, "another theta plays anew"


def test_intervals_are_by_pairs():
    """200 games that come in pairs alike say less than 200 by themselves: sqrt(2) as wide."""
    one = class_tournament.Tournament(rows_of((10, 40, 0), (10, 40, 0)))
    low, high = one.pairs["D", "B"].interval()
    alone = one.scores["D", "B"].interval()
    assert one.scores["D", "B"].games == 200
    assert (high - low) / (alone.high - alone.low) == pytest.approx(2**0.5, rel=0.05)
    assert f"0.200 ({low:.3f} to {high:.3f})" in "\n".join(one.tables())


def test_a_class_is_below_the_next_only_with_its_whole_interval():
    clear = class_tournament.Tournament(rows_of((10, 40, 0)))
    assert clear.beaten() == ["D"]
    assert 0 < clear.share < 1, "20% is 241 Elo, where the ratings say 400"
    unclear = class_tournament.Tournament(rows_of((10, 12, 0)))
    assert unclear.beaten() == []
    assert unclear.gaps[0] > 0
    [said, *_] = class_tournament.findings({"ace": unclear})
    assert "in order by the estimates; 0 of 1 score below half" in said
    [said, *_] = class_tournament.findings({"ace": class_tournament.Tournament(rows_of((9, 1, 0)))})
    assert "are not in order" in said
