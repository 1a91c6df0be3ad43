"""KataGo's network as a torch module: it computes what the file says, and what is exported."""

from dataclasses import replace

import numpy as np
import pytest
from katago_boards import SHIPPED_FILE, Board, random_planes
from katago_reference import POSITIONS, WEIGHTS, inputs_of, reference_positions
from oracle_katago import RandomNet
from planes import evaluate_planes
from shared_data import needs, shared_file

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.games import get_game  # noqa: E402
from evenmatch.network.artifact import SHIPPED, shipped_path  # noqa: E402
from evenmatch.network.card import Card  # noqa: E402
from evenmatch.network.conditions import RatingCondition, condition_count, conditions  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator  # noqa: E402
from evenmatch.network.katago.graph import import_katago  # noqa: E402
from evenmatch.search import Request  # noqa: E402
from evenmatch.workshop.networks.export import load_arrays, write_artifact  # noqa: E402
from evenmatch.workshop.networks.katago_module import BoardNet, BoardNetConfig, katago_module  # noqa: E402
from evenmatch.workshop.networks.modules import read_weights  # noqa: E402
from evenmatch.workshop.networks.torch_backend import TorchBackend  # noqa: E402

KNOTS = (100, 2100, 4100)
SCALES = ["one", "two"]
TOLERANCE = 2e-5


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def net(tmp_path):
    """A small network, as a model file net.bin.gz."""
    net = RandomNet()
    (tmp_path / "net.bin.gz").write_bytes(net.packed())
    return net


def told(module):
    """The same weights in a module that is told ratings and has a strength head."""
    torch.manual_seed(1)
    count = condition_count(len(SCALES), KNOTS)
    larger = BoardNet(replace(module.config, conditions=count, strength=5, strength_channels=4))
    load_arrays(larger, {name: p.detach().numpy() for name, p in module.named_parameters()})
    return larger.eval()


def trained(module):
    """A module that was told something by its conditions."""
    torch.manual_seed(2)
    for name, weight in module.named_parameters():
        if ".film." in name:
            torch.nn.init.normal_(weight, std=0.3)
    return module


def card_of(module):
    ranks = {"lowest": 1000, "width": 200, "count": 2}
    return Card(
        game="go", planes="", scales=SCALES, knots=list(KNOTS), ranks=ranks, **module.config.on_card
    )


@torch.no_grad()
def said(module, planes, *more):
    return module(torch.from_numpy(planes), *more)


def assert_near(got, want, tolerance=TOLERANCE):
    """Compare a module's output with the oracle's."""
    policy, wdl, lead, owner = want
    np.testing.assert_allclose(got.logits, policy, atol=tolerance)
    np.testing.assert_allclose(got.wdl, wdl, atol=tolerance)
    np.testing.assert_allclose(got.value, wdl[:, 0] - wdl[:, 2], atol=tolerance)
    np.testing.assert_allclose(got.lead, lead, atol=20 * tolerance)
    np.testing.assert_allclose(got.ownership, owner, atol=tolerance)


@pytest.mark.parametrize("size", [5, 9, 19])
def test_it_computes_what_the_file_says(net, tmp_path, size):
    planes = random_planes(4, size)
    planes[:, 28] = np.array([0, 1, 0, 1])[:, None, None]
    planes[:, 31] = np.array([0, 0, 1, 1])[:, None, None]
    got = said(katago_module(tmp_path / "net.bin.gz"), planes)
    assert_near(got, net.forward(planes))
    decided = got.value_score.tanh() * (1 - got.wdl[:, 1])
    np.testing.assert_allclose(got.value, decided, atol=TOLERANCE)
    assert got.beta is None


def test_an_artifact_gives_the_same_module(net, tmp_path):
    import_katago(tmp_path / "net.bin.gz", tmp_path / "net.onnx")
    one, two = (katago_module(tmp_path / name).state_dict() for name in ("net.bin.gz", "net.onnx"))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_masks_stand_before_the_last_layers(net, tmp_path):
    planes, rng = random_planes(3, 9), np.random.default_rng(3)
    module = katago_module(tmp_path / "net.bin.gz")
    masks = [(rng.random((3, size)) < 0.5).astype(np.float32) for size in module.config.keep_sizes]
    got = said(module, planes, [torch.from_numpy(mask) for mask in masks])
    assert_near(got, net.forward(planes, masks))


def test_untrained_it_plays_as_the_file_whatever_it_is_told(net, tmp_path):
    module, planes = katago_module(tmp_path / "net.bin.gz"), random_planes(3, 9)
    larger = told(module)
    rows = torch.from_numpy(conditions([0, 1000, 3000], [0, 0, 1], len(SCALES), KNOTS))
    got, want = said(larger, planes, None, rows), said(module, planes)
    for name in ("logits", "value", "wdl", "lead", "ownership"):
        assert torch.equal(getattr(got, name), getattr(want, name)), name
    assert got.strength.shape == (3, 5)


@pytest.mark.parametrize("size", [7, 13])
def test_what_is_exported_says_the_same(net, tmp_path, size):
    """On any board, at any rating; weights are rounded to float16 once, and then stay."""
    path, planes = tmp_path / "human.onnx", random_planes(4, size)
    module = trained(told(katago_module(tmp_path / "net.bin.gz")))
    write_artifact(module, card_of(module), path)
    again = read_weights(path)
    assert again.config == module.config
    ratings, scales = np.array([0.0, 500, 2100, 4000]), np.array([0, 1, 0, 1], np.int32)
    rows = torch.from_numpy(conditions(ratings, scales, len(SCALES), KNOTS))
    mine = NetworkEvaluator(path, Board(size), device="cpu", precision="f32")
    got, want = (
        evaluate_planes(mine, planes, Request(ratings=ratings, scales=scales)),
        said(again, planes, None, rows),
    )
    assert_near(want, (got.logits, got.wdl, got.leads, got.ownership), 2.5e-4)
    np.testing.assert_allclose(got.scores, want.strength, atol=2.5e-4)
    rounded = said(module, planes, None, rows)
    np.testing.assert_allclose(rounded.logits, want.logits, atol=2e-2)
    write_artifact(again, card_of(again), tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == path.read_bytes()


def test_it_runs_by_torch_too(net, tmp_path, monkeypatch):
    """As on a GPU, but here, and in float32."""
    path, planes = tmp_path / "human.onnx", random_planes(4, 9)
    module = trained(told(katago_module(tmp_path / "net.bin.gz")))
    write_artifact(module, card_of(module), path)
    by_torch = NetworkEvaluator(path, Board(9), device="cpu", precision="f32")
    by_torch._backend = TorchBackend(path, (41, 9, 9), "cpu", "f32")
    want = evaluate_planes(NetworkEvaluator(path, Board(9), device="cpu", precision="f32"), planes)
    got = evaluate_planes(by_torch, planes)
    for name, one in got._asdict().items():
        np.testing.assert_allclose(one, getattr(want, name), atol=5e-3, err_msg=name)


def test_the_conditions_change_the_policy(net, tmp_path):
    module, planes = trained(told(katago_module(tmp_path / "net.bin.gz"))), random_planes(1, 9)
    rows = [conditions([r], 0, len(SCALES), KNOTS) for r in (500, 4000)]
    one, two = (said(module, planes, None, torch.from_numpy(row)).logits for row in rows)
    assert (one - two).abs().max() > 0.1


def test_several_policies_at_once_are_as_one_by_one(net, tmp_path):
    """What is known of the board's width alone is not repeated for each who is asked."""
    module = trained(told(katago_module(tmp_path / "net.bin.gz")))
    write_artifact(module, card_of(module), tmp_path / "net.onnx")
    go9 = get_game("go9")
    one = NetworkEvaluator(tmp_path / "net.onnx", go9, precision="f32", sizes=(4,))
    states, asked = (
        go9.initial(3),
        [RatingCondition(500.0, 0), RatingCondition(3000.0, 1), RatingCondition(500.0, 1)],
    )
    logits, values = one.evaluate_policies(states, asked)
    for (rating, scale), found in zip(asked, logits, strict=True):
        wanted = one.evaluate(states, Request(ratings=np.full(3, rating), scales=np.full(3, scale)))
        np.testing.assert_allclose(found, wanted.logits, atol=1e-4)
        if (rating, scale) == asked[0]:
            np.testing.assert_allclose(values, wanted.values, atol=1e-5)
    assert np.abs(logits[0] - logits[1]).max() > 1e-3


def test_worth_without_the_policy_is_told_that_nobody_is_known(net, tmp_path):
    """All that it says depends on the conditions, so they stay when the policy goes."""
    module = trained(told(katago_module(tmp_path / "net.bin.gz")))
    write_artifact(module, card_of(module), tmp_path / "net.onnx")
    go9 = get_game("go9")
    one = NetworkEvaluator(tmp_path / "net.onnx", go9, precision="f32", sizes=(1, 4))
    states = np.concatenate(
        [go9.initial(), go9.after(np.repeat(go9.initial(), 4, 0), np.arange(4))]
    )
    worth = one.evaluate_worth(states)._asdict()
    usual = one.evaluate(states)._asdict()
    assert worth.pop("logits").shape == (5, 0)
    for name, found in worth.items():
        np.testing.assert_allclose(found, usual[name], atol=1e-4, err_msg=name)


def test_other_networks_are_refused(tmp_path):
    with pytest.raises(NetworkError, match="is of a shape that is not trained on"):
        katago_module(shipped_path("othello"))
    with pytest.raises(NetworkError, match="as many blocks"):
        BoardNetConfig(inner=(4,))
    card = card_of(module := BoardNet(BoardNetConfig(inner=(4,), pooled=(2,), channels=8)))
    with pytest.raises(NetworkError, match="set its shape fields"):
        write_artifact(module, replace(card, channels=9, scales=[]), tmp_path / "n.onnx")
    with pytest.raises(NetworkError, match="2 rating scales, the network 0 conditions"):
        write_artifact(module, card, tmp_path / "n.onnx")


def test_the_network_that_ships_is_a_module():
    """Its evaluator and the module differ by the order of sums alone."""
    assert SHIPPED["go"] == SHIPPED_FILE.name
    planes = random_planes(2, 13)
    got = said(katago_module(SHIPPED_FILE), planes)
    mine = NetworkEvaluator(SHIPPED_FILE, Board(13), device="cpu", precision="f32")
    want = evaluate_planes(mine, planes)
    np.testing.assert_allclose(got.logits, want.logits, atol=1e-3)
    np.testing.assert_allclose(got.wdl, want.wdl, atol=1e-3)


@needs(WEIGHTS, POSITIONS)
@pytest.mark.parametrize("size", [9, 13, 19])
def test_outputs_are_those_of_katago(size):
    module = katago_module(shared_file(WEIGHTS))
    positions = [p for p in reference_positions() if p["size"] == size]
    got = said(module, np.stack([inputs_of(p) for p in positions]))
    for row, position in enumerate(positions):
        policy = [*position["policy"], position["policy_pass"]]
        legal = np.array([chance is not None for chance in policy])
        chances = got.logits[row][torch.from_numpy(legal)].double().softmax(0)
        np.testing.assert_allclose(chances, np.array(policy, float)[legal], atol=1e-4)
        sign = 1 if position["to_move"] == "W" else -1
        win, loss = (position[f"white{name}"] for name in ("Win", "Loss")[::sign])
        np.testing.assert_allclose(got.wdl[row], (win, position["noResult"], loss), atol=1e-4)
        assert got.lead[row] == pytest.approx(sign * position["whiteLead"], abs=0.005)
        owner = sign * np.array(position["white_ownership"])
        np.testing.assert_allclose(got.ownership[row], owner, atol=1e-4)
