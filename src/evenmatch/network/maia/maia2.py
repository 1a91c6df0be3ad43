"""Maia-2 as a graph: convolutions, then a transformer of their channels (Tang et al. 2024).

The package maia2 0.11.0 (`maia2.main`, `maia2.utils`) is the source of names and of the order of
computation; widths and numbers of blocks follow from the shapes of the arrays. Each of the last
convolution's planes is a token. The two ratings move the queries of attention, so that everything
before them is the same for all ratings.

Ratings are of eleven classes: below 1100, each hundred to 1999, and 2000 and above. A condition has
two knots for each class, its lowest and its highest rating, so that it holds the class exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto

from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES
from evenmatch.network.foreign import Affine, Floats, affine, expect
from evenmatch.network.leela.policy_planes import MOVES, moves
from evenmatch.network.maia.layers import (
    DEFAULT_RATING,
    NORM_EPSILON,
    MaiaGraph,
    Move,
    Parameters,
    promotions,
)

PLANES, SQUARES = 18, 64
CLASSES = 11  #: of ratings
LOWEST, WIDTH = 1100, 100  #: where the second class begins, and the width of all but the ends
KNOTS = (
    1, *(edge for low in range(LOWEST, LOWEST + WIDTH * (CLASSES - 1), WIDTH)
         for edge in (low - 1, low)), 5000,
)  # fmt: skip
HEAD = 64  #: numbers of one head of attention
VOCABULARY = 1880
MARK = "elo_embedding.weight"  #: a name that only Maia-2 has


class Block(NamedTuple):
    """A block of the transformer, its norms before its layers."""

    norm: Affine
    query: Floats  # [I, C], over the root of HEAD
    mover: Floats  # [K, I], what a rating adds to the query, over the root of HEAD
    opponent: Floats
    key: Floats
    value: Floats
    out: Affine
    second_norm: Affine
    wide: Affine
    narrow: Affine


class Maia2(NamedTuple):
    """A network as read, its parts in the order of the forward pass."""

    stem: Affine
    residual: tuple[tuple[Affine, Affine], ...]
    last: Affine  # a convolution to the tokens' planes
    patch: Affine  # [C, 64]
    patch_norm: Affine
    places: Floats  # [T, C]
    blocks: tuple[Block, ...]
    norm: Affine
    last_norm: Affine
    policy: Affine  # [1880, C]
    value_hidden: Affine
    value_out: Affine


def class_of(rating: float) -> int:
    """Return the class of a rating, 0 to 10."""
    return int(np.clip((rating - LOWEST) // WIDTH + 1, 0, CLASSES - 1))


def read_maia2(weights: dict[str, Floats]) -> Maia2:
    """Return the network of a state dict. ValueError if it has other layers or sizes."""
    p = Parameters(weights)
    channels, size = p.shape("chess_cnn.bn1.weight")[0], p.shape(MARK)[1]
    tokens, width = p.shape("pos_embedding")[1:]
    embedding = p.take(MARK, CLASSES, size)
    ratings = embedding[[class_of(rating) for rating in (DEFAULT_RATING, *KNOTS)]]
    residual: list[tuple[Affine, Affine]] = []
    while f"chess_cnn.layers.{len(residual)}.bn1.weight" in p:
        name = f"chess_cnn.layers.{len(residual)}"
        pair = [_convolution(p, name, i, channels, channels) for i in (1, 2)]
        residual.append((pair[0], pair[1]))
    blocks: list[Block] = []
    while f"transformer.elo_layers.{len(blocks)}.0.norm.weight" in p:
        name = f"transformer.elo_layers.{len(blocks)}"
        blocks.append(_read_block(p, name, width, ratings))
    expect(bool(blocks))
    hidden = p.shape("fc_3_1.bias")[0]
    net = Maia2(
        stem=_convolution(p, "chess_cnn", 1, channels, PLANES),
        residual=tuple(residual),
        last=_convolution(p, "chess_cnn", "_last", tokens, channels),
        patch=p.dense("to_patch_embedding.0", width, SQUARES),
        patch_norm=p.norm("to_patch_embedding.1", width),
        places=p.floats("pos_embedding", 1, tokens, width)[0],
        blocks=tuple(blocks),
        norm=p.norm("transformer.norm", width),
        last_norm=p.norm("last_ln", width),
        policy=p.dense("fc_1", VOCABULARY, width),
        value_hidden=p.dense("fc_3_1", hidden, width),
        value_out=p.dense("fc_3", 1, hidden),
    )
    p.done("", but=("fc_2.weight", "fc_2.bias"))  # facts about moves, which training alone needs
    return net


def _convolution(p: Parameters, name: str, which: int | str, outputs: int, inputs: int) -> Affine:
    """Return a convolution without a bias and the batch norm after it as one layer."""
    weight = p.take(f"{name}.conv{which}.weight", outputs, inputs, 3, 3)
    gain, shift, mean, variance = (
        p.take(f"{name}.bn{which}.{part}", outputs)
        for part in ("weight", "bias", "running_mean", "running_var")
    )
    scale = gain / np.sqrt(variance + NORM_EPSILON)
    return affine(weight * scale[:, None, None, None], shift - mean * scale)


def _read_block(p: Parameters, name: str, width: int, ratings: NDArray[np.float64]) -> Block:
    inner, size = p.shape(f"{name}.0.elo_query.weight")[0], ratings.shape[1]
    expect(inner % HEAD == 0)
    q, k, v = np.split(p.take(f"{name}.0.to_qkv.weight", 3 * inner, width), 3)
    by_rating = p.take(f"{name}.0.elo_query.weight", inner, 2 * size) / np.sqrt(HEAD)
    wide = p.shape(f"{name}.1.net.1.bias")[0]
    return Block(
        norm=p.norm(f"{name}.0.norm", width),
        query=(q / np.sqrt(HEAD)).astype(np.float32),
        mover=(ratings @ by_rating[:, :size].T).astype(np.float32),
        opponent=(ratings @ by_rating[:, size:].T).astype(np.float32),
        key=k.astype(np.float32),
        value=v.astype(np.float32),
        out=p.dense(f"{name}.0.to_out.0", width, inner),
        second_norm=p.norm(f"{name}.1.net.0", width),
        wide=p.dense(f"{name}.1.net.1", wide, width),
        narrow=p.dense(f"{name}.1.net.4", width, wide),
    )


def graph_of(net: Maia2, half: bool = False) -> GraphProto:
    """Return the ONNX graph: inputs and outputs as in `artifact`, conditions of two players."""
    g = MaiaGraph(half)
    x = g.relu(g.affine("planes", *net.stem, "stem"))
    for i, (first, second) in enumerate(net.residual):
        y = g.relu(g.affine(x, *first, f"residual.{i}.first"))
        y = g.affine(y, *second, f"residual.{i}.second")
        x = g.relu(g.node("Add", x, y, name=f"residual.{i}"))
    x = g.reshape(g.affine(x, *net.last, "last"), (0, 0, SQUARES), "tokens")
    x = g.layer_norm(g.dense(x, net.patch, "patch"), net.patch_norm, "patch_norm")
    x = g.node("Add", x, g.number(net.places, "places"), name="placed")
    for i, block in enumerate(net.blocks):
        x = _block(g, x, block, f"blocks.{i}")
    x = g.mean_token(g.layer_norm(x, net.norm, "norm"), "mean")
    x = g.layer_norm(x, net.last_norm, "last_norm")
    keep = (_policy_head(g, x, net), *_value_head(g, x, net))
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (PLANES, 8, 8)}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, keep, strict=True)}
    inputs[CONDITIONS] = (2 * (1 + len(KNOTS)),)
    return g.serialize("evenmatch-chess", inputs, {"policy": (MOVES,), "value": ()})


def _block(g: MaiaGraph, x: str, block: Block, name: str) -> str:
    inner = len(block.query)
    y = g.layer_norm(x, block.norm, f"{name}.norm")
    both = np.concatenate([block.mover, block.opponent]).T.copy()
    rated = g.affine(CONDITIONS, both, np.zeros(inner, np.float32), f"{name}.rated")
    q = g.product(y, block.query, f"{name}.q")
    q = g.node("Add", q, g.reshape(rated, (0, 1, -1), f"{name}.rated_all"), name=f"{name}.rated_q")
    k, v = g.product(y, block.key, f"{name}.k"), g.product(y, block.value, f"{name}.v")
    heads = inner // HEAD
    y = g.attended(
        g.heads(q, heads, HEAD, f"{name}.qs"),
        g.heads(k, heads, HEAD, f"{name}.ks", keys=True),
        g.heads(v, heads, HEAD, f"{name}.vs"),
        f"{name}.attended",
    )
    x = g.node("Add", g.dense(y, block.out, f"{name}.out"), x, name=f"{name}.first")
    y = g.layer_norm(x, block.second_norm, f"{name}.second_norm")
    y = g.dense(g.gelu(g.dense(y, block.wide, f"{name}.wide")), block.narrow, f"{name}.narrow")
    return g.node("Add", y, x, name=f"{name}.second")


def _policy_head(g: MaiaGraph, x: str, net: Maia2) -> int:
    """Add the policy; return F of its keep-mask, which stands before the last layer."""
    logits = g.affine(g.kept(x, "keep_policy"), *net.policy, "policy.logits")
    g.policy(logits, {move: i for i, move in enumerate(vocabulary())}, g.flat("planes"))
    return net.policy.weight.shape[1]


def vocabulary() -> list[Move]:
    """Return Maia-2's 1880 moves in their order, seen by the mover.

    By the square they start from, a queen's moves before a knight's, each by the square they end
    on, h8 first; then promotions by file, straight ones, to the left and to the right.
    """
    plain = [move for move in moves() if not move[2]]
    plain.sort(key=lambda move: (move[0], _is_knights(move), -move[1]))
    promoted = sorted(promotions(), key=lambda move: (move[0], (move[0] + 8 - move[1]) % 3))
    return plain + promoted


def _is_knights(move: Move) -> bool:
    files, ranks = abs(move[0] % 8 - move[1] % 8), abs(move[0] // 8 - move[1] // 8)
    return {files, ranks} == {1, 2}


def _value_head(g: MaiaGraph, x: str, net: Maia2) -> tuple[int, int]:
    """Add the value, cut to [-1, 1] as the package does; return F of the two keep-masks."""
    v = g.relu(g.affine(g.kept(x, "keep_value"), *net.value_hidden, "value.hidden"))
    v = g.column(g.affine(g.kept(v, "keep_hidden"), *net.value_out, "value.out"), 0, "value.column")
    one, two = g.number(1.0, "value.one"), g.number(2.0, "value.two")
    above = g.relu(g.node("Add", v, one, name="value.above"))
    below = g.relu(g.node("Sub", two, above, name="value.below"))
    g.node("Sub", one, below, name="value")
    return net.value_hidden.weight.shape[1], len(net.value_hidden.bias)
