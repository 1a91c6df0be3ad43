"""Several networks of one game as one, whose policies are weighted by the mover's rating.

    log p(a | s, r)  =  sum_k  w_k(r) l_k(a | s)  +  const,

where l_k are the policy logits of network k, and w_k lie between knots of the rating as conditions
do (`conditions.py`). This is a product of experts (Hinton 2002), each with an exponent of its own.
All other outputs are those of the first network, which has to know ratings. The
result is an artifact like any other: one graph, one card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES, read_card, read_graph, write_graph
from evenmatch.network.card import Card
from evenmatch.network.conditions import condition_count
from evenmatch.network.onnx_graph import Graph, checked

POLICY = "policy"
REAL = {TensorProto.FLOAT16, TensorProto.FLOAT}
LARGE = 4096
"""Numbers of a weight from which on it is kept as int8. Smaller ones save little, and OpenVINO
2026.4 cannot compile a dense layer of [B, C, 1, 1] with int8 weights where B is C."""


class Layers(NamedTuple):
    """Nodes and constants of a graph, in the order of computation."""

    nodes: list[NodeProto]
    constants: list[TensorProto]


def write_mixture(
    paths: Sequence[str | Path],
    weights: NDArray[np.float32],
    out: str | Path,
    *,
    command: str = "",
    date: str = "",
    seed: int | None = None,
    positions: int = 0,
    notes: str = "",
) -> Card:
    """Write the mixture of networks; return its card.

    ``weights`` [K, N] are those of N networks by each of the K conditions of the first.
    NetworkError if a network is of another game or has other planes or moves than the first, or the
    first knows no ratings.
    """
    cards = [read_card(path) for path in paths]
    check_alike(paths, cards)
    first = cards[0]
    expected = condition_count(len(first.scales), first.condition_knots), len(cards)
    assert weights.shape == expected, f"weights are {weights.shape}, not {expected}"
    graphs = [read_graph(path) for path in paths]
    whole = graphs[0]
    for node in whole.node:
        _rename(node, lambda name: "0.policy" if name == POLICY else name)
    nodes, constants = list(whole.node), list(whole.initializer)
    for k, graph in enumerate(graphs[1:], start=1):
        part = only_policy(graph, f"{k}.")
        nodes, constants = nodes + part.nodes, constants + part.constants
    sums = weighed([f"{k}.policy" for k in range(len(graphs))], weights)
    layers = in_bytes(Layers(nodes + sums.nodes, constants + sums.constants))
    card = replace(
        first,
        blocks=sum(card.blocks for card in cards),
        command=command, date=date, notes=notes, positions=positions,
        seed=seed, games=0, preset="", strength={}, torch=False,
    )  # fmt: skip
    graph = helper.make_graph(layers.nodes, "mixture", whole.input, whole.output, layers.constants)
    write_graph(checked(graph), card, out)
    return card


def check_alike(paths: Sequence[str | Path], cards: Sequence[Card]) -> None:
    """Raise NetworkError unless networks can be mixed."""
    first = cards[0]
    if not first.scales:
        raise NetworkError(f"{paths[0]} knows no ratings; name a network first that does")
    if first.both_ratings:
        raise NetworkError(
            f"{paths[0]} knows the opponent's rating too, and is not mixed; leave it"
        )
    for path, card in zip(paths, cards, strict=True):
        if (card.game, card.shape, card.actions) != (first.game, first.shape, first.actions):
            raise NetworkError(
                f"{path} and {paths[0]} are of different games, planes or moves; mix networks that "
                "are alike"
            )


def weighed(policies: Sequence[str], weights: NDArray[np.float32]) -> Layers:
    """Return the layers that add up policies [B, A], by ``weights`` [K, N] of the conditions."""
    graph, total = Graph(), ""
    for k, policy in enumerate(policies):
        column = graph.constant(np.ascontiguousarray(weights[:, k : k + 1], np.float32), f"{k}.w")
        share = graph.node("Gemm", CONDITIONS, column, name=f"{k}.share")  # [B, 1]
        part = graph.node("Mul", policy, share, name=f"{k}.part")
        last = POLICY if k == len(policies) - 1 else f"{k}.sum"
        total = graph.node("Add", total, part, name=last) if total else part
    return Layers(graph.nodes, graph.constants)


def only_policy(graph: GraphProto, prefix: str) -> Layers:
    """Return the layers that a graph's policy needs, their names behind a prefix.

    They take the planes under their own name. Masks that keep units are left out.
    """
    inputs = {one.name for one in graph.input}
    if CONDITIONS in inputs:
        raise NetworkError("only the first of mixed networks may know ratings")
    unmasked: dict[str, str] = {}  # output of a mask's product -> its other factor
    for node in graph.node:
        if set(node.input) & set(KEEP_NAMES):
            unmasked[node.output[0]] = next(x for x in node.input if x not in KEEP_NAMES)

    def plain(name: str) -> str:
        return plain(unmasked[name]) if name in unmasked else name

    def own(name: str) -> str:
        real = plain(name)
        return real if real in inputs else f"{prefix}{real}"

    needed, kept = {POLICY}, []
    for node in reversed(graph.node):
        if needed & set(node.output) and node.output[0] not in unmasked:
            needed |= set(map(plain, node.input))
            kept.append(node)
    constants = [tensor for tensor in graph.initializer if tensor.name in needed]
    for node in kept:
        _rename(node, own)
    for tensor in constants:
        tensor.name = own(tensor.name)
    return Layers(kept[::-1], constants)


def in_bytes(layers: Layers) -> Layers:
    """Return layers whose large weights are kept as int8, with a scale for each output.

    A weight is off by half a step at most, which is a 254th of its output's largest.
    """
    large = {tensor.name: tensor for tensor in layers.constants if _is_large(tensor)}
    made = Graph()
    for node in layers.nodes:
        if node.op_type == "Cast" and node.input[0] in large:
            _add_stepped(made, large[node.input[0]], node.input[0], node.output[0])
            continue
        for name in node.input:
            if name in large and not any(name in one.output for one in made.nodes):
                _add_stepped(made, large[name], f"{name}.steps", name)
        made.nodes.append(node)
    kept = [tensor for tensor in layers.constants if tensor.name not in large]
    return Layers(made.nodes, kept + made.constants)


def _is_large(tensor: TensorProto) -> bool:
    shape = tensor.dims
    return tensor.data_type in REAL and len(shape) > 1 and prod(shape) >= LARGE


def _add_stepped(graph: Graph, tensor: TensorProto, name: str, out: str) -> None:
    """Add a weight [out, ...] of int8, and the nodes that make ``out`` of it."""
    weight = numpy_helper.to_array(tensor).astype(np.float32)
    steps = np.abs(weight).max(tuple(range(1, weight.ndim)), keepdims=True) / 127
    steps = np.where(steps > 0, steps, 1).astype(np.float32)
    held = graph.constant(np.rint(weight / steps).astype(np.int8), name)
    raw = graph.node("Cast", held, name=f"{name}.raw", to=TensorProto.FLOAT)
    graph.node("Mul", raw, graph.constant(steps, f"{name}.step"), name=out)


def _rename(node: NodeProto, name_of: Callable[[str], str]) -> None:
    """Give the tensors of a node, and the node, other names."""
    for names in (node.input, node.output):
        names[:] = [name_of(name) for name in names]
    node.name = name_of(node.name)
