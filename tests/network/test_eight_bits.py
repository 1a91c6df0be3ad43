"""Eight bits: beside the torch module whose layers are rounded by hand; files that are refused."""

import json

import numpy as np
import pytest
from tiny_networks import make_card, make_net

from evenmatch.errors import NetworkError, UsageError
from evenmatch.network import backend as devices
from evenmatch.network import processor
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.openvino_graph import ranges_path, read_ranges, write_ranges
from evenmatch.workshop.networks.range_finding import find_ranges

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.workshop.networks.export import write_artifact  # noqa: E402

PAYS = processor.eight_bits_pay()
NO_UNITS = "no eight-bit products here: results of other instructions are less exact"
# Weights in half precision are off by 2^-11 of themselves, which moves few roundings to eight bits;
# see F16_TOLERANCE of test_inference. A rounding that moves is 1/255 of a layer's input.
TOLERANCE = 1e-2


@pytest.fixture
def own(net, tmp_path, monkeypatch):
    """A network in a folder of its own, on a processor without bfloat16."""
    monkeypatch.setattr(devices, "bf16_pays", lambda: False)
    path = tmp_path / "tiny.onnx"
    write_artifact(net, make_card(), path)
    return path


def planes_of(game, states):
    planes = np.empty((len(states), 2, 4, 5), np.float32)
    game.encode(states, planes)
    return torch.from_numpy(planes)


def trunk(net):
    """The convolutions that eight bits are for, in order."""
    return [conv for block in net.blocks for conv in (block.first[0], block.second[0])]


def largest_inputs(net, planes):
    """The most that goes into each of them."""
    seen = []
    hooks = [
        conv.register_forward_pre_hook(lambda _, given: seen.append(float(given[0].max())))
        for conv in trunk(net)
    ]
    with torch.no_grad():
        net(planes)
    for hook in hooks:
        hook.remove()
    return seen


def rounded(net_seed, ranges):
    """The network with inputs and weights of its trunk rounded to levels."""
    net = make_net(seed=net_seed)
    for conv, most in zip(trunk(net), ranges, strict=True):
        weight = conv.weight.data
        step = weight.abs().amax((1, 2, 3), keepdim=True) / 127
        conv.weight.data = (weight / step).round() * step
        level = most / 255
        conv.register_forward_pre_hook(
            lambda _, given, level=level: ((given[0] / level).round().clamp(0, 255) * level,)
        )
    return net


def test_ranges_are_the_largest_inputs(net, own, game, states):
    found = find_ranges(own, game, states)
    wanted = largest_inputs(net, planes_of(game, states))
    np.testing.assert_allclose(list(found.values()), wanted, rtol=2e-3)


@pytest.mark.skipif(not PAYS, reason=NO_UNITS)
def test_beside_the_module_rounded_by_hand(net, own, game, states):
    write_ranges(own, find_ranges(own, game, states), {})
    said = NetworkEvaluator(own, game, precision="int8").evaluate(states)
    ranges = largest_inputs(net, planes_of(game, states))
    with torch.no_grad():
        wanted = rounded(0, ranges)(planes_of(game, states))
        exact = net(planes_of(game, states))
    np.testing.assert_allclose(said.values, wanted.value, atol=TOLERANCE)
    np.testing.assert_allclose(said.logits, wanted.logits, atol=TOLERANCE)
    off = np.abs(said.logits - exact.logits.numpy()).mean()
    beside = np.abs(wanted.logits.numpy() - exact.logits.numpy()).mean()
    assert off > beside / 2 > 0  # it is rounded at all


def test_fast_is_eight_bits_where_they_pay(own, game, states, monkeypatch):
    backend = lambda **kind: NetworkEvaluator(own, game, **kind)._backend.precision  # noqa: E731
    for pays in (True, False):
        monkeypatch.setattr(devices, "eight_bits_pay", lambda pays=pays: pays)
        assert backend(precision="fast") == "f32"  # without ranges
    write_ranges(own, find_ranges(own, game, states), {})
    assert backend(precision="fast") == "f32"
    assert backend(precision="auto") == "f32"
    monkeypatch.setattr(devices, "eight_bits_pay", lambda: True)
    assert backend(precision="fast") == "int8"
    assert backend(precision="auto") == "f32"


def test_without_ranges_there_are_no_eight_bits(own, game):
    with pytest.raises(NetworkError, match="network quantize"):
        NetworkEvaluator(own, game, precision="int8")


def test_ranges_are_kept(own, game, states):
    ranges = find_ranges(own, game, states)
    path = write_ranges(own, ranges, {"seed": 3})
    assert path == ranges_path(own)
    assert json.loads(path.read_text())["made"] == {"seed": 3}
    kept = read_ranges(own)
    assert kept.keys() == ranges.keys()
    np.testing.assert_allclose(list(kept.values()), list(ranges.values()), rtol=1e-5)


def test_ranges_of_another_network_are_as_good_as_none(own, game, states, tmp_path):
    write_ranges(own, find_ranges(own, game, states), {})
    other = tmp_path / "other.onnx"
    write_artifact(make_net(seed=1), make_card(), other)
    ranges_path(own).rename(ranges_path(other))
    assert read_ranges(other) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"graph": "x"}',
        '{"graph": "x", "layers": []}',
        '{"graph": "x", "layers": {}}',
        '{"graph": "x", "layers": {"a": "b"}}',
        '{"graph": "x", "layers": {"a": -1}}',
        '{"graph": "x", "layers": {"a": NaN}}',
        '{"graph": "x", "layers": {"a": 1e999}}',
        f'{{"graph": "x", "layers": {{"a": 1{"0" * 400}}}}}',
        "[" * 100_000,
        " " * (2 << 20),
    ],
)
def test_damaged_ranges_are_refused_in_a_line(own, text):
    ranges_path(own).write_text(text)
    with pytest.raises(NetworkError, match="holds no ranges of a network; delete"):
        read_ranges(own)


def test_ranges_of_other_layers_are_refused(own, game):
    write_ranges(own, {"nothing": 1.0}, {})
    with pytest.raises(NetworkError, match="cannot be run"):
        NetworkEvaluator(own, game, precision="int8").evaluate(np.zeros((1, 2), np.uint64))


def test_the_environment_chooses(monkeypatch):
    monkeypatch.delenv(processor.VARIABLE, raising=False)
    assert processor.precision() == "fast"
    monkeypatch.setenv(processor.VARIABLE, "bf16")
    assert processor.precision() == "bf16"
    monkeypatch.setenv(processor.VARIABLE, "int4")
    with pytest.raises(UsageError, match="EVENMATCH_PRECISION=int4 is not known"):
        processor.precision()
