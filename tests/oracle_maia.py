"""Slow and obvious twins of Maia-2 and Maia-3: state dicts, inputs and forward passes.

Written from what the packages maia3-runtime and maia2 compute, with python-chess and numpy in
double precision, nothing folded. Names and shapes of arrays are those of their checkpoints.
"""

import itertools

import chess
import numpy as np
from scipy.special import erf

# -- random state dicts ------------------------------------------------------------------------


def _filled(shapes, rng):
    state = {}
    for name, shape in shapes.items():
        scale = 0.3 if len(shape) == 1 else shape[-1] ** -0.5
        state[name] = rng.normal(0, scale, shape).astype(np.float32)
        if name.endswith("running_var"):
            state[name] = rng.uniform(0.5, 2, shape).astype(np.float32)
        elif len(shape) == 1 and name.endswith("weight"):  # gains of norms
            state[name] = rng.uniform(0.5, 1.5, shape).astype(np.float32)
    return state


def _dense(name, outputs, inputs, bias=True):
    return {f"{name}.weight": (outputs, inputs)} | ({f"{name}.bias": (outputs,)} if bias else {})


def _norm(name, size):
    return {f"{name}.weight": (size,), f"{name}.bias": (size,)}


def maia3_state(seed=0, *, width=16, hidden=12, heads=2, codes=5, squares=0, inner=6, blocks=2):
    """A small state dict of Maia-3; with ``squares`` the attention bias sees each square."""
    shapes = {"elo_embedding_low.weight": (1, 4), "elo_embedding_high.weight": (1, 4)}
    shapes |= {"gab_shared_weight": (4096, codes)} | _dense("token_projection", width, 96 + 8)
    for i in range(blocks):
        name = f"transformer.layers.{i}"
        at = f"{name}.self_attn"
        shapes |= {f"{at}.gab_weight": (4096, codes)}
        shapes |= {f"{at}.mha.in_proj_weight": (3 * width, width)}
        shapes |= _dense(f"{at}.mha.out_proj", width, width, bias=False)
        shapes |= _dense(f"{at}.sm1", squares, width) if squares else {}
        shapes |= _dense(f"{at}.sm2", inner, 64 * squares or width) | _norm(f"{at}.ln1", inner)
        shapes |= _dense(f"{at}.sm3", heads * codes, inner) | _norm(f"{at}.ln2", heads * codes)
        shapes |= _dense(f"{name}.linear1", 2 * width, width)
        shapes |= _dense(f"{name}.linear2", width, 2 * width)
        shapes |= {f"{name}.norm1.weight": (width,), f"{name}.norm2.weight": (width,)}
    shapes |= _norm("transformer.norm", width) | _norm("last_ln", width)
    for head, outputs in (("value", 3), ("ponder", 1)):
        shapes |= _dense(f"fc_{head}_hid", hidden, width) | _dense(f"fc_{head}", outputs, hidden)
    for name in ("proj_sq_from", "proj_sq_to"):
        shapes |= _dense(name, hidden, width, bias=False)
    shapes |= _dense("promo_bias_proj", 4, hidden, bias=False)
    state = _filled(shapes, np.random.default_rng(seed))
    for i in range(blocks):
        state[f"transformer.layers.{i}.self_attn.gab_weight"] = state["gab_shared_weight"]
    return state


def maia2_state(seed=0, *, channels=6, tokens=3, width=16, size=4, residual=2, blocks=2):
    """A small state dict of Maia-2; heads have 64 numbers, as in the package."""
    shapes = {"elo_embedding.weight": (11, size), "pos_embedding": (1, tokens, width)}

    def conv(name, which, outputs, inputs):
        norm = f"{name}.bn{which}"
        statistics = {f"{norm}.running_mean": (outputs,), f"{norm}.running_var": (outputs,)}
        weight = {f"{name}.conv{which}.weight": (outputs, inputs, 3, 3)}
        return weight | _norm(norm, outputs) | statistics

    shapes |= conv("chess_cnn", 1, channels, 18)
    for i, which in itertools.product(range(residual), (1, 2)):
        shapes |= conv(f"chess_cnn.layers.{i}", which, channels, channels)
    shapes |= conv("chess_cnn", "_last", tokens, channels)
    shapes |= _dense("to_patch_embedding.0", width, 64) | _norm("to_patch_embedding.1", width)
    for i in range(blocks):
        name = f"transformer.elo_layers.{i}"
        shapes |= _norm(f"{name}.0.norm", width) | _dense(f"{name}.0.to_qkv", 384, width, False)
        shapes |= _dense(f"{name}.0.elo_query", 128, 2 * size, bias=False)
        shapes |= _dense(f"{name}.0.to_out.0", width, 128) | _norm(f"{name}.1.net.0", width)
        shapes |= _dense(f"{name}.1.net.1", 20, width) | _dense(f"{name}.1.net.4", width, 20)
    shapes |= _norm("transformer.norm", width) | _norm("last_ln", width)
    shapes |= _dense("fc_1", 1880, width) | _dense("fc_2", 2021, width)
    shapes |= _dense("fc_3_1", 10, width) | _dense("fc_3", 1, 10)
    state = _filled(shapes, np.random.default_rng(seed))
    state["chess_cnn.bn1.num_batches_tracked"] = np.array(7)
    return state


# -- inputs and moves --------------------------------------------------------------------------


def frame(board):
    """The pieces of a board, [64, 12], own ones first, seen by the side to move."""
    seen, tokens = board if board.turn else board.mirror(), np.zeros((64, 12))
    for square, piece in seen.piece_map().items():
        tokens[square, piece.piece_type - 1 + 6 * (piece.color == chess.BLACK)] = 1
    return tokens


def tokens3(boards):
    """The inputs [64, 96] of Maia-3 by the boards of a game so far."""
    latest = boards[-8:]
    latest = [latest[0]] * (8 - len(latest)) + latest
    return np.concatenate([frame(board) for board in latest], 1)


def planes2(board):
    """The inputs [18, 8, 8] of Maia-2."""
    seen = board if board.turn else board.mirror()
    planes = np.zeros((18, 64))
    planes[:12], planes[12] = frame(board).T, 1
    rights = [seen.has_kingside_castling_rights, seen.has_queenside_castling_rights]
    for i, (color, right) in enumerate(itertools.product((chess.WHITE, chess.BLACK), rights)):
        planes[13 + i] = right(color)
    if seen.has_legal_en_passant():
        planes[17, seen.ep_square] = 1
    return planes.reshape(18, 8, 8)


def _text(start, to, piece=""):
    return chess.square_name(start) + chess.square_name(to) + piece


VOCABULARY3 = [_text(a, b) for a in range(64) for b in range(64)] + [
    _text(48 + a, 56 + b, piece) for a in range(8) for b in range(8) for piece in "qrbn"
]


def _vocabulary2():
    texts = []
    for square in range(64):
        for kind in (chess.QUEEN, chess.KNIGHT):
            board = chess.Board(None)
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            texts += [move.uci() for move in board.legal_moves]
    for file in range(8):
        for to in (file, file - 1, file + 1):
            texts += [_text(48 + file, 56 + to, x) for x in "qrbn" if 0 <= to < 8]
    return texts


VOCABULARY2 = _vocabulary2()


def place(board, move, vocabulary):
    """The place of a legal move in a vocabulary, which is seen by the side to move."""
    start, to = move.from_square, move.to_square
    if not board.turn:
        start, to = chess.square_mirror(start), chess.square_mirror(to)
    return vocabulary.index(_text(start, to, chess.piece_symbol(move.promotion or 0) or ""))


# -- forward passes ----------------------------------------------------------------------------


class State(dict):
    """A state dict whose layers can be called."""

    def dense(self, name, x):
        y = x @ self[f"{name}.weight"].T.astype(float)
        return y + self[f"{name}.bias"] if f"{name}.bias" in self else y

    def norm(self, name, x):
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return (x - x.mean(-1, keepdims=True)) / spread * self[f"{name}.weight"] + self[
            f"{name}.bias"
        ]

    def rms(self, name, x):
        root = np.sqrt((x**2).mean(-1, keepdims=True) + np.finfo(np.float32).eps)
        return x / root * self[f"{name}.weight"]

    def conv(self, name, which, x):
        weight, y = self[f"{name}.conv{which}.weight"].astype(float), 0
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
        for down, right in itertools.product(range(3), range(3)):
            part = padded[:, down : down + 8, right : right + 8]
            y = y + np.einsum("oi,ihw->ohw", weight[:, :, down, right], part)
        gain, shift, mean, variance = (
            self[f"{name}.bn{which}.{x}"][:, None, None].astype(float)
            for x in ("weight", "bias", "running_mean", "running_var")
        )
        return (y - mean) / np.sqrt(variance + 1e-5) * gain + shift


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2))) / 2


def softmax(x):
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def relu(x):
    return np.maximum(x, 0)


def split(x, heads):
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def attention(q, k, v, bias=0):
    """Attention of heads [h, T, d] -> [T, h * d]."""
    mixed = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2]) + bias) @ v
    return mixed.transpose(1, 0, 2).reshape(q.shape[1], -1)


def maia3(state, tokens, mover, opponent, keep=(1, 1, 1)):
    """(logits [4352], chances of win, draw and loss [3]) of Maia-3; ``keep`` are dropout masks."""
    s = State(state)

    def embedded(rating):
        share = np.clip(rating, 0, 5000) / 5000
        low, high = s["elo_embedding_low.weight"][0], s["elo_embedding_high.weight"][0]
        return np.tile(share * low + (1 - share) * high, (64, 1))

    x = np.concatenate([tokens, embedded(mover), embedded(opponent)], 1)
    x = s.dense("token_projection", x)
    heads = len(s["transformer.layers.0.self_attn.sm3.bias"]) // s["gab_shared_weight"].shape[1]
    for i in itertools.count():
        name = f"transformer.layers.{i}"
        if f"{name}.norm1.weight" not in s:
            break
        at = f"{name}.self_attn"
        y = s.dense(f"{at}.sm1", x).ravel() if f"{at}.sm1.bias" in s else x.mean(0)
        y = s.norm(f"{at}.ln1", gelu(s.dense(f"{at}.sm2", y)))
        y = s.norm(f"{at}.ln2", gelu(s.dense(f"{at}.sm3", y))).reshape(heads, -1)
        bias = (y @ s["gab_shared_weight"].T).reshape(heads, 64, 64)
        q, k, v = (split(x @ w.T, heads) for w in np.split(s[f"{at}.mha.in_proj_weight"], 3))
        x = s.rms(f"{name}.norm1", x + s.dense(f"{at}.mha.out_proj", attention(q, k, v, bias)))
        y = s.dense(f"{name}.linear2", gelu(s.dense(f"{name}.linear1", x)))
        x = s.rms(f"{name}.norm2", x + y)
    x = s.norm("transformer.norm", x)
    start, to = s.dense("proj_sq_from", x), s.dense("proj_sq_to", x) * keep[0]
    root = np.sqrt(start.shape[1])
    pairs = start @ to.T / root
    pieces = s.dense("promo_bias_proj", to[56:]) * root
    promotions = pairs[48:56, 56:, None] + pieces[None]
    v = s.norm("last_ln", x.mean(0)) * keep[1]
    loss, draw, win = softmax(s.dense("fc_value", relu(s.dense("fc_value_hid", v)) * keep[2]))
    return np.concatenate([pairs.ravel(), promotions.ravel()]), np.array([win, draw, loss])


def maia2(state, planes, mover, opponent, keep=(1, 1, 1)):
    """(logits [1880], value in [-1, 1]) of Maia-2."""
    s = State(state)
    x = relu(s.conv("chess_cnn", 1, planes))
    for i in itertools.count():
        name = f"chess_cnn.layers.{i}"
        if f"{name}.bn1.weight" not in s:
            break
        x = relu(x + s.conv(name, 2, relu(s.conv(name, 1, x))))
    x = s.conv("chess_cnn", "_last", x).reshape(-1, 64)
    x = s.norm("to_patch_embedding.1", s.dense("to_patch_embedding.0", x)) + s["pos_embedding"][0]
    edges = [*range(1100, 2001, 100)]
    rated = np.concatenate(
        [s["elo_embedding.weight"][sum(r >= edge for edge in edges)] for r in (mover, opponent)]
    )
    for i in itertools.count():
        name = f"transformer.elo_layers.{i}"
        if f"{name}.0.norm.weight" not in s:
            break
        q, k, v = np.split(s.dense(f"{name}.0.to_qkv", s.norm(f"{name}.0.norm", x)), 3, 1)
        q = q + s.dense(f"{name}.0.elo_query", rated)
        heads = q.shape[1] // 64
        y = attention(*(split(part, heads) for part in (q, k, v)))
        x = x + s.dense(f"{name}.0.to_out.0", y)
        y = gelu(s.dense(f"{name}.1.net.1", s.norm(f"{name}.1.net.0", x)))
        x = x + s.dense(f"{name}.1.net.4", y)
    x = s.norm("last_ln", s.norm("transformer.norm", x).mean(0))
    value = s.dense("fc_3", relu(s.dense("fc_3_1", x * keep[1])) * keep[2])[0]
    return s.dense("fc_1", x * keep[0]), np.clip(value, -1, 1)
