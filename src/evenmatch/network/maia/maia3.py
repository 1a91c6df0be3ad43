"""Maia-3 as a graph: a transformer of the 64 squares (Monroe et al. 2026, "Chessformer").

Read are the sizes that the package maia3-runtime 0.1.0 names, 3M to 79M: `maia3.models` and
`maia3.model_registry` are the source of names and of the order of computation. Widths, heads and
blocks follow from the shapes of the arrays. Each square is a token of 12 pieces in 8 positions and
of the two players' ratings. A geometric attention bias, computed from all tokens, is added to the
scores of attention in each block.

A rating r is the point r / 5000 on the line between two vectors, so a condition's knots hold it
exactly, whatever they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from onnx import GraphProto

from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES
from evenmatch.network.foreign import Affine, Floats, affine, expect
from evenmatch.network.leela.policy_planes import MOVES
from evenmatch.network.maia.layers import (
    DEFAULT_RATING,
    PROMOTED,
    MaiaGraph,
    Move,
    Parameters,
    promotions,
)

POSITIONS, PIECES, SQUARES = 8, 12, 64
PLANES = POSITIONS * PIECES
HIGHEST = 5000  #: the rating where the line ends, in the package too
KNOTS = (1, *range(200, 3401, 200), HIGHEST)
MARK = "elo_embedding_low.weight"  #: a name that only Maia-3 has
OLDER = "smolgen", "gab"  #: names in checkpoints of before, and what they are now


class Bias(NamedTuple):
    """The layers that compute a block's attention bias."""

    squares: Affine | None  # [P, D], of each token; None: their mean is taken
    hidden: Affine
    hidden_norm: Affine
    codes: Affine  # [heads * G, F]
    codes_norm: Affine


class Block(NamedTuple):
    """A block: attention, then a network of two layers, each with its norm after the sum."""

    bias: Bias
    query: Floats  # [D, D], over the root of a head's size
    key: Floats
    value: Floats
    out: Floats
    first_norm: Floats
    wide: Affine
    narrow: Affine
    second_norm: Floats


class Maia3(NamedTuple):
    """A network as read, its parts in the order of the forward pass."""

    tokens: Floats  # [D, 96], of our planes
    mover: Floats  # [K, D]
    opponent: Floats
    tokens_bias: Floats
    blocks: tuple[Block, ...]
    templates: Floats  # [4096, G] of the attention bias, for all blocks
    norm: Affine
    start: Floats  # [H, D], over the root of H
    to: Floats
    promotion: Floats  # [4, H], times the root of H
    value_norm: Affine
    value_hidden: Affine
    value_out: Affine  # [3, H]: win, draw, loss
    heads: int


def read_maia3(weights: dict[str, Floats]) -> Maia3:
    """Return the network of a state dict. ValueError if it has other layers or sizes."""
    p = Parameters({name.replace(*OLDER): array for name, array in weights.items()})
    size, width = p.shape(MARK)[1], p.shape("token_projection.bias")[0]
    codes = p.shape("gab_shared_weight")[1]
    first = "transformer.layers.0.self_attn"
    heads = p.shape(f"{first}.sm3.bias")[0] // codes
    expect(width % heads == 0)
    projection = p.take("token_projection.weight", width, PLANES + 2 * size)
    low, high = p.take(MARK, 1, size), p.take("elo_embedding_high.weight", 1, size)
    newest_first = projection[:, :PLANES].reshape(width, POSITIONS, PIECES)[:, ::-1]
    ratings = np.array((DEFAULT_RATING, *KNOTS))[:, None] / HIGHEST
    embedded = ratings * low + (1 - ratings) * high
    mover, opponent = np.split(projection[:, PLANES:], 2, axis=1)
    hidden = p.shape("proj_sq_from.weight")[0]
    root = np.sqrt(hidden)
    blocks: list[Block] = []
    while f"transformer.layers.{len(blocks)}.norm1.weight" in p:
        blocks.append(_read_block(p, f"transformer.layers.{len(blocks)}", width, heads, codes))
    expect(bool(blocks))
    value_out = p.dense("fc_value", 3, hidden)
    net = Maia3(
        tokens=np.ascontiguousarray(newest_first.reshape(width, PLANES), np.float32),
        mover=(embedded @ mover.T).astype(np.float32),
        opponent=(embedded @ opponent.T).astype(np.float32),
        tokens_bias=p.floats("token_projection.bias", width),
        blocks=tuple(blocks),
        templates=p.floats("gab_shared_weight", SQUARES**2, codes),
        norm=p.norm("transformer.norm", width),
        start=(p.take("proj_sq_from.weight", hidden, width) / root).astype(np.float32),
        to=p.floats("proj_sq_to.weight", hidden, width),
        promotion=(root * p.take("promo_bias_proj.weight", 4, hidden)).astype(np.float32),
        value_norm=p.norm("last_ln", width),
        value_hidden=p.dense("fc_value_hid", hidden, width),
        value_out=affine(value_out.weight[::-1], value_out.bias[::-1]),
        heads=heads,
    )  # fmt: skip
    p.done(*MODULES, but=(".self_attn.gab_weight",))
    return net


#: Modules that the outputs depend on. The package skips what else a checkpoint has.
MODULES = (
    "elo_", "token_", "gab_", "abs_", "transformer.", "last_ln", "proj_", "promo_", "fc_value",
)  # fmt: skip


def _read_block(p: Parameters, name: str, width: int, heads: int, codes: int) -> Block:
    attention = f"{name}.self_attn"
    hidden = p.shape(f"{attention}.sm2.bias")[0]
    squares, inputs = None, width
    if f"{attention}.sm1.bias" in p:
        each = p.shape(f"{attention}.sm1.bias")[0]
        squares, inputs = p.dense(f"{attention}.sm1", each, width), SQUARES * each
    bias = Bias(
        squares,
        p.dense(f"{attention}.sm2", hidden, inputs),
        p.norm(f"{attention}.ln1", hidden),
        p.dense(f"{attention}.sm3", heads * codes, hidden),
        p.norm(f"{attention}.ln2", heads * codes),
    )
    q, k, v = np.split(p.take(f"{attention}.mha.in_proj_weight", 3 * width, width), 3)
    wide = p.shape(f"{name}.linear1.bias")[0]
    return Block(
        bias,
        (q / np.sqrt(width // heads)).astype(np.float32),
        k.astype(np.float32),
        v.astype(np.float32),
        p.floats(f"{attention}.mha.out_proj.weight", width, width),
        p.floats(f"{name}.norm1.weight", width),
        p.dense(f"{name}.linear1", wide, width),
        p.dense(f"{name}.linear2", width, wide),
        p.floats(f"{name}.norm2.weight", width),
    )


def graph_of(net: Maia3, half: bool = False) -> GraphProto:
    """Return the ONNX graph: inputs and outputs as in `artifact`, conditions of two players."""
    g = MaiaGraph(half)
    flat = g.flat("planes")
    x = g.reshape(flat, (0, PLANES, SQUARES), "squares")
    x = g.product(g.node("Transpose", x, name="by_square", perm=[0, 2, 1]), net.tokens, "tokens")
    both = np.concatenate([net.mover, net.opponent])
    rated = g.affine(CONDITIONS, both.T.copy(), net.tokens_bias, "rated")
    x = g.node("Add", x, g.reshape(rated, (0, 1, -1), "rated_all"), name="stem")
    templates = g.weight(np.ascontiguousarray(net.templates.T), "templates")
    for i, block in enumerate(net.blocks):
        x = _block(g, x, block, net.heads, templates, f"blocks.{i}")
    x = g.layer_norm(x, net.norm, "norm")
    keep = (_policy_head(g, x, net, flat), *_value_head(g, x, net))
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (PLANES, 8, 8)}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, keep, strict=True)}
    inputs[CONDITIONS] = (len(both),)
    outputs: dict[str, tuple[int | str, ...]] = {"policy": (MOVES,), "value": (), "wdl": (3,)}
    return g.serialize("evenmatch-chess", inputs, outputs)


def _block(g: MaiaGraph, x: str, block: Block, heads: int, templates: str, name: str) -> str:
    size = len(block.query) // heads
    bias = _attention_bias(g, x, block.bias, heads, templates, f"{name}.bias")
    q, k, v = (
        g.heads(g.product(x, weight, f"{name}.{part}"), heads, size, f"{name}.{part}s", part == "k")
        for part, weight in (("q", block.query), ("k", block.key), ("v", block.value))
    )
    y = g.product(g.attended(q, k, v, f"{name}.attended", bias), block.out, f"{name}.out")
    x = g.rms_norm(g.node("Add", x, y, name=f"{name}.first"), block.first_norm, f"{name}.norm1")
    y = g.dense(g.gelu(g.dense(x, block.wide, f"{name}.wide")), block.narrow, f"{name}.narrow")
    return g.rms_norm(
        g.node("Add", x, y, name=f"{name}.second"), block.second_norm, f"{name}.norm2"
    )


def _attention_bias(g: MaiaGraph, x: str, bias: Bias, heads: int, templates: str, name: str) -> str:
    """Add the geometric attention bias [B, heads, 64, 64] of tokens x."""
    if bias.squares is None:
        y = g.mean_token(x, f"{name}.mean")
    else:
        y = g.flat(g.dense(x, bias.squares, f"{name}.squares"))
    y = g.gelu(g.affine(y, *bias.hidden, f"{name}.hidden"))
    y = g.layer_norm(y, bias.hidden_norm, f"{name}.hidden_norm")
    y = g.layer_norm(
        g.gelu(g.affine(y, *bias.codes, f"{name}.codes")), bias.codes_norm, f"{name}.norm"
    )
    y = g.reshape(y, (0, heads, -1), f"{name}.by_head")
    y = g.node("MatMul", y, templates, name=f"{name}.flat")
    return g.reshape(y, (0, heads, SQUARES, SQUARES), name)


def _policy_head(g: MaiaGraph, x: str, net: Maia3, flat_planes: str) -> int:
    """Add the policy; return F of its keep-mask, of features of the squares that are moved to."""
    axis = g.constant(np.array([1], np.int64), "policy.axis")
    mask = g.node("Unsqueeze", "keep_policy", axis, name="keep_policy.tokens")
    to = g.node("Mul", g.product(x, net.to, "policy.to"), mask, name="policy.to_kept")
    turned = g.node("Transpose", to, name="policy.to_turned", perm=[0, 2, 1])
    pairs = g.node("MatMul", g.product(x, net.start, "policy.from"), turned, name="policy.pairs")
    pairs = g.flat(pairs)
    last_rank = g.constant(np.arange(56, 64), "policy.last_rank")
    last = g.node("Gather", to, last_rank, name="policy.last", axis=1)
    promoted = g.flat(g.product(last, net.promotion, "policy.promotion"))  # by file, then by piece
    moves = promotions()
    base = g.columns(pairs, [start * 64 + end for start, end, _ in moves], "policy.promoting")
    extra = [4 * (end - 56) + PROMOTED.index(piece) for _, end, piece in moves]
    named = g.node(
        "Add", base, g.columns(promoted, extra, "policy.pieces"), name="policy.promotions"
    )
    places: dict[Move, int] = {(a, b, ""): 64 * a + b for a in range(64) for b in range(64)}
    places |= {move: 64 * 64 + i for i, move in enumerate(moves)}
    g.policy(g.node("Concat", pairs, named, name="policy.logits", axis=1), places, flat_planes)
    return len(net.to)


def _value_head(g: MaiaGraph, x: str, net: Maia3) -> tuple[int, int]:
    """Add win, draw and loss and the value; return F of the two keep-masks."""
    v = g.layer_norm(g.mean_token(x, "value.mean"), net.value_norm, "value.norm")
    v = g.relu(g.affine(g.kept(v, "keep_value"), *net.value_hidden, "value.hidden"))
    v = g.affine(g.kept(v, "keep_hidden"), *net.value_out, "value.out")
    wdl = g.node("Softmax", v, name="wdl", axis=1)
    g.node("Sub", g.column(wdl, 0, "win"), g.column(wdl, 2, "loss"), name="value")
    return net.value_hidden.weight.shape[1], len(net.value_hidden.bias)
