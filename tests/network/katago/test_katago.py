"""KataGo's networks: they compute what the format says, on every board; others say why not."""

import gzip

import numpy as np
import onnx
import pytest
from katago_boards import SHIPPED_FILE, Board, random_planes
from katago_reference import POSITIONS, WEIGHTS, inputs_of, reference_positions
from oracle_katago import RandomNet
from oracle_katago_modern import ModernNet
from planes import evaluate_planes
from shared_data import needs, shared_file

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import read_card
from evenmatch.network.imported import import_network
from evenmatch.network.inference import NetworkEvaluator, draw_masks
from evenmatch.network.katago.graph import import_katago
from evenmatch.network.katago.profiles import profile_rows
from evenmatch.network.katago.weights import read_katago
from evenmatch.search import Request

# as for Leela's networks (test_leela.py): these are smaller, and their logits too
F32_TOLERANCE = 2.5e-4


def evaluator(path, size, precision="f32"):
    return NetworkEvaluator(path, Board(size), device="cpu", precision=precision)


@pytest.fixture
def net(tmp_path):
    """A small network, imported to net.onnx."""
    net = RandomNet()
    (tmp_path / "net.bin.gz").write_bytes(net.packed())
    import_katago(tmp_path / "net.bin.gz", tmp_path / "net.onnx")
    return net


def assert_equals(got, want, tolerance=F32_TOLERANCE):
    policy, wdl, lead, owner = want
    np.testing.assert_allclose(got.logits, policy, atol=tolerance)
    np.testing.assert_allclose(got.wdl, wdl, atol=tolerance)
    np.testing.assert_allclose(got.values, wdl[:, 0] - wdl[:, 2], atol=2 * tolerance)
    np.testing.assert_allclose(got.leads, lead, atol=20 * tolerance)  # points: 20 to an output of 1
    np.testing.assert_allclose(got.ownership, owner, atol=tolerance)


# -- networks made here -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 9, 14, 19])
def test_one_artifact_serves_all_boards(net, tmp_path, size):
    planes = random_planes(3, size)
    got = evaluate_planes(evaluator(tmp_path / "net.onnx", size), planes)
    assert got.scores is None
    assert_equals(got, net.forward(planes))


@pytest.mark.parametrize("kinds", [("gpool_block",), ("ordinary_block",) * 2, ("gpool_block",) * 3])
def test_other_blocks(tmp_path, kinds):
    net = RandomNet(2, kinds, channels=9)
    (tmp_path / "net.bin.gz").write_bytes(net.packed())
    card = import_network(tmp_path / "net.bin.gz", tmp_path / "net.onnx")
    planes = random_planes(2, 7)
    assert_equals(evaluate_planes(evaluator(tmp_path / "net.onnx", 7), planes), net.forward(planes))
    assert read_card(tmp_path / "net.onnx") == card
    assert (card.game, card.shape, card.actions) == ("go", (41, 0, 0), 0)
    assert (card.blocks, card.channels, card.command) == (
        len(kinds), 9, "evenmatch network import net.bin.gz --out net.onnx"
    )  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        {"blocks": ("res", "pool"), "act": "SILU"},
        {"blocks": (("res", "pool"), ("pool", "res", "res")), "encoder": True},
        {"blocks": ("attention", "ffn"), "rms": "point"},
        {"blocks": (("attention", "ffn"), "res"), "rms": "whole", "rope": "fixed", "act": "SILU"},
        {"blocks": ("attention", ("ffn",), "pool"), "rope": None, "heads": (3, 3), "act": "RELU"},
        {"blocks": (("res",),), "act": "IDENTITY"},
    ],
    ids=lambda settings: "-".join(map(str, settings["blocks"])),
)
def test_blocks_of_today(tmp_path, settings):
    net = ModernNet(**settings)
    (tmp_path / "net.bin.gz").write_bytes(net.packed())
    card = import_network(tmp_path / "net.bin.gz", tmp_path / "net.onnx")
    assert card.profiles == bool(settings.get("encoder"))
    for size in (7, 10):
        planes, mine = random_planes(2, size), evaluator(tmp_path / "net.onnx", size)
        if not card.profiles:
            assert_equals(evaluate_planes(mine, planes), net.forward(planes))
            continue
        request = Request(ratings=np.array([2300.0, 1990.0]), scales=np.array([1, 2]))
        rows = profile_rows(request.ratings, request.scales, size * size)
        assert_equals(evaluate_planes(mine, planes, request), net.forward(planes, rows))


def test_games_without_result_are_of_simple_ko_or_territory(net, tmp_path):
    planes = random_planes(4, 9)
    planes[:, 28] = np.array([0, 1, 0, 1])[:, None, None]
    planes[:, 31] = np.array([0, 0, 1, 1])[:, None, None]
    got = evaluate_planes(evaluator(tmp_path / "net.onnx", 9), planes)
    assert (got.wdl[:, 1] > 1e-9).tolist() == [True, False, True, True]
    assert_equals(got, net.forward(planes))


def test_dropout_masks_stand_before_the_last_layers(net, tmp_path):
    planes, seeds = random_planes(3, 9), np.arange(1, 4, dtype=np.uint64)
    mine = evaluator(tmp_path / "net.onnx", 9)
    got = evaluate_planes(mine, planes, Request(np.full(3, 0.4), seeds.copy()))
    masks = [np.empty((3, size), np.float32) for size in (5, 15, 7)]
    draw_masks(np.full(3, 0.4), seeds.copy(), *masks)
    want = net.forward(planes, masks)
    assert_equals(got, want)
    assert np.abs(want[0] - net.forward(planes)[0]).max() > 0.1


def test_large_batches(net, tmp_path):
    planes = random_planes(70, 9)
    assert_equals(evaluate_planes(evaluator(tmp_path / "net.onnx", 9), planes), net.forward(planes))


def test_half_precision(net, tmp_path):
    """float16 keeps 11 bits of a weight; errors of a few layers add up to a few times that."""
    import_katago(tmp_path / "net.bin.gz", tmp_path / "half.onnx", half=True)
    sizes = [(tmp_path / name).stat().st_size for name in ("net.onnx", "half.onnx")]
    assert sizes[1] < 0.75 * sizes[0]
    planes = random_planes(3, 9)
    got = evaluate_planes(evaluator(tmp_path / "half.onnx", 9), planes)
    assert_equals(got, net.forward(planes), 2e-2)
    assert read_card(tmp_path / "half.onnx") == read_card(tmp_path / "net.onnx")


def test_the_graph_is_valid_onnx(net, tmp_path):
    import_katago(tmp_path / "net.bin.gz", tmp_path / "half.onnx", half=True)
    for name in ("net.onnx", "half.onnx"):
        onnx.checker.check_model(onnx.load(tmp_path / name), full_check=True)


def test_imported_networks_stay_on_the_cpu(net, tmp_path):
    pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    from evenmatch.workshop.networks.modules import read_weights

    with pytest.raises(NetworkError, match="use device=cpu"):
        read_weights(tmp_path / "net.onnx")


def test_other_games_have_other_networks(net, tmp_path):
    with pytest.raises(NetworkError, match="plays go; use one trained for hex9"):
        NetworkEvaluator(tmp_path / "net.onnx", Board(9, "hex"), device="cpu")


# -- files that are not read ------------------------------------------------------------------


def refusal(tmp_path, data):
    """Return why a file is not read, in one line."""
    path = tmp_path / "net.bin"
    path.write_bytes(data)
    with pytest.raises(NetworkError) as caught:
        read_katago(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), "FILE")


@pytest.mark.parametrize("version", [7, 18])
def test_other_versions_are_named(tmp_path, version):
    assert refusal(tmp_path, RandomNet(version=version).packed()) == (
        f"network FILE is of KataGo's model version {version}; versions 8 to 17 are read"
    )


def test_other_blocks_are_named(tmp_path):
    data = RandomNet(kinds=("dilated_block",)).packed()
    assert "blocks of kind 'dilated_block', which is not read" in refusal(tmp_path, data)


def test_other_inputs_are_named(tmp_path):
    data = gzip.decompress(RandomNet().packed()).replace(b"\n22\n19\n", b"\n13\n12\n", 1)
    assert "inputs of another version than 7" in refusal(tmp_path, data)


@pytest.mark.parametrize("data", [b"", b"hello", b"hello world\n", b"PK\x03\x04" * 99])
def test_other_files_are_refused(tmp_path, data):
    assert "FILE holds no KataGo network; give a .bin.gz file" in refusal(tmp_path, data)


def test_files_of_today_that_are_cut_are_refused(tmp_path):
    plain = gzip.decompress(ModernNet((("res", "attention", "ffn"),), encoder=True).packed())
    for end in np.linspace(90, len(plain) - 10, 40).astype(int):
        assert "corrupt; download" in refusal(tmp_path, plain[:end])


def test_corrupt_files_are_refused(tmp_path):
    """Cut or changed anywhere: the reader finds it, or what it reads is finite numbers."""
    packed = RandomNet().packed()
    assert "corrupt; download" in refusal(tmp_path, packed[: len(packed) // 2])
    plain = gzip.decompress(packed)
    for end in np.linspace(20, len(plain) - 10, 40).astype(int):
        assert "corrupt; download" in refusal(tmp_path, plain[:end])
    changed = plain.replace(b"@BIN@", b"@BAN@", 3)
    assert "corrupt; download" in refusal(tmp_path, changed)
    start = plain.index(b"@BIN@") + 5
    infinite = plain[:start] + np.float32(np.inf).tobytes() + plain[start + 4 :]
    assert "corrupt; download" in refusal(tmp_path, infinite)
    huge = plain.replace(b"stem\n5\n5\n22\n", b"stem\n5\n5\n99999999999\n", 1)
    assert "corrupt; download" in refusal(tmp_path, huge)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NetworkError, match="no weights file"):
        read_katago(tmp_path / "none.bin.gz")


# -- KataGo's own answers ---------------------------------------------------------------------


def seen_by_mover(position):
    """Return (win, none, loss), lead and ownership of a position of the reference."""
    sign = 1 if position["to_move"] == "W" else -1
    win, loss = (position[f"white{name}"] for name in ("Win", "Loss")[::sign])
    wdl = win, position["noResult"], loss
    return wdl, sign * position["whiteLead"], sign * np.array(position["white_ownership"])


def compared(path):
    """Return the largest differences to the reference: policy, wdl, lead, ownership."""
    worst = np.zeros(4)
    mine = {size: evaluator(path, size) for size in (9, 13, 19)}
    for position in reference_positions():
        got = evaluate_planes(mine[position["size"]], inputs_of(position)[None])
        policy = [*position["policy"], position["policy_pass"]]
        legal = np.array([chance is not None for chance in policy])
        chances = np.exp(got.logits[0][legal] - got.logits[0][legal].max(), dtype=float)
        chances /= chances.sum()
        wdl, lead, owner = seen_by_mover(position)
        errors = (
            chances - np.array(policy, float)[legal],
            got.wdl[0] - wdl,
            got.leads[0] - lead,
            got.ownership[0] - owner,
        )
        worst = np.maximum(worst, [np.abs(error).max() for error in errors])
    return worst


@needs(WEIGHTS, POSITIONS)
def test_outputs_are_those_of_katago(tmp_path):
    import_katago(shared_file(WEIGHTS), tmp_path / "net.onnx")
    assert (compared(tmp_path / "net.onnx") < [1e-4, 1e-4, 0.005, 1e-4]).all()


@needs(WEIGHTS, POSITIONS)
def test_half_precision_stays_near(tmp_path):
    card = import_katago(shared_file(WEIGHTS), tmp_path / "net.onnx", half=True)
    assert (tmp_path / "net.onnx").stat().st_size < 3 << 20
    assert (compared(tmp_path / "net.onnx") < [2e-3, 2e-3, 0.1, 5e-3]).all()
    assert (card.blocks, card.channels, card.licence) == (6, 96, "CC0-1.0")


@needs(POSITIONS)
def test_the_network_that_ships_stays_near():
    assert (compared(SHIPPED_FILE) < [2e-3, 2e-3, 0.1, 5e-3]).all()


def test_the_network_that_ships_has_a_card():
    card = read_card(SHIPPED_FILE)
    assert (card.game, card.blocks, card.channels, card.licence) == ("go", 6, 96, "CC0-1.0")
    assert SHIPPED_FILE.stat().st_size < 3_000_000
    page = " ".join(SHIPPED_FILE.with_suffix(".md").read_text().split())
    for told in (card.command, card.licence, card.notes):
        assert told in page
