"""Graphs that no writer of ours makes are refused before anything runs them."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from onnx import GraphProto
from protobuf_writer import field
from random_networks import random_network

from evenmatch.errors import NetworkError
from evenmatch.games import get_game
from evenmatch.network import artifact, onnx_graph
from evenmatch.network.artifact import check_graph
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.leela.weights import read_leela
from evenmatch.network.onnx_graph import Graph

CONNECT4 = get_game("connect4")
NETS = Path(artifact.__file__).parents[1] / "nets"


@pytest.mark.parametrize("path", sorted(NETS.glob("*.onnx")), ids=lambda path: path.stem)
def test_networks_that_ship_are_let_through(path):
    assert artifact.metadata(path)


def tensor(*dims, kind=1, raw=bytes(4), more=b""):
    sizes = b"".join(field(1, size) for size in dims)
    return field(5, sizes + field(2, kind) + field(8, "w") + field(9, raw) + more)


@pytest.mark.parametrize(
    ("graph", "wrong"),
    [
        (tensor(1, more=field(14, 1)), "not in it"),
        (tensor(1, more=field(13, field(1, "location") + field(2, "/etc/passwd"))), "not in it"),
        (tensor(1 << 40), "of another size"),
        (tensor(1 << 20, 1 << 20), "of another size"),
        (tensor(1, kind=8), "of another type"),
        (field(15, b""), "another kind"),
        (field(5, 3), "no graph"),
        (field(1, field(4, "ConstantOfShape")), "ConstantOfShape"),
        (field(1, field(4, "Relu") + field(7, "com.other")), "Relu"),
        (field(1, field(4, "Relu") + field(5, field(1, "then") + field(6, b""))), "of its own"),
    ],
)
def test_what_our_writers_do_not_write_is_refused(graph, wrong):
    with pytest.raises(ValueError, match=wrong):
        check_graph(graph)


def test_dimensions_may_be_packed():
    check_graph(field(5, field(1, b"\x02\x02") + field(2, 1) + field(9, bytes(16))))


@pytest.fixture
def lying(tmp_path):
    """Write a network with the card of a real one and another graph; return its file."""
    real = random_network(tmp_path / "real.onnx", game="connect4")

    def write(graph):
        if isinstance(graph, bytes):
            graph = GraphProto.FromString(graph)
        artifact.write_graph(graph, artifact.read_card(real), tmp_path / "lying.onnx")
        return tmp_path / "lying.onnx"

    return write


def evaluated(path):
    return NetworkEvaluator(path, CONNECT4).evaluate(CONNECT4.initial(1))


def test_files_that_are_named_in_a_network_are_not_read(lying):
    with pytest.raises(NetworkError, match="is refused because it has weights that are not in it"):
        evaluated(lying(tensor(1, more=field(14, 1))))


@pytest.mark.parametrize("graph", [b"", field(2, "empty"), field(1, field(4, "Relu"))])
def test_graphs_that_cannot_be_run(lying, graph):
    with pytest.raises(NetworkError, match="cannot be run"):
        evaluated(lying(graph))


def small(policy, grow=0):
    """A graph of a linear policy of so many moves, and a layer of ``grow`` x ``grow`` numbers."""
    g = Graph()
    planes, height, width = CONNECT4.planes, CONNECT4.height, CONNECT4.width
    count = planes * height * width
    x, rng = g.flat("planes"), np.random.default_rng(0)
    if grow:
        long = g.constant(np.zeros((grow, 1), np.float32), "tall")
        wide = g.node("Add", long, g.constant(np.zeros((1, grow), np.float32), "wide"), name="all")
        x = g.node("Mul", x, g.node("ReduceProd", wide, name="one", keepdims=0), name="scaled")
    for name, size in (("policy", policy), ("column", 1)):
        weight = rng.normal(size=(size, count)).astype(np.float32)
        g.affine(x, weight, np.zeros(size, np.float32), name)
    g.node("Squeeze", "column", g.constant(np.array([1], np.int64), "axis"), name="value")
    keeps = {}
    for name in artifact.KEEP_NAMES:
        keeps[name] = (1,)
        g.node("Mul", name, name, name=f"{name}.used")
    inputs = {"planes": (planes, height, width)} | keeps
    return g.serialize("small", inputs, {"policy": (policy,), "value": ()})


def test_a_policy_of_other_moves_is_not_searched_by(lying, monkeypatch):
    monkeypatch.setattr("evenmatch.network.backend.KEEP_NAMES", ())
    assert evaluated(lying(small(7))).logits.shape == (1, 7)
    with pytest.raises(NetworkError, match="does not fit connect4"):
        evaluated(lying(small(3)))


def test_layers_that_fill_the_memory_are_not_made(lying, monkeypatch):
    monkeypatch.setattr("evenmatch.network.backend.KEEP_NAMES", ())
    assert evaluated(lying(small(7, grow=10))).logits.shape == (1, 7)
    with pytest.raises(NetworkError, match="cannot be run"):
        evaluated(lying(small(7, grow=10_000)))


def test_files_larger_than_networks_are_not_read(tmp_path, monkeypatch):
    assert artifact.LARGEST > 1 << 28
    monkeypatch.setattr(artifact, "LARGEST", 1000)
    (tmp_path / "large.onnx").write_bytes(bytes(1001))
    with pytest.raises(NetworkError, match=r"cannot read network .* .File too large."):
        artifact.read_card(tmp_path / "large.onnx")


def test_weights_that_unpack_to_much_are_refused(tmp_path):
    """Ten packed bytes would be ten thousand."""
    bomb = gzip.compress(b"\x0d" + (0x1C0).to_bytes(4, "little") + bytes(1 << 28))
    (tmp_path / "bomb.pb.gz").write_bytes(bomb)
    with pytest.raises(NetworkError, match="corrupt"):
        read_leela(tmp_path / "bomb.pb.gz")


GOOD = {
    "game": "connect4", "shape": [3, 6, 7], "planes": "", "actions": 7, "blocks": 1, "channels": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [{"blocks": "a"}, {"shape": [3, "6", 7]}, {"actions": -7}, {"scales": 1}, {"game": []}, {}],
)
def test_cards_with_fields_of_another_type(changed, tmp_path):
    properties = {
        artifact.CARD_KEY: json.dumps(GOOD | changed),
        artifact.DIGEST_KEY: hashlib.sha256(b"").hexdigest(),
    }
    (tmp_path / "a.onnx").write_bytes(onnx_graph.model(GraphProto(), properties))
    if not changed:
        assert artifact.read_card(tmp_path / "a.onnx").blocks == 1
        return
    with pytest.raises(NetworkError, match=r"the card of .* cannot be read"):
        artifact.read_card(tmp_path / "a.onnx")
