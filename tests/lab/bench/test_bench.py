"""Benchmarks: the rows come, complete and finite. How fast anything is, is not tested."""

import math
from pathlib import Path

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import GAMES, get_game, random_positions
from evenmatch_lab.bench import bench, cases, memory_use, run, timing
from evenmatch_lab.bench import peers as others

KEYS = {
    "benchmark",
    "game",
    "batch",
    "evaluations_per_second",
    "network_share",
    "ratio",
    "peer",
    "peer_evaluations_per_second",
    "note",
    "machine",
}


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """A tiny untrained network."""
    pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    from evenmatch.workshop.training.alphazero import SelfPlayTraining
    from evenmatch.workshop.training.presets import get_preset

    folder = tmp_path_factory.mktemp("run")
    training = SelfPlayTraining(
        get_game("connect4"), get_preset("tiny", "connect4"), folder, name="tiny"
    )
    training.write_network(training.network)
    return training.network


def positive(number):
    return math.isfinite(number) and number > 0


def check(row):
    assert set(row) >= KEYS
    assert row["game"] in GAMES
    assert row["batch"] >= 1
    if row["note"].startswith("skipped"):
        assert row["evaluations_per_second"] is None
    elif row["benchmark"] == "memory of a forest":
        assert row["bytes"] > 0
    else:
        assert positive(row["evaluations_per_second"])
    assert (row["ratio"] is None) == (row["peer"] is None)
    assert row["ratio"] is None or positive(row["ratio"])
    assert row["network_share"] is None or 0 < row["network_share"] <= 1


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux tells the present use"
)
def test_a_full_forest_takes_the_memory_it_reserves():
    """Of 7 MB, give or take half: what else a process takes meanwhile is far less."""
    used = memory_use.forest_bytes(get_game("connect4"), 64, 500, None)
    assert used["resident"] == pytest.approx(used["reserved"], rel=0.5)


def test_memory_precision_and_proofs_have_rows(monkeypatch):
    """Games whose networks have no ranges, or that prove nothing, have none. Nothing is timed."""

    class Network:
        def __init__(self, path, game, precision="auto"):
            self.network_game = game

        def warm(self, batch):
            pass

        def bare(self, states):
            return "task"

    measured = timing.Comparison(rate=2.0, share=0.5, peer_rate=4.0, ratio=0.5)
    used = {"resident": 2_000_000, "reserved": 3_000_000}
    monkeypatch.setattr(bench, "MeteredNetwork", Network)
    monkeypatch.setattr(bench, "compare", lambda *given: measured)
    for name, found in {"searching": None, "timed": "task", "forest_bytes": used}.items():
        monkeypatch.setattr(cases, name, lambda *given, found=found, **more: found)
    rows = run(quick=True, only=["memory", "precision", "proofs"], games=["connect4", "chess"])
    for row in rows:
        check(row)
    assert {(row["benchmark"], row["game"], row["peer"]) for row in rows} == {
        ("memory of a forest", "connect4", None),
        ("memory of a forest", "chess", None),
        ("network in int8", "chess", "the same in float32"),
        ("network in bf16", "chess", "the same in float32"),
        ("search with proofs", "chess", "the same without"),
    }
    assert rows[0]["note"].startswith("2.0 MB resident")
    assert "(3 MB reserved)" in rows[0]["note"]


def test_peers_that_are_absent_say_how_to_install_them(monkeypatch):
    monkeypatch.setattr(others, "find_spec", lambda name: None)
    rows = run(quick=True, only=["constant"])
    assert len(rows) == 4
    for row in rows:
        check(row)
        assert row["ratio"] is None
        assert "pip install 'evenmatch[peers]'" in row["note"]


def test_a_network_of_ones_own(net):
    heard = []
    rows = run(
        quick=True,
        progress=heard.append,
        nets={"connect4": net},
        only=["search"],
        games=["connect4"],
    )
    assert len(heard) == len(rows)
    assert {row["game"] for row in rows} == {"connect4"}
    assert [row["batch"] for row in rows] == [1, 8, 1]
    for row in rows:
        check(row)
        assert row["note"].startswith(f"{net.stem}, ")
        assert row["peer"] == "bare network"
        assert row["network_share"] is not None


def test_a_missing_network_is_told(monkeypatch):
    from evenmatch.network import artifact

    monkeypatch.setattr(artifact, "SHIPPED", {})
    row = run(quick=True, only=["self-play"])[0]
    check(row)
    assert row["note"].startswith("skipped: no network of connect4")


def test_unknown_names_are_refused():
    with pytest.raises(UsageError, match="choose from: search, self-play"):
        run(quick=True, only=["serch"])
    with pytest.raises(UsageError, match="unknown game"):
        run(quick=True, nets={"conect4": "x.onnx"})


def test_compare_alternates_and_takes_medians():
    order = []

    def task(name, *rates):
        rates = iter(rates)

        def run_once():
            order.append(name)
            return timing.Timing(int(next(rates)), 1.0, 0.5)

        return run_once

    result = timing.compare(task("a", 0, 10, 30, 20), task("b", 0, 10, 10, 40), 3, 0.0)
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"
    assert result == (20, 0.5, 10, 1.0)


def test_the_network_is_metered(net):
    game = get_game("connect4")
    network = timing.MeteredNetwork(net, game)
    network.kept = []
    states = game.initial(5)
    sample = network.metered(lambda: [network.evaluate(states) for _ in range(3)])()
    assert sample.done == 15
    assert 0 < sample.network < sample.seconds
    assert network.draw_kept(7).shape == (7, 2)
    bare = network.bare(states)()
    assert bare.done == 5
    assert bare.seconds == bare.network


def test_mctx_plays_connect_four():
    """The Connect Four written for mctx agrees with ours on random games."""
    pytest.importorskip("mctx", reason="mctx absent: pip install evenmatch[peers]")
    game = get_game("connect4")
    for states in random_positions(game, 64, seed=3):
        legal = game.legal_mask(states)
        logits = np.asarray(others._logits(others.column_boards(states)))
        going = legal.any(1)
        assert ((logits == 0) == legal)[going].all()
        actions = legal.argmax(1)[going]
        after = game.after(states[going], actions)
        boards, won, full = (
            np.asarray(x) for x in others.drop(others.column_boards(states[going]), actions)
        )
        ended, outcomes = game.outcome(after)
        assert (boards == others.column_boards(after)).all()
        assert (won == (outcomes == -1)).all()
        assert ((won | full) == ended).all()


def test_mctx_searches():
    pytest.importorskip("mctx", reason="mctx absent: pip install evenmatch[peers]")
    states = get_game("connect4").initial(2)
    for considered in (0, 7):
        visits = others.mctx_peer(states, 14, considered).search()
        assert (visits.sum(1) == 14).all()


def test_openspiel_searches():
    pytest.importorskip("open_spiel", reason="OpenSpiel absent: pip install evenmatch[peers]")
    assert others.openspiel_peer(30).search().sum() == 29  # the first evaluates the root
