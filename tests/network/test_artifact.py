"""The network file: what is written is what is read, and bad files say what to do."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import onnx
import pytest
from tiny_networks import TinyChess, make_card, make_net

from evenmatch.errors import EvenmatchError, NetworkError
from evenmatch.games.catalog import game_info
from evenmatch.network import artifact
from evenmatch.network.conditions import condition_count, conditions
from evenmatch.search import NOTHING, Request

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.workshop.networks.export import write_artifact  # noqa: E402
from evenmatch.workshop.networks.modules import read_weights  # noqa: E402


def one_line(caught):
    assert isinstance(caught.value, EvenmatchError)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_card_survives(path):
    assert artifact.read_card(path) == make_card(strength={"minimax-3": "0.8 +- 0.05 of 200"})


def test_graph_is_valid_onnx(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)


def test_card_is_read_without_onnx_torch_or_openvino(path):
    code = (
        "import sys\n"
        "for name in ('onnx', 'torch', 'openvino', 'google.protobuf'): sys.modules[name] = None\n"
        "from evenmatch.network.artifact import read_card\n"
        "print(read_card(sys.argv[1]).game)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout.strip() == "tiny", done.stderr


def test_networks_that_ship_are_run_without_onnx_or_torch():
    code = (
        "import sys\n"
        "for name in ('onnx', 'torch', 'google.protobuf'): sys.modules[name] = None\n"
        "from evenmatch.games import get_game\n"
        "from evenmatch.network.inference import network_of\n"
        "game = get_game('connect4')\n"
        "print(network_of(game).evaluate(game.initial(1)).logits.shape)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout.strip() == "(1, 7)", done.stderr


def test_weights_survive(net, path):
    """Rebuilt weights are float16: relative error 2^-11 each, see test_inference for the bound."""
    planes = torch.rand(8, 2, 4, 5).round()
    with torch.no_grad():
        for old, new in zip(net(planes), read_weights(path)(planes), strict=True):
            torch.testing.assert_close(old, new, atol=1e-2, rtol=1e-2)


def test_a_second_export_is_the_same_function(path, tmp_path):
    """float16 weights are exact in float32, so exporting what was read changes (almost) nothing."""
    first = read_weights(path)
    write_artifact(first, make_card(), tmp_path / "again.onnx")
    second = read_weights(tmp_path / "again.onnx")
    planes = torch.rand(8, 2, 4, 5)
    with torch.no_grad():
        for old, new in zip(first(planes), second(planes), strict=True):
            torch.testing.assert_close(old, new, atol=1e-5, rtol=1e-5)


def test_calibrate_keeps_the_function_and_normalises(path):
    from evenmatch.workshop.networks.resnet import calibrate

    planes = torch.rand(64, 2, 4, 5).round()
    module = read_weights(path)
    with torch.no_grad():
        before = module(planes)
        calibrate(module, planes)
        for mode in (module.eval(), module.train()):
            for old, new in zip(before, mode(planes), strict=True):
                torch.testing.assert_close(old, new, atol=1e-4, rtol=1e-3)


def test_every_truncation_and_flip_is_noticed(path, tmp_path):
    data, bad = path.read_bytes(), tmp_path / "bad.onnx"
    for size in [0, 1, 5, *range(7, len(data), len(data) // 40), len(data) - 1]:
        bad.write_bytes(data[:size])
        with pytest.raises(NetworkError) as caught:
            artifact.read_card(bad)
        assert str(bad) in one_line(caught)
    for at in range(20, len(data), len(data) // 40):
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        try:  # a flip in the card's free text cannot be noticed; one in the graph must be
            artifact.read_card(bad)
            assert data.rindex(b"evenmatch.card") < at
        except NetworkError:
            pass


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff" * 100, b"\x08\x01" * 9])
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(NetworkError) as caught:
        artifact.read_card(tmp_path / "x")
    one_line(caught)


def test_missing_and_folder(tmp_path):
    for path in (tmp_path / "none.onnx", tmp_path):
        with pytest.raises(NetworkError, match="check the path") as caught:
            artifact.read_card(path)
        one_line(caught)


def test_foreign_onnx_is_refused(path, tmp_path):
    model = onnx.load(path)
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "foreign.onnx")
    with pytest.raises(NetworkError, match="no evenmatch card"):
        artifact.read_card(tmp_path / "foreign.onnx")


def test_shipped_path(monkeypatch):
    with pytest.raises(NetworkError, match="evenmatch train"):
        artifact.shipped_path("tic-tac-toe")
    assert artifact.shipped_path("go7", "go") == artifact.shipped_path("go")
    assert artifact.shipped_path("go9", "tic-tac-toe") == artifact.shipped_path("go9")
    monkeypatch.setitem(artifact.SHIPPED, "connect4", "nowhere.onnx")
    with pytest.raises(NetworkError, match="reinstall"):
        artifact.shipped_path("connect4")


def test_a_failed_write_leaves_the_old_file(path, tmp_path, monkeypatch):
    target = tmp_path / "net.onnx"
    target.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_artifact(make_net(), make_card(), target)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["net.onnx"]


def test_what_cannot_be_exported(tmp_path):
    with pytest.raises(NetworkError, match="does not fit"):
        write_artifact(make_net(), make_card(channels=99), tmp_path / "n.onnx")
    broken = make_net()
    broken.policy_out.weight.data[0, 0] = 1e6
    with pytest.raises(NetworkError, match="policy_out"):
        write_artifact(broken, make_card(), tmp_path / "n.onnx")
    assert not os.listdir(tmp_path)


def chess_net(**shape):
    """A random network of chess's shapes."""
    sizes = {"planes": 3, "height": 8, "width": 8, "actions": 1858}
    return make_net(**sizes, chess_policy=True, **shape)


class Said(NamedTuple):
    """What a network says, as torch tells it and the artifact."""

    logits: torch.Tensor
    value: torch.Tensor
    strength: torch.Tensor


def three_ways(net, card, path, request=NOTHING):
    """What 20 positions give by torch, by the artifact in float32, and by torch read back."""
    from evenmatch.network.inference import NetworkEvaluator

    game = TinyChess()
    write_artifact(net, card, path)
    states = np.random.default_rng(2).integers(0, 1 << 63, (20, 3), np.uint64)
    planes = np.zeros((20, 3, 8, 8), np.float32)
    game.encode(states, planes)
    told = None
    if request.ratings is not None:
        told = torch.from_numpy(
            conditions(request.ratings, request.scales, len(card.scales), card.condition_knots)
        )
    with torch.no_grad():
        wanted, again = (
            module(torch.from_numpy(planes), None, told) for module in (net, read_weights(path))
        )
    evaluator = NetworkEvaluator(path, game, precision="f32")
    got = evaluator.evaluate(states, request)
    outputs = [(x.logits, x.value, x.strength) for x in (wanted, again)]
    return Said(*outputs[0]), (got.logits, got.values, got.scores), Said(*outputs[1])


def moved_off_zero(net):
    """Give what begins at zero some weights."""
    with torch.no_grad():
        for weight in net.parameters():
            if not weight.any():
                weight.normal_(0, 0.1)
    return net


@pytest.mark.parametrize("squeezed", [0, 3])
@pytest.mark.parametrize("normed", [True, False])
def test_chess_policy_and_strength_survive(tmp_path, normed, squeezed):
    """Torch, the artifact in float32, and torch read back agree; weights are float16 on disk."""
    card = make_card("chess", shape=(3, 8, 8), actions=1858)
    net = moved_off_zero(chess_net(strength=5, normed=normed, squeezed=squeezed))
    wanted, got, again = three_ways(net, card, tmp_path / "chess.onnx")
    assert wanted.logits.std() > 0.05
    assert wanted.strength.shape == (20, 5)
    for one, two, three in zip(wanted, got, again, strict=True):
        assert one.numpy() == pytest.approx(two, abs=0.01)
        assert one.numpy() == pytest.approx(three.numpy(), abs=0.01)


def test_without_norms_blocks_begin_as_the_identity():
    net, planes = make_net(normed=False), torch.rand(2, 16, 4, 5)
    assert torch.equal(net.blocks[0](planes), planes)
    assert not any(isinstance(x, torch.nn.BatchNorm2d) for x in net.modules())


def test_conditions_survive_and_change_the_policy_alone(tmp_path):
    net = chess_net(conditions=condition_count(2, game_info("chess").knots))
    with torch.no_grad():
        for layer in (net.policy_block.scale, net.policy_block.shift):
            layer.weight.normal_()
            layer.bias.normal_(0, 0.1)
    card = make_card("chess", shape=(3, 8, 8), actions=1858, scales=["a", "b"])
    ratings = np.linspace(500, 2900, 20)
    told = [
        Request(ratings=x, scales=np.full(20, scale))
        for x, scale in ((ratings, 0), (ratings, 1), (0 * ratings, 0))
    ]
    seen = [three_ways(net, card, tmp_path / "chess.onnx", x) for x in told]
    for wanted, got, again in seen:
        for one, two, three in zip(wanted, got, again, strict=True):
            assert one.numpy() == pytest.approx(two, abs=0.02)
            assert one.numpy() == pytest.approx(three.numpy(), abs=0.02)
    (first, *_), (second, *_), (unknown, *_) = seen
    assert not torch.allclose(first.logits, second.logits, atol=0.1)
    assert torch.equal(first.value, second.value)
    assert torch.equal(first.strength, second.strength)
    nothing = three_ways(net, card, tmp_path / "chess.onnx", told[2])[1]
    for one, two in zip(unknown, nothing, strict=True):
        assert one.numpy() == pytest.approx(two, abs=0.02)


def test_scales_and_conditions_must_fit(tmp_path):
    card = make_card("chess", shape=(3, 8, 8), actions=1858, scales=["a"])
    with pytest.raises(NetworkError, match="1 rating scales, the network 0 conditions"):
        write_artifact(chess_net(), card, tmp_path / "chess.onnx")


def test_leelas_weights_are_told_from_damaged_networks(tmp_path):
    path = tmp_path / "maia.pb.gz"
    path.write_bytes(b"\x1f\x8b\x08 and so on")
    with pytest.raises(NetworkError, match="is in Leela's format; `evenmatch network import`"):
        artifact.read_card(path)
