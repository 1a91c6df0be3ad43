"""Networks of model versions 8 to 17 compute what KataGo computes; damaged ones are refused."""

import gzip
import tracemalloc
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import pytest
from katago_boards import Board, random_planes
from katago_reference import (
    MODERN,
    RANDOM,
    inputs_of,
    positions_of,
    random_networks,
    reference_positions,
)
from planes import all_outputs, evaluate_planes
from shared_data import needs, shared_file

from evenmatch.errors import NetworkError, UsageError
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.network import backend, owner
from evenmatch.network.imported import import_network
from evenmatch.network.inference import NetworkEvaluator, turned
from evenmatch.network.katago.graph import import_katago
from evenmatch.network.katago.profiles import (
    profile_inputs,
    profile_rows,
    rating_of,
    read_profile,
)
from evenmatch.network.katago.weights import read_katago
from evenmatch.network.openvino_graph import write_ranges
from evenmatch.workshop.networks.range_finding import find_ranges

KATRAIN = "b10c384h6nbttflrs.bin.gz"
KINDS = random_networks() or ["absent"]
OUTPUTS = ("policy", "optimistic", "wdl", "lead", "ownership", "score", "square", "time", "errors")
TOLERANCE = np.array([1e-3, 1e-3, 1e-3, 0.05, 1e-3, 0.05, 1e-3, 0.05, 0.01])  # square: relative


def imported(tmp_path, name):
    """Import a random network; return its artifact."""
    target = tmp_path / f"{name}.onnx"
    import_katago(shared_file(f"{RANDOM}/{name}.bin.gz"), target)
    return target


def chances(logits, wanted):
    """Return the difference to chances of legal moves, None for the others."""
    legal = np.array([chance is not None for chance in wanted])
    mine = np.exp(logits[legal] - logits[legal].max(), dtype=float)
    return np.abs(mine / mine.sum() - np.array(wanted, float)[legal]).max()


def differences(path, positions, precision="f32"):
    """Return the largest differences to positions of the reference, by OUTPUTS."""
    worst, mine = np.zeros(len(OUTPUTS)), {}
    for one in positions:
        size, sign = one["size"], 1 if one["to_move"] == "W" else -1
        if size not in mine:
            mine[size] = NetworkEvaluator(path, Board(size), device="cpu", precision=precision)
        got = all_outputs(mine[size], inputs_of(one), np.array(one.get("metadata", 0)))
        win, loss = (one[f"white{name}"] for name in ("Win", "Loss")[::sign])
        hopeful = one.get("policy_optimistic")
        score, square, time, *errors = got["details"]
        names = ("shorttermWinlossError", "shorttermScoreError")
        found = (
            chances(got["logits"], [*one["policy"], one["policy_pass"]]),
            chances(got["optimistic"], [*hopeful, one["policy_pass_optimistic"]]) if hopeful else 0,
            np.abs(got["wdl"] - (win, one["noResult"], loss)).max(),
            abs(sign * got["leads"] - one["whiteLead"]),
            np.abs(sign * got["ownership"] - one["white_ownership"]).max(),
            abs(sign * score - one["whiteScoreSelfplay"]),
            abs(square / one["whiteScoreSelfplaySq"] - 1),
            abs(time - one["varTimeLeft"]),
            np.abs(np.array(errors) - [one[name] for name in names]).max(),
        )
        worst = np.maximum(worst, found)
    return worst


@needs(MODERN, RANDOM)
@pytest.mark.parametrize("name", KINDS)
def test_outputs_are_those_of_katago(tmp_path, name):
    path = imported(tmp_path, name)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    worst = differences(path, positions_of(name))
    assert (worst < TOLERANCE).all(), dict(zip(OUTPUTS, worst, strict=True))


@needs(MODERN)
def test_outputs_of_katrains_network_are_those_of_katago(tmp_path):
    """10 bottlenecks of transformers, 384 channels: where the package katrain is installed."""
    found = find_spec("katrain")
    folders = found.submodule_search_locations if found else None
    files = [Path(folder) / "models" / KATRAIN for folder in folders or []]
    if not any(map(Path.is_file, files)):
        pytest.skip("katrain is absent: pip install katrain")
    import_katago(files[0], tmp_path / "net.onnx")
    of_it = [one for one in reference_positions(MODERN) if one["net"].startswith(KATRAIN)]
    worst = differences(tmp_path / "net.onnx", of_it)
    assert (worst < TOLERANCE).all(), dict(zip(OUTPUTS, worst, strict=True))


@needs(MODERN, RANDOM)
def test_half_precision_stays_near(tmp_path):
    for name in ("nbt-v15", "nbttflrs-v15"):
        path = tmp_path / f"{name}.onnx"
        import_network(shared_file(f"{RANDOM}/{name}.bin.gz"), path, half=True)
        assert (differences(path, positions_of(name))[[0, 2, 4]] < 5e-3).all()


# As measured (docs/notes/katago-networks.md), with room for other processors.
@needs(MODERN, RANDOM)
@pytest.mark.parametrize(
    ("name", "precision", "policy", "value"),
    [
        ("nbt-v15", "bf16", 0.01, 0.02),
        ("nbttflrs-v17", "bf16", 0.02, 0.03),
        ("tfrs-v17", "bf16", 0.01, 0.02),
        ("nbt-v15", "int8", 0.02, 0.03),
        ("nb3t-v15", "int8", 0.01, 0.02),
    ],
)
def test_policy_and_value_keep_at_less_precision(tmp_path, name, precision, policy, value):
    path, game = imported(tmp_path, name), get_game("go9")
    states = np.concatenate([line_of(game, seed).states[8::8] for seed in range(4)])
    if precision == "int8":
        ranges = find_ranges(path, game, game.as_roots(states))
        write_ranges(path, ranges, {})
        assert len(ranges) > 4
    exact, rounded = (
        NetworkEvaluator(path, game, device="cpu", precision=one).evaluate(states)
        for one in ("f32", precision)
    )
    legal = game.legal_mask(states)
    off = np.abs(softmax(exact.logits, legal) - softmax(rounded.logits, legal)).max()
    assert 0 < off < policy
    assert np.abs(exact.values - rounded.values).max() < value


def line_of(game, seed):
    """A game of 40 random moves."""
    line, rng = Line(game), np.random.default_rng(seed)
    for _ in range(40):
        line.push(int(rng.choice(line.legal[:-1])))
    return line


def softmax(logits, legal):
    chances = np.exp(np.where(legal, logits, -np.inf) - logits.max(1, keepdims=True))
    return chances / chances.sum(1, keepdims=True)


@needs(MODERN, RANDOM)
def test_profiles_are_those_of_katago():
    for one in reference_positions(MODERN, "profiles"):
        profile, black = read_profile(one["profile"]), one["to_move"] == "B"
        got = profile_inputs(profile, one["size"] ** 2, black)
        np.testing.assert_allclose(got, one["metadata"], atol=1e-6)


def test_conditions_name_profiles():
    rows = profile_rows(np.array([2300, 2290, 3100, 1990, 0]), np.array([0, 0, 1, 2, 0]), 81)
    for row, name in zip(rows, ("rank_8k", "rank_8k", "preaz_1d", "proyear_1990"), strict=False):
        np.testing.assert_array_equal(row, profile_inputs(read_profile(name), 81, True))
    np.testing.assert_array_equal(rows[4], profile_inputs(None, 81, True))
    assert (rating_of("5k", "preaz"), rating_of("2001", "proyear")) == (2600, 2001)


@pytest.mark.parametrize(
    "name", ["", "rank", "rank_", "rank_21k", "rank_10d", "preaz_5", "proyear_1799", "proyear_2024",
             "proyear_1990_1991", "rank_5k_6k_7k", "rank_5k\n", "x" * 1000]
)  # fmt: skip
def test_other_profiles_are_refused(name):
    with pytest.raises(UsageError, match=r"no profile .* write rank_8k, rank_8k_2d, preaz_8k"):
        read_profile(name)


@needs(RANDOM)
def test_boards_are_turned(tmp_path):
    """Outputs turn with the board, but for what a network has not learned."""
    mine = NetworkEvaluator(imported(tmp_path, "nbt-v15"), Board(7), device="cpu", precision="f32")
    rng = np.random.default_rng(1)
    planes = np.zeros((41, 7, 7), np.float32)
    planes[0], planes[1] = 1, rng.random((7, 7)) < 0.3
    for symmetry in range(8):
        got = all_outputs(mine, turned(planes, symmetry, back=True), symmetry=symmetry)
        want = all_outputs(mine, planes)
        moves = turned(want["logits"][:49].reshape(7, 7), symmetry, back=True)
        np.testing.assert_allclose(got["logits"][:49].reshape(7, 7), moves, atol=1e-4)
        np.testing.assert_allclose(got["leads"], want["leads"], atol=1e-3)


def test_symmetries_are_numbered_as_katago_has_them():
    board = np.arange(4).reshape(2, 2)
    assert turned(board, 1).tolist() == [[2, 3], [0, 1]]
    assert turned(board, 2).tolist() == [[1, 0], [3, 2]]
    assert turned(board, 4).tolist() == [[0, 2], [1, 3]]
    for symmetry in range(8):
        assert (turned(turned(board, symmetry), symmetry, back=True) == board).all()


# -- what a network is ------------------------------------------------------------------------


@needs(RANDOM)
def test_a_network_is_described(tmp_path):
    net = read_katago(shared_file(f"{RANDOM}/nbt-meta-v15.bin.gz"))
    assert net.description == (
        "KataGo model version 15, 16 channels, mish; blocks: 1 nested bottleneck (2 residual), 1 "
        "nested bottleneck (1 residual with pooling, 1 residual); encoder of people's profiles"
    )
    card = import_katago(shared_file(f"{RANDOM}/nbt-meta-v15.bin.gz"), tmp_path / "net.onnx")
    assert (card.profiles, card.scales, card.knots) == (
        True, ["kgs", "preaz", "proyear"], [1100, 3900]
    )  # fmt: skip
    plain = read_katago(shared_file(f"{RANDOM}/res-v8.bin.gz")).description
    assert plain.endswith("blocks: 2 residual, 1 residual with pooling; no encoder of people")


# -- files that are not read ------------------------------------------------------------------

REFUSED = [
    (b"ACTIVATION_MISH", b"ACTIVATION_GELU", "activations of kind 'ACTIVATION_GELU'"),
    (b"transformer_ffn_block", b"transformer_moe_block", "blocks of kind 'transformer_moe_block'"),
    (b"blockstack.1\n16\n24\n1\n", b"blockstack.1\n16\n24\n0\n", "without a gate"),
    (b"150.0\n0\n0\n0\n", b"150.0\n0\n0\n1\n", "options of a kind that is not known"),
    (b"150.0\n0\n0\n", b"150.0\n2\n0\n", "an encoder or planes of a version"),
    (b"policy_head\n4\n0\n", b"policy_head\n4\n7\n", "options of the policy"),
    (b"policy_head\n4\n", b"policy_head\n6\n", "a policy of 6 channels"),
    (b"norm_trunkfinal\n16\n1e-06\n1\n0\n", b"norm_trunkfinal\n16\n1e-06\n1\n4\n", "by groups"),
]


def plain_file(name):
    return gzip.decompress(shared_file(f"{RANDOM}/{name}.bin.gz").read_bytes())


def refusal(tmp_path, data):
    """Return why a file is not read, in one line; it takes little memory to find out."""
    path = tmp_path / "net.bin"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(NetworkError) as caught:
            read_katago(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert most < 8 * len(data) + (1 << 20)
    return str(caught.value)


@needs(RANDOM)
@pytest.mark.parametrize(("old", "new", "missing"), REFUSED)
def test_what_is_not_read_is_named(tmp_path, old, new, missing):
    data = plain_file("mixed-q-v17")
    assert old in data
    assert f"{missing}" in refusal(tmp_path, data.replace(old, new, 1))


@needs(RANDOM)
@pytest.mark.parametrize("name", ["mixed-q-v17", "nbt-meta-v15", "tflrs-gqa-v17", "tfrs-v17"])
def test_damaged_files_are_refused(tmp_path, name):
    data = plain_file(name)
    for end in np.linspace(60, len(data) - 3, 25).astype(int):
        assert "corrupt; download" in refusal(tmp_path, data[:end])


@needs(RANDOM)
@pytest.mark.parametrize("name", ["mixed-q-v17", "nbt-meta-v15", "tflrs-gqa-v17", "tfrs-v17"])
def test_changed_words_are_refused_or_read(tmp_path, name):
    """Numbers in the text may become any: the reader raises NetworkError alone."""
    data, rng = plain_file(name), np.random.default_rng(3)
    words = [at for at in range(len(data) - 1) if data[at : at + 1].isdigit() and at < 4000]
    for at in rng.choice(words, 60):
        for digit in (b"0", b"9", b"-", b"99999999", b"x"):
            path = tmp_path / "net.bin"
            path.write_bytes(data[:at] + digit + data[at + 1 :])
            with suppress(NetworkError):
                read_katago(path)


@needs(RANDOM)
def test_attention_fits_the_memory(tmp_path, monkeypatch):
    """Batches are as large as what compares all points with each other allows."""
    path, planes = imported(tmp_path, "nbttflrs-meta-v17"), random_planes(5, 19)
    whole = NetworkEvaluator(path, Board(19), device="cpu", precision="f32")
    want = evaluate_planes(whole, planes).values.copy()
    monkeypatch.setattr(backend, "LARGEST_OUTPUT", 2 * 2 * 361**2)  # two heads
    monkeypatch.setattr(owner, "_loaded", {})
    small = NetworkEvaluator(path, Board(19), device="cpu", precision="f32")
    assert small._sizes == (1, 2)
    np.testing.assert_allclose(evaluate_planes(small, planes).values, want, atol=1e-5)
