"""The evaluator computes what the torch module computes, for every batch size and mask."""

import numpy as np
import pytest
from planes import evaluate_planes
from random_networks import random_network
from tiny_networks import make_card, make_net

from evenmatch.errors import NetworkError
from evenmatch.games.chess import Chess
from evenmatch.network.artifact import read_card
from evenmatch.network.backend import CPU_SIZES
from evenmatch.network.inference import NetworkEvaluator, draw_masks
from evenmatch.search.evaluator import Evaluation, Request
from evenmatch.workshop.networks.export import write_artifact
from evenmatch.workshop.networks.torch_backend import TorchBackend

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.workshop.networks.modules import read_weights  # noqa: E402

# A float16 weight is off by at most 2^-11 = 4.9e-4 of itself, errors of independent sign, so a
# layer's output is off by about 4.9e-4 / sqrt(3) of its scale, and 7 layers in a row add in
# quadrature: 2.8e-4 * sqrt(7) = 7.5e-4 of an output's scale (about 1). We allow four times.
F16_TOLERANCE = 3e-3
# bfloat16 keeps 8 bits: 2^-9 per rounding of weight and activation, the same sum over the layers
# gives 2^-9 / sqrt(3) * sqrt(2 * 7) = 4e-3 of the scale; beta's head has 9 layers. Ten times.
BF16_TOLERANCE = 5e-2


def planes_of(game, states):
    planes = np.empty((len(states), 2, 4, 5), np.float32)
    game.encode(states, planes)
    return planes


def seeds(n, first=0):
    return np.random.default_rng(first).integers(1, 1 << 63, n, np.uint64)


def by_torch(module, planes, keep=None):
    with torch.no_grad():
        output = module(torch.from_numpy(planes), keep)
    shown = output.logits, output.value, output.strength
    return [x.numpy() for x in shown if x is not None]


@pytest.fixture(scope="module")
def plain(path):
    from tiny_networks import TinyGame

    return NetworkEvaluator(path, TinyGame(), device="cpu", precision="f32")


def kept(evaluation):
    """Copies of arrays that the evaluator's next call overwrites."""
    return Evaluation(*(None if array is None else array.copy() for array in evaluation))


def told(evaluation):
    """The arrays of what there is: logits, values and scores."""
    return [array for array in evaluation if array is not None]


def test_f32_equals_torch(plain, net, path, game, states):
    planes = planes_of(game, states)
    exact, trained = by_torch(read_weights(path), planes), by_torch(net, planes)
    for got, same_weights, module in zip(told(plain.evaluate(states)), exact, trained, strict=True):
        np.testing.assert_allclose(got, same_weights, atol=2e-5, rtol=1e-4)
        np.testing.assert_allclose(got, module, atol=F16_TOLERANCE, rtol=F16_TOLERANCE)
        assert got.dtype == np.float32


def test_bf16_is_close(path, net, game, states):
    got = NetworkEvaluator(path, game, device="cpu", precision="bf16").evaluate(states)
    for mine, exact in zip(told(got), by_torch(net, planes_of(game, states)), strict=True):
        np.testing.assert_allclose(mine, exact, atol=BF16_TOLERANCE * max(1, exact.std()))


def test_the_backend_of_gpus_says_the_same(path, plain, game, states):
    """On the CPU, whose torch is as good."""
    backend = TorchBackend(path, read_card(path).shape, "cpu", "f32")
    planes = planes_of(game, states[:8])
    slot = backend.slot(8, False)
    slot.inputs[0][:] = planes
    slot.run()
    wanted = plain.evaluate(states[:8])
    for name, mine in zip(slot.names, slot.outputs, strict=True):
        np.testing.assert_allclose(mine, getattr(wanted, name), atol=2e-5, rtol=1e-4)
    assert slot.names == ["logits", "values", "scores"]


@pytest.mark.parametrize("n", [0, 1, 5, 64, 65, 70])
def test_every_batch_size_gives_the_same_rows(plain, game, states, n):
    whole, part = kept(plain.evaluate(states)), kept(plain.evaluate(states[:n]))
    by_planes = evaluate_planes(plain, planes_of(game, states[:n]))
    for all_rows, rows, again in zip(told(whole), told(part), told(by_planes), strict=True):
        assert len(rows) == n
        np.testing.assert_allclose(all_rows[:n], rows, atol=1e-5)
        np.testing.assert_array_equal(rows, again)


@pytest.mark.parametrize("n", [3, 70])
def test_no_call_leaves_traces_in_the_next(plain, states, n):
    before = kept(plain.evaluate(states[:n]))
    assert not np.allclose(plain.evaluate(states[::-1][:n]).logits, before.logits)
    for array, again in zip(told(before), told(plain.evaluate(states[:n])), strict=True):
        np.testing.assert_array_equal(array, again)


def test_few_sizes_give_the_same_rows(plain, path, game, states):
    """Two sizes: smaller batches are filled up, larger ones cut."""
    few = NetworkEvaluator(path, game, device="cpu", precision="f32", sizes=(1, 4))
    for n in (1, 3, 4, 6):
        wanted = kept(plain.evaluate(states[:n]))
        for got, array in zip(told(few.evaluate(states[:n])), told(wanted), strict=True):
            np.testing.assert_allclose(got, array, atol=2e-5, rtol=1e-4)
    assert {size for size, _ in few._slots} == {1, 4}


def test_slots_are_few():
    assert list(CPU_SIZES) == sorted(CPU_SIZES)
    assert len(CPU_SIZES) <= 16


def test_no_strength_head_means_no_scores(tmp_path, game, states):
    write_artifact(make_net(strength=False), make_card(), tmp_path / "n.onnx")
    evaluation = NetworkEvaluator(tmp_path / "n.onnx", game, device="cpu").evaluate(states[:2])
    assert evaluation.scores is None
    assert evaluation.values.shape == (2,)


def test_zero_dropout_is_plain(plain, states):
    np.testing.assert_array_equal(
        kept(plain.evaluate(states, Request(np.zeros(70)))).logits, plain.evaluate(states).logits
    )


def test_dropout_is_of_the_row_alone(plain, states):
    """Rows with p = 0 are untouched by rows with p > 0, and scores by all of them."""
    drop = np.where(np.arange(70) % 2, 0.5, 0.0)
    got = kept(plain.evaluate(states, Request(drop, seeds(70))))
    clean = plain.evaluate(states)
    np.testing.assert_allclose(got.logits[::2], clean.logits[::2], atol=1e-5)
    np.testing.assert_allclose(got.values[::2], clean.values[::2], atol=1e-5)
    np.testing.assert_allclose(got.scores, clean.scores, atol=1e-5)
    assert (np.abs(got.logits[1::2] - clean.logits[1::2]).max(1) > 1e-3).all()


def test_rows_are_dropped_independently(plain, states):
    same = np.repeat(states[:1], 32, axis=0)
    logits = plain.evaluate(same, Request(np.full(32, 0.5), seeds(32, 0))).logits.copy()
    assert len(np.unique(logits.round(4), axis=0)) == 32
    again = plain.evaluate(same, Request(np.full(32, 0.5), seeds(32, 0))).logits
    np.testing.assert_array_equal(logits, again)


def test_a_rows_masks_depend_on_its_seed_alone(plain, states):
    drop = np.linspace(0, 0.9, 70)
    whole = kept(plain.evaluate(states, Request(drop, seeds(70))))
    part = plain.evaluate(states[30:40], Request(drop[30:40], seeds(70)[30:40]))
    for all_rows, rows in zip(told(whole), told(part), strict=True):
        np.testing.assert_allclose(all_rows[30:40], rows, atol=1e-5)


def test_masks_keep_the_share_asked_for():
    """Within 5 standard errors (of 512,000 draws): false alarm 6e-7, and the seeds are fixed."""
    masks = [np.empty((1000, size), np.float32) for size in (128, 128, 256)]
    for p in (0.01, 0.5, 0.95):
        draw_masks(np.full(1000, p), seeds(1000), *masks)
        kept = np.concatenate(masks, axis=1)
        assert set(np.unique(kept)) == {np.float32(0), np.float32(1 / (1 - p))}
        assert abs((kept > 0).mean() - (1 - p)) < 5 * (p * (1 - p) / kept.size) ** 0.5


def test_dropout_masks_reach_the_right_places(plain, path, game, states):
    """The masks drawn, given to the torch module, give the same outputs."""
    got = plain.evaluate(states[:8], Request(np.full(8, 0.4), seeds(8)))
    masks = [np.empty((8, size), np.float32) for size in (40, 20, 24)]
    draw_masks(np.full(8, 0.4), seeds(8), *masks)
    keep = tuple(map(torch.from_numpy, masks))
    want = by_torch(read_weights(path), planes_of(game, states[:8]), keep)
    for mine, theirs in zip(told(got), want, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-4, rtol=1e-4)


def test_dropout_keeps_the_mean(plain, states):
    """Policy logits are linear in the mask, so their mean over masks is the plain logits.

    6.5 standard errors on 7 logits: false alarm under 1e-9 (the seed is fixed anyway).
    """
    same = np.repeat(states[:1], 4096, axis=0)
    logits = plain.evaluate(same, Request(np.full(4096, 0.5), seeds(4096, 1))).logits
    error = logits.std(0) / 64
    assert (np.abs(logits.mean(0) - plain.evaluate(states[:1]).logits[0]) < 6.5 * error).all()


def test_torch_backend_equals_openvino(plain, path, states):
    """The CUDA/MPS code path, run on the CPU."""
    other = NetworkEvaluator(path, plain.game, device="cpu", precision="f32")
    other._backend = TorchBackend(path, read_card(path).shape, "cpu", "f32")
    for drop in (None, np.full(70, 0.3)):
        pair = [e.evaluate(states, Request(drop, seeds(70))) for e in (plain, other)]
        for mine, theirs in zip(*map(told, pair), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-4)


@pytest.mark.parametrize("drop", [[0.5, 1.0], [-0.1, 0], [np.nan, 0], [0.5]])
def test_bad_dropout(plain, states, drop):
    with pytest.raises(NetworkError, match="clip"):
        plain.evaluate(states[:2], Request(np.array(drop)))


def test_wrong_game_device_precision(path, game, tmp_path):
    game.id = "other"
    with pytest.raises(NetworkError, match="plays tiny; use one trained for other"):
        NetworkEvaluator(path, game)
    game.id, game.height = "tiny", 9
    with pytest.raises(NetworkError, match="train a new one"):
        NetworkEvaluator(path, game)
    game.height = 4
    with pytest.raises(NetworkError, match="use one of auto, cpu"):
        NetworkEvaluator(path, game, device="tpu")
    with pytest.raises(NetworkError, match="use one of auto, fast, int8, bf16"):
        NetworkEvaluator(path, game, precision="int4")
    (tmp_path / "half.onnx").write_bytes(path.read_bytes()[:500])
    with pytest.raises(NetworkError, match="or is damaged"):
        NetworkEvaluator(tmp_path / "half.onnx", game)
    if not torch.backends.mps.is_available():
        with pytest.raises(NetworkError, match="device=cpu"):
            NetworkEvaluator(path, game, device="mps")


def test_every_row_has_a_rating_and_scale_of_its_own(tmp_path):
    """As each row alone; a rating of 0 is one that is not known."""
    game = Chess()
    path = random_network(tmp_path / "net.onnx", scales=("here", "there"), strength=2 + 16)
    network = NetworkEvaluator(path, game, precision="f32")
    states = game.initial(6)
    ratings = np.array([0, 700, 1500, 1500, 2500, 9000.0])
    scales = np.array([0, 0, 0, 1, 1, 1])
    together = kept(network.evaluate(states, Request(ratings=ratings, scales=scales)))
    for row in range(6):
        part = slice(row, row + 1)
        alone = network.evaluate(states[:1], Request(ratings=ratings[part], scales=scales[part]))
        np.testing.assert_allclose(together.logits[part], alone.logits, atol=1e-5)
        assert np.array_equal(together.values[part], together.values[:1])
    assert len(np.unique(together.logits.round(4), axis=0)) == 6
    unknown = network.evaluate(states[:1])
    np.testing.assert_allclose(together.logits[:1], unknown.logits, atol=1e-5)


def played_on(game, count):
    """Positions of a game of random moves, from the start on."""
    rng, states = np.random.default_rng(5), [game.initial()]
    while len(states) < count:
        legal = np.flatnonzero(game.legal_mask(states[-1])[0])
        states.append(game.after(states[-1], np.array([rng.choice(legal)])))
    return np.concatenate(states)


def test_worth_without_the_policy(tmp_path):
    """All but the policy as usual, also of more positions than the largest slot has."""
    path = random_network(tmp_path / "net.onnx", ("here",), strength=3 + 16)
    network = NetworkEvaluator(path, Chess(), precision="f32")
    states = played_on(Chess(), 70)
    usual, worth = kept(network.evaluate(states)), network.evaluate_worth(states)
    assert worth.logits.shape == (70, 0)
    np.testing.assert_allclose(worth.values, usual.values, atol=1e-5)
    np.testing.assert_allclose(worth.scores, usual.scores, atol=1e-4)
    slot, _ = network._policies_slot(network._backend, 70, 0)
    assert len(slot.inputs) == 1, "what the policy alone is told is not asked for"
    assert "logits" not in slot.names
    assert len(network.evaluate_worth(states[:0]).values) == 0


def test_worth_by_the_backend_of_gpus(plain, path, states):
    other = NetworkEvaluator(path, plain.game, device="cpu", precision="f32")
    other._backend = TorchBackend(path, read_card(path).shape, "cpu", "f32")
    worth, mine = other.evaluate_worth(states), plain.evaluate_worth(states)
    assert worth.logits.shape == mine.logits.shape == (len(states), 0)
    np.testing.assert_allclose(worth.values, mine.values, atol=1e-4)


def test_ratings_that_a_network_does_not_know(plain, states, tmp_path):
    with pytest.raises(NetworkError, match="knows no ratings"):
        plain.evaluate(states[:2], Request(ratings=np.full(2, 1500.0)))
    path = random_network(tmp_path / "net.onnx", scales=("here", "there"))
    network = NetworkEvaluator(path, Chess())
    request = Request(ratings=np.ones(1), scales=np.array([2]))
    with pytest.raises(NetworkError, match="knows 2 rating scales"):
        network.evaluate(Chess().initial(), request)
