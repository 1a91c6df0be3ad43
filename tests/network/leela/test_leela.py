"""Leela's weights: what is read computes what the format says; what is not read says why.

Networks of the format are made here, so most tests need no files. Those with real weights and
positions skip where the data folder is absent.
"""

import csv
import gzip
import math
import os
import sys

import numpy as np
import onnx
import pytest
from planes import evaluate_planes
from shared_data import FOLDER, needs

pytest.importorskip("google.protobuf", reason="protobuf absent: pip install evenmatch[test]")
chess = pytest.importorskip("chess", reason="python-chess absent: pip install evenmatch[test]")
import oracle_lc0 as oracle  # noqa: E402

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.games.chess import Chess  # noqa: E402
from evenmatch.network.artifact import read_card  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator, draw_masks  # noqa: E402
from evenmatch.network.leela import policy_planes as lc0_policy  # noqa: E402
from evenmatch.network.leela.graph import import_leela  # noqa: E402
from evenmatch.network.leela.weights import read_leela  # noqa: E402
from evenmatch.search import Request  # noqa: E402
from evenmatch.workshop.networks.modules import read_weights  # noqa: E402

MAIA = FOLDER / "weights" / "maia1"
SUITE = FOLDER / "chess" / "STS1-STS15_LAN_v3.epd"
PUZZLES = FOLDER / "chess" / "puzzles.csv"
real = needs("weights/maia1", "chess/STS1-STS15_LAN_v3.epd", "chess/puzzles.csv")

# float32 has 24 bits, 6e-8 a rounding; a layer sums up to 600 terms, which add in quadrature to
# 1.5e-6 of its scale, 15 layers to 6e-6, and logits reach 13: 8e-5. We allow three times.
F32_TOLERANCE = 2.5e-4


def random_planes(n):
    return (np.random.default_rng(5).random((n, 112, 8, 8)) < 0.2).astype(np.float32)


def write(net, path):
    path.write_bytes(gzip.compress(net.SerializeToString(), mtime=0))
    return path


def evaluator(source, folder, precision="f32"):
    import_leela(source, folder / "net.onnx")
    return NetworkEvaluator(folder / "net.onnx", Chess(), device="cpu", precision=precision)


def assert_equals_oracle(evaluator, net, planes):
    logits, values, wdl = oracle.forward(net, planes)
    got = evaluate_planes(evaluator, planes)
    np.testing.assert_allclose(got.logits, logits, atol=F32_TOLERANCE)
    np.testing.assert_allclose(got.values, values, atol=F32_TOLERANCE)
    assert got.scores is None
    if wdl is None:
        assert got.wdl is None
    else:
        np.testing.assert_allclose(got.wdl, wdl, atol=F32_TOLERANCE)


# -- moves ------------------------------------------------------------------------------------


def test_moves_are_those_of_pieces_on_an_empty_board():
    ours = [
        chess.Move(start, to, chess.PIECE_SYMBOLS.index(piece) if piece else None)
        for start, to, piece in lc0_policy.moves()
    ]
    assert ours == oracle.MOVES
    assert len(ours) == lc0_policy.MOVES


def test_known_places_in_the_move_list():
    """A few numbers of Leela's published list."""
    known = {
        "a1b1": 0, "a1a2": 7, "a1h8": 22, "b1a1": 23, "a8a1": 1598, "a7a8q": 1792,
        "a7a8r": 1793, "a7b8q": 1795, "b7a8q": 1798, "h7h8q": 1855, "h7h8b": 1857,
    }  # fmt: skip
    for text, number in known.items():
        move = chess.Move.from_uci(text)
        piece = text[4:]
        assert lc0_policy.moves()[number] == (move.from_square, move.to_square, piece)


def test_gather_indices_follow_the_direction_of_the_move():
    want = [oracle.plane_of(move) * 64 + move.from_square for move in oracle.MOVES]
    assert lc0_policy.gather_indices().tolist() == want
    assert len(set(want)) == 1858
    assert max(want) < lc0_policy.PLANES * 64


# -- networks made here -----------------------------------------------------------------------


@pytest.mark.parametrize("squeezed", [0, 3])
@pytest.mark.parametrize("wdl", [False, True])
@pytest.mark.parametrize("convolutional", [False, True])
def test_every_kind_equals_the_oracle(tmp_path, convolutional, wdl, squeezed):
    net = oracle.random_net(1, convolutional=convolutional, wdl=wdl, squeezed=squeezed)
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    planes = random_planes(5)
    planes[:, 109] = np.arange(0, 100, 20).reshape(5, 1, 1)  # plies without progress, as they are
    assert_equals_oracle(mine, net, planes)
    card = read_card(tmp_path / "net.onnx")
    assert (card.blocks, card.channels, card.shape) == (2, 8, (112, 8, 8))
    assert card.licence == "CC0-1.0"
    assert "7 training steps" in card.notes


@pytest.mark.parametrize("encoding", [1, 2, 3, 4])
def test_encodings_of_weights(tmp_path, encoding):
    net = oracle.random_net(2, blocks=1, encoding=None if encoding == 1 else encoding)
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    assert_equals_oracle(mine, net, random_planes(2))


def test_files_of_before_the_format(tmp_path):
    """No word on the format, biases and no gammas and betas: the first protobuf files."""
    net = oracle.random_net(3, convolutional=False, wdl=False, squeezed=0)
    net.format.ClearField("network_format")
    w = net.weights
    for block in (w.input, w.policy, w.value, *(c for r in w.residual for c in (r.conv1, r.conv2))):
        block.biases.CopyFrom(block.bn_betas)
        block.ClearField("bn_betas")
        block.ClearField("bn_gammas")
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    assert_equals_oracle(mine, net, random_planes(2))


def test_old_structures_have_classical_heads(tmp_path):
    net = oracle.random_net(4, convolutional=False, wdl=False)
    f = net.format.network_format
    f.network, f.policy, f.value = 2, 0, 0
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    assert_equals_oracle(mine, net, random_planes(2))


def test_gammas_count_without_their_sign(tmp_path):
    net = oracle.random_net(6)
    gammas = net.weights.input.bn_gammas
    oracle.put(gammas, -oracle.numbers(gammas))
    assert (oracle.numbers(gammas) < 0).all()
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    assert_equals_oracle(mine, net, random_planes(2))


def test_an_uncompressed_file_is_read_too(tmp_path):
    net = oracle.random_net(1)
    (tmp_path / "n.pb").write_bytes(net.SerializeToString())
    assert read_leela(tmp_path / "n.pb").steps == 7


@pytest.mark.parametrize("convolutional", [False, True])
def test_dropout_masks_stand_before_the_last_layers(tmp_path, convolutional):
    net = oracle.random_net(1, convolutional=convolutional)
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    planes, seeds = random_planes(3), np.arange(1, 4, dtype=np.uint64)
    got = evaluate_planes(mine, planes, Request(np.full(3, 0.4), seeds.copy()))
    sizes = (64 * (8 if convolutional else 4), 64 * 5, 16)
    masks = [np.empty((3, size), np.float32) for size in sizes]
    draw_masks(np.full(3, 0.4), seeds.copy(), *masks)
    logits, values, _ = oracle.forward(net, planes, masks)
    np.testing.assert_allclose(got.logits, logits, atol=F32_TOLERANCE)
    np.testing.assert_allclose(got.values, values, atol=F32_TOLERANCE)
    assert np.abs(logits - oracle.forward(net, planes)[0]).max() > 0.1


def test_wdl_of_large_batches(tmp_path):
    """More rows than one slot holds: the chances are of all of them."""
    net = oracle.random_net(1)
    mine = evaluator(write(net, tmp_path / "n.pb.gz"), tmp_path)
    assert_equals_oracle(mine, net, random_planes(70))


def test_the_graph_is_valid_onnx(tmp_path):
    for convolutional in (False, True):
        net = oracle.random_net(1, convolutional=convolutional)
        import_leela(write(net, tmp_path / "n.pb.gz"), tmp_path / "n.onnx")
        onnx.checker.check_model(onnx.load(tmp_path / "n.onnx"), full_check=True)


def test_imported_networks_stay_on_the_cpu(tmp_path, monkeypatch):
    """With a driver present `auto` would look for CUDA; torch cannot rebuild these."""
    monkeypatch.setattr(os.path, "exists", lambda path: True)
    import_leela(write(oracle.random_net(1), tmp_path / "n.pb.gz"), tmp_path / "n.onnx")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert NetworkEvaluator(tmp_path / "n.onnx", Chess()).device == "cpu"
    with pytest.raises(NetworkError, match="use device=cpu"):
        read_weights(tmp_path / "n.onnx")


# -- what is refused --------------------------------------------------------------------------


def refusal(path):
    with pytest.raises(NetworkError) as caught:
        read_leela(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


KINDS = {
    "body attention": {"network": 6},
    "body ONNX": {"network": 5},
    "body number 99": {"network": 99},
    "input planes canonical v2": {"input": 5},
    "policy head attention": {"policy": 3},
    "value head parameters": {"value": 3},
    "activation Mish": {"default_activation": 1},
    "output number 0": {"output": 0},
}


@pytest.mark.parametrize("what", KINDS)
def test_other_kinds_are_named(tmp_path, what):
    net = oracle.random_net(1)
    for key, value in KINDS[what].items():
        setattr(net.format.network_format, key, value)
    message = refusal(write(net, tmp_path / "n.pb.gz"))
    assert f"has {what}, which is not read; use a residual network" in message


def test_attention_in_disguise(tmp_path):
    """Early attention networks call themselves SE and have encoder layers."""
    net = oracle.random_net(1)
    oracle.put(net.weights.encoder.add().ln1_gammas, [1, 2])
    assert "has body attention" in refusal(write(net, tmp_path / "n.pb.gz"))


def test_an_onnx_model_inside(tmp_path):
    net = oracle.random_net(1)
    net.ClearField("weights")
    net.onnx_model.model = b"x"
    assert "has body ONNX" in refusal(write(net, tmp_path / "n.pb.gz"))


def test_an_unknown_encoding(tmp_path):
    net = oracle.random_net(1)
    net.weights.input.weights.encoding = 9
    assert "weight encoding number 9" in refusal(write(net, tmp_path / "n.pb.gz"))


def test_every_truncation_is_noticed(tmp_path):
    net = oracle.random_net(1, channels=4, blocks=1)
    packed, plain = gzip.compress(net.SerializeToString(), mtime=0), net.SerializeToString()
    for data in (packed, plain):
        for size in range(5, len(data) - 1, len(data) // 50):
            (tmp_path / "n.pb.gz").write_bytes(data[:size])
            assert "corrupt; download" in refusal(tmp_path / "n.pb.gz")


def test_a_corrupt_archive(tmp_path):
    data = bytearray(gzip.compress(oracle.random_net(1).SerializeToString(), mtime=0))
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "n.pb.gz").write_bytes(data)
    assert "corrupt; download" in refusal(tmp_path / "n.pb.gz")


def put_policy(weights, planes):
    oracle.put(weights.policy.weights, np.zeros(planes * 8 * 9))
    oracle.put(weights.policy.biases, np.zeros(planes))


def test_layers_that_do_not_fit(tmp_path):
    for change in (
        lambda w: oracle.put(w.input.weights, np.zeros(50)),
        lambda w: oracle.put(w.input.bn_means, np.zeros(50)),
        lambda w: oracle.put(w.residual[0].se.w2, np.zeros(50)),
        lambda w: oracle.put(w.ip2_val_b, np.zeros(2)),
        lambda w: put_policy(w, planes=73),
        lambda w: w.ClearField("value"),
        lambda w: setattr(w.ip1_val_w, "params", b"odd"),
        lambda w: setattr(w.ip1_val_w, "min_val", math.nan),
    ):
        net = oracle.random_net(1)
        change(net.weights)
        assert "corrupt; download" in refusal(write(net, tmp_path / "n.pb.gz"))


@pytest.mark.parametrize("data", [b"", b"hello", b"2\n0.5 0.25\n", b"\xff" * 100])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_files_that_are_no_weights(tmp_path, data, pack):
    (tmp_path / "n.pb.gz").write_bytes(pack(data))
    assert "holds no Leela weights; give" in refusal(tmp_path / "n.pb.gz")


def test_another_magic_number(tmp_path):
    net = oracle.random_net(1)
    net.magic = 0x1C1
    assert "holds no Leela weights" in refusal(write(net, tmp_path / "n.pb.gz"))


def test_missing_file_and_folder(tmp_path):
    assert "no weights file" in refusal(tmp_path / "none.pb.gz")
    assert "check the path" in refusal(tmp_path)


# -- Maia -------------------------------------------------------------------------------------


def suite(n):
    """Every 15th position of the Strategic Test Suite: (board, best move)."""
    positions = []
    for line in SUITE.read_text().splitlines()[:: 1500 // n]:
        board, operations = chess.Board.from_epd(line)
        positions.append((board, operations["bm"][0]))
    return positions[:n]


def stacked(boards):
    return np.stack([oracle.planes_of(board) for board in boards])


def best_moves(logits, boards):
    """The legal move with the highest logit in each position."""
    return [
        max(board.legal_moves, key=lambda move: row[oracle.index_of(board, move)])
        for row, board in zip(logits, boards, strict=True)
    ]


def chance_of(hits, chances):
    """At most this probability that guessing, with these chances, gives so many hits.

    Chernoff's bound for independent events: exp(-m) (e m / h)^h for h hits, m expected.
    """
    expected = sum(chances)
    return math.exp(hits - expected) * (expected / hits) ** hits


@pytest.fixture(scope="module")
def maia(tmp_path_factory):
    return evaluator(MAIA / "maia-1900.pb.gz", tmp_path_factory.mktemp("maia"))


@real
@pytest.mark.parametrize("elo", [1100, 1500, 1900])
def test_maia_equals_the_oracle(tmp_path, elo):
    source = MAIA / f"maia-{elo}.pb.gz"
    mine = evaluator(source, tmp_path)
    assert_equals_oracle(mine, oracle.read(source), stacked([b for b, _ in suite(20)]))


@real
def test_bf16_changes_little(maia, tmp_path):
    """Probabilities of legal moves, by the sum of absolute differences, and values.

    bfloat16 keeps 8 bits, 2^-9 / sqrt(3) = 0.0011 of the scale a rounding, of weight and activation
    in 15 layers: 0.6% of logits that reach 13, most of it common to all moves. Measured on these
    positions: sum 0.023 on average and 0.073 at most, logits 0.18, values 0.018. We allow twice.
    """
    boards = [board for board, _ in suite(100)]
    planes = stacked(boards)
    exact = evaluate_planes(maia, planes)
    logits, values = exact.logits.copy(), exact.values.copy()
    rough = evaluator(MAIA / "maia-1900.pb.gz", tmp_path, "bf16")
    half = evaluate_planes(rough, planes)
    np.testing.assert_allclose(half.wdl[:, 0] - half.wdl[:, 2], half.values, atol=1e-6)
    gaps = []
    for board, row, other in zip(boards, logits, half.logits, strict=True):
        legal = [oracle.index_of(board, move) for move in board.legal_moves]
        p, q = (np.exp(x[legal]) / np.exp(x[legal]).sum() for x in (row, other))
        gaps.append(np.abs(p - q).sum())
    assert np.mean(gaps) < 0.05
    assert max(gaps) < 0.15
    assert np.abs(half.values - values).max() < 0.04


@real
def test_maia_knows_the_rules(maia):
    """The best of all 1858 moves is legal: by chance that is so in 1 of 50 positions."""
    boards = [board for board, _ in suite(100)]
    logits = evaluate_planes(maia, stacked(boards)).logits
    legal = [
        row.argmax() in {oracle.index_of(board, move) for move in board.legal_moves}
        for row, board in zip(logits, boards, strict=True)
    ]
    assert sum(legal) >= 98


@real
def test_maia_finds_the_best_moves_of_the_suite(maia):
    """Far above guessing, which finds 2.6 of 100: a guesser would pass with under 1e-9."""
    positions = suite(100)
    boards = [board for board, _ in positions]
    chosen = best_moves(evaluate_planes(maia, stacked(boards)).logits, boards)
    hits = sum(move == best for move, (_, best) in zip(chosen, positions, strict=True))
    assert chance_of(hits, [1 / board.legal_moves.count() for board in boards]) < 1e-9


@real
def test_maia_mates_in_one(maia):
    """Puzzles one move before mate: 70 of 100, which guessing reaches with under 1e-30."""
    boards, chances = [], []
    with PUZZLES.open() as file:
        for row in csv.DictReader(file):
            board = chess.Board(row["fen"])
            *before, last = row["moves"].split()
            for text in before:
                board.push_uci(text)
            if mates_with(board, chess.Move.from_uci(last)):
                boards.append(board)
            if len(boards) == 100:
                break
    moves = best_moves(evaluate_planes(maia, stacked(boards)).logits, boards)
    hits = sum(mates_with(board, move) for board, move in zip(boards, moves, strict=True))
    for board in boards:
        mates = sum(mates_with(board, move) for move in list(board.legal_moves))
        chances.append(mates / board.legal_moves.count())
    assert hits >= 70
    assert chance_of(hits, chances) < 1e-30


def mates_with(board, move):
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


@real
def test_maia_castles_by_taking_its_rook(maia):
    """Castling is e1h1 in the list: among the likeliest here for either colour, e1g1 is not."""
    white = chess.Board()
    for text in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "d3", "Bc5", "c3", "d6"):
        white.push_san(text)
    black = white.copy()
    black.push_san("O-O")
    short, step = (oracle.INDEX[chess.Move.from_uci(text)] for text in ("e1h1", "e1g1"))
    for row in evaluate_planes(maia, stacked([white, black])).logits:
        assert (row > row[short]).sum() <= 1
        assert row[short] > row[step] + 5


@real
def test_maias_value_knows_who_is_ahead(maia):
    """A queen up or down, either side to move: the sign of the value follows."""
    up = [chess.Board(f"rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {c} KQkq - 0 1") for c in "wb"]
    values, wdl = evaluate_planes(maia, stacked(up))[1:3]
    assert values[0] > 0.5
    assert values[1] < -0.5
    np.testing.assert_allclose(wdl.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(wdl[:, 0] - wdl[:, 2], values, atol=1e-6)
