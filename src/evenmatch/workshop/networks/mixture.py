"""Several networks of one game as one, whose policies are weighed by the mover's rating.

    log p(a | s, r)  =  sum_k  w_k(r) l_k(a | s)  +  const,

where l_k are the policy logits of network k, and w_k lie between knots of the rating as conditions
do (`conditions.py`). This is a product of experts (Hinton 2002), each with an exponent of its own.
All else that the mixture tells is what the first network tells, which has to know ratings. The
result is an artifact like any other: one graph, one card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES, metadata, read_card, write_graph
from evenmatch.network.card import Card
from evenmatch.network.conditions import condition_count
from evenmatch.network.onnx_graph import TYPES, Graph, serialized
from evenmatch.network.protobuf import Message, field, fields

POLICY = "policy"
NODE, CONSTANT, INPUT, OUTPUT = 1, 5, 11, 12  #: fields of GraphProto
TAKES, GIVES, NAME = 1, 2, 3  #: fields of NodeProto
TENSOR_NAME = 8  #: field of TensorProto
REAL = {TYPES["float16"]: "<f2", TYPES["float32"]: "<f4"}
LARGE = 4096
"""Numbers of a weight from which on it is kept as int8. Smaller ones save little, and OpenVINO
2026.4 cannot compile a dense layer of [B, C, 1, 1] with int8 weights where B is C."""


class Layers(NamedTuple):
    """Nodes and constants of a graph, as they are written."""

    nodes: list[bytes]
    constants: list[bytes]


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
    graphs = [graph_of(path) for path in paths]
    whole = renamed(graphs[0], {POLICY: "0.policy"})
    nodes, constants = list(whole.nodes), list(whole.constants)
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
    write_graph(serialized("mixture", *layers, ends_of(graphs[0])), card, out)
    return card


def check_alike(paths: Sequence[str | Path], cards: Sequence[Card]) -> None:
    """Raise NetworkError unless networks can be mixed."""
    first = cards[0]
    if not first.scales:
        raise NetworkError(f"{paths[0]} knows no ratings; name a network first that does")
    for path, card in zip(paths, cards, strict=True):
        if (card.game, card.shape, card.actions) != (first.game, first.shape, first.actions):
            raise NetworkError(
                f"{path} and {paths[0]} are of different games, planes or moves; mix networks that "
                "are alike"
            )


def graph_of(path: str | Path) -> bytes:
    """Return the graph of an artifact, which is one that may be run. NetworkError."""
    metadata(Path(path))  # refuses damaged and foreign files
    return next(
        value
        for number, value in fields(Path(path).read_bytes())
        if number == 7 and isinstance(value, bytes)
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


def renamed(graph: bytes, names: Mapping[str, str]) -> Layers:
    """Return the layers of a graph with some tensors under other names."""
    layers = Layers([], [])
    for number, value in fields(graph):
        if number == NODE and isinstance(value, bytes):
            layers.nodes.append(field(NODE, _node(value, lambda name: names.get(name, name))))
        elif number == CONSTANT and isinstance(value, bytes):
            layers.constants.append(field(CONSTANT, value))
    return layers


def only_policy(graph: bytes, prefix: str) -> Layers:
    """Return the layers that a graph's policy needs, their names behind a prefix.

    They take the planes under their own name. Masks that keep units are left out.
    """
    nodes = [v for number, v in fields(graph) if number == NODE and isinstance(v, bytes)]
    constants = [v for number, v in fields(graph) if number == CONSTANT and isinstance(v, bytes)]
    inputs = {Message(v).raw(1).decode() for n, v in fields(graph) if n == INPUT}  # type: ignore[arg-type]
    if CONDITIONS in inputs:
        raise NetworkError("only the first of mixed networks may know ratings")
    unmasked: dict[str, str] = {}  # what is masked -> what is taken in its place
    needed, kept = {POLICY}, []
    for node in nodes:
        takes, gives = _ends(node)
        masks = [name for name in takes if name in KEEP_NAMES]
        if masks:
            unmasked[gives[0]] = next(name for name in takes if name not in masks)

    def plain(name: str) -> str:
        return plain(unmasked[name]) if name in unmasked else name

    for node in reversed(nodes):
        takes, gives = _ends(node)
        if needed & set(gives) and gives[0] not in unmasked:
            needed |= set(map(plain, takes))
            kept.append(node)

    def own(name: str) -> str:
        real = plain(name)
        return real if real in inputs else f"{prefix}{real}"

    held = [(Message(tensor).raw(TENSOR_NAME).decode(), tensor) for tensor in constants]
    return Layers(
        [field(NODE, _node(node, own)) for node in reversed(kept)],
        [field(CONSTANT, _constant(tensor, own)) for name, tensor in held if name in needed],
    )


def in_bytes(layers: Layers) -> Layers:
    """Return layers whose large weights are kept as int8, with a scale for each output.

    A weight is off by half a step at most, which is a 254th of its output's largest.
    """
    large = {name: array for name, array in map(_large, layers.constants) if array is not None}
    graph, nodes, made = Graph(), list[bytes](), set[str]()
    for node in layers.nodes:
        takes, gives = _ends(field_value(node))
        if Message(field_value(node)).raw(4) == b"Cast" and takes[0] in large:
            nodes += _stepped(graph, large[takes[0]], takes[0], gives[0])
            continue
        for name in takes:
            if name in large and name not in made:
                made.add(name)
                nodes += _stepped(graph, large[name], f"{name}.steps", name)
        nodes.append(node)
    kept = [one for one in layers.constants if _large(one)[1] is None]
    return Layers(nodes, kept + graph.constants)


def _stepped(graph: Graph, weight: NDArray[Any], name: str, out: str) -> list[bytes]:
    """Return the nodes that make a weight [out, ...] of int8; its constants go to the graph."""
    weight = weight.astype(np.float32)
    steps = np.abs(weight).max(tuple(range(1, weight.ndim)), keepdims=True) / 127
    steps = np.where(steps > 0, steps, 1).astype(np.float32)
    held = graph.constant(np.rint(weight / steps).astype(np.int8), name)
    before = len(graph.nodes)
    raw = graph.node("Cast", held, name=f"{name}.raw", to=TYPES["float32"])
    graph.node("Mul", raw, graph.constant(steps, f"{name}.step"), name=out)
    return graph.nodes[before:]


def _large(written: bytes) -> tuple[str, NDArray[Any] | None]:
    """Return the name of a constant, and the array if it is a large weight."""
    tensor = Message(field_value(written))
    name, shape = tensor.raw(TENSOR_NAME).decode(), tensor.integers(1)
    kind = REAL.get(tensor.integer(2))
    if kind is None or len(shape) < 2 or prod(shape) < LARGE:
        return name, None
    return name, np.frombuffer(tensor.raw(9), kind).reshape(shape)


def field_value(written: bytes) -> bytes:
    """Return the value of the one field that was written."""
    return next(value for _, value in fields(written) if isinstance(value, bytes))


def ends_of(graph: bytes) -> list[bytes]:
    """Return the inputs and outputs of a graph, as they are written."""
    return [
        field(number, value)
        for number, value in fields(graph)
        if number in (INPUT, OUTPUT) and isinstance(value, bytes)
    ]


def _ends(node: bytes) -> tuple[list[str], list[str]]:
    """Return the names of what a node takes and gives."""
    takes: list[str] = []
    gives: list[str] = []
    for number, value in fields(node):
        if isinstance(value, bytes) and number in (TAKES, GIVES):
            (takes if number == TAKES else gives).append(value.decode())
    return takes, gives


def _node(node: bytes, name_of: Callable[[str], str]) -> bytes:
    """Return a NodeProto whose tensors have other names."""
    return b"".join(
        field(number, name_of(value.decode()))
        if number in (TAKES, GIVES, NAME) and isinstance(value, bytes)
        else field(number, value)
        for number, value in fields(node)
    )


def _constant(tensor: bytes, name_of: Callable[[str], str]) -> bytes:
    """Return a TensorProto of another name."""
    return b"".join(
        field(number, name_of(value.decode()))
        if number == TENSOR_NAME and isinstance(value, bytes)
        else field(number, value)
        for number, value in fields(tensor)
    )
