"""Make a network artifact, ONNX with a card, of a network of KataGo's, or of one that grew from it.

Height and width are dimensions of the graph that are known when it is loaded, so one artifact
serves every square board. All cells are on the board, so it needs no mask.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import GraphProto, TensorProto

from evenmatch.games.go.katago_planes import FORMAT
from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES, write_graph
from evenmatch.network.card import Card
from evenmatch.network.foreign import Affine
from evenmatch.network.katago.weights import (
    GLOBAL,
    SPATIAL,
    Block,
    KataGoNet,
    Pooling,
    StrengthHead,
    read_katago,
)
from evenmatch.network.onnx_graph import Graph

GIVEN_AWAY = "CC0-1.0"  #: the run g170 is dedicated to the public domain, https://katagoarchive.org
UNKNOWN = "unknown; see where the file comes from"
IMPOSSIBLE = -1e5  #: a logit; without result games end by simple ko alone, or scored by territory


def import_katago(
    source: str | Path, target: str | Path, command: str = "", half: bool = False
) -> Card:
    """Write the artifact of a KataGo model file; return its card.

    Weights stay float32, or become float16 in half the space. `command` is noted in the card.
    Raises NetworkError as `read_katago` does, OSError if `target` cannot be written.
    """
    net = read_katago(source)
    card = card_of(net, Path(source).name, command)
    write_graph(graph_of(net, half), card, target)
    return card


def card_of(net: KataGoNet, name: str, command: str = "") -> Card:
    """Return the card of a network read from a file of that name."""
    return Card(
        game="go",
        shape=(SPATIAL + GLOBAL, 0, 0),
        planes=FORMAT,
        actions=0,
        blocks=len(net.blocks),
        channels=len(net.stem.bias),
        command=command,
        licence=GIVEN_AWAY if net.name.startswith("g170") else UNKNOWN,
        notes=f"imported from {name} (SHA-256 {net.digest}), KataGo's {net.name}",
        torch=False,
    )


def graph_of(net: KataGoNet, half: bool = False) -> GraphProto:
    """Return the ONNX graph: inputs and outputs as in `artifact`."""
    g = _BoardGraph(half)
    x = g.node("Add", g.stem(net.stem), g.dense(g.told, net.told, "told"), name="stem")
    for i, block in enumerate(net.blocks):
        x = _block(g, x, block, f"blocks.{i}")
    x = g.relu(g.scaled(x, net.tip.scale, net.tip.bias, "tip"))
    keep = (_policy_head(g, x, net), *_value_head(g, x, net))
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (SPATIAL + GLOBAL, "H", "W")}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, keep, strict=True)}
    films = [block.film for block in net.blocks if block.film]
    inputs |= {CONDITIONS: (films[0].scale.weight.shape[1],)} if films else {}
    outputs: dict[str, tuple[int | str, ...]]
    outputs = {"policy": ("A",), "value": (), "wdl": (3,), "lead": (), "ownership": ("P",)}
    if net.strength:
        outputs |= {"beta": (), "strength": (_strength_head(g, x, net.strength),)}
    return g.serialize("evenmatch-go", inputs, outputs)


class _BoardGraph(Graph):
    """A graph whose layers know the board's area; numbers of a whole board are [B, C, 1, 1]."""

    def __init__(self, half: bool) -> None:
        super().__init__(half)
        self._one = self.constant(np.array([1], np.int64), "axis")
        self._cells = self.constant(np.array([2, 3], np.int64), "cells")
        self.told = self._told()
        self.width, self.spread = self._area()

    def stem(self, layer: Affine) -> str:
        """Add the first convolution, of the planes that are not of the whole board."""
        shown = self.part("planes", 0, SPATIAL, "stem_planes")
        return self.affine(shown, layer.weight, layer.bias, "stem_conv")

    def dense(self, x: str, layer: Affine, name: str) -> str:
        """Add a dense layer of x [B, C, 1, 1], as a 1x1 convolution."""
        return self.affine(x, layer.weight[:, :, None, None], layer.bias, name)

    def scaled(self, x: str, scale: np.ndarray, bias: np.ndarray, name: str) -> str:
        """Add x * scale + bias by channels."""
        factor = self.constant(scale[:, None, None], f"{name}.scale")
        shift = self.constant(bias[:, None, None], f"{name}.bias")
        return self.node(
            "Add", self.node("Mul", x, factor, name=f"{name}.scaled"), shift, name=name
        )

    def kept(self, x: str, mask: str, name: str) -> str:
        """Multiply x by a keep-mask [B, C]."""
        wide = self.node("Unsqueeze", mask, self._cells, name=f"{name}.mask")
        return self.node("Mul", x, wide, name=name)

    def pooled(self, x: str, name: str, last: str) -> str:
        """Add what is pooled of x over the board, [B, 3C, 1, 1].

        It is the mean, the mean by the board's width, and `last` of these: its maximum, or the
        mean by the square of the width (appendix A.3 of Wu 2019).
        """
        mean = self.node("GlobalAveragePool", x, name=f"{name}.mean")
        wide = self.node("Mul", mean, self.width, name=f"{name}.wide")
        if last == "maximum":
            third = self.node("GlobalMaxPool", x, name=f"{name}.most")
        else:
            third = self.node("Mul", mean, self.spread, name=f"{name}.spread")
        return self.node("Concat", mean, wide, third, name=f"{name}.pooled", axis=1)

    def part(self, x: str, start: int, end: int, name: str) -> str:
        """Add columns start to end of x, along dimension 1."""
        first = self.constant(np.array([start], np.int64), f"{name}.start")
        stop = self.constant(np.array([end], np.int64), f"{name}.end")
        return self.node("Slice", x, first, stop, self._one, name=name)

    def _told(self) -> str:
        """Add the inputs of the whole board, [B, 19, 1, 1], each the same in all its plane."""
        planes = self.part("planes", SPATIAL, SPATIAL + GLOBAL, "told.planes")
        return self.node("GlobalMaxPool", planes, name="told.inputs")

    def _area(self) -> tuple[str, str]:
        """Add w = (width - 14) / 10, where width is the root of the area, and w**2 - 0.1."""
        shape = self.node("Shape", "planes", name="board.shape")
        sizes = self.node("Gather", shape, self._cells, name="board.sizes", axis=0)
        area = self.node("ReduceProd", sizes, name="board.area", keepdims=0)
        area = self.node("Cast", area, name="board.real", to=TensorProto.FLOAT)
        root = self.node("Sqrt", area, name="board.root")
        away = self.node("Sub", root, self._number(14.0), name="board.away")
        width = self.node("Mul", away, self._number(0.1), name="board.width")
        square = self.node("Mul", width, width, name="board.square")
        return width, self.node("Sub", square, self._number(0.1), name="board.spread")

    def _number(self, value: float) -> str:
        name = f"number.{len(self.constants)}"
        return self.constant(np.array(value, np.float32), name)


def _block(g: _BoardGraph, x: str, block: Block, name: str) -> str:
    y = g.relu(g.scaled(x, block.norm.scale, block.norm.bias, f"{name}.norm"))
    z = g.affine(y, *block.first, f"{name}.first")
    if block.pooling:
        z, _ = _pooling(g, y, z, block.pooling, name)
    if block.film:
        z = g.modulated(z, CONDITIONS, block.film._asdict(), f"{name}.film")
    y = g.affine(g.relu(z), *block.second, f"{name}.second")
    return g.node("Add", x, y, name=name)


def _pooling(g: _BoardGraph, x: str, z: str, pooling: Pooling, name: str) -> tuple[str, str]:
    """Add to z what is pooled of x; return the sum and what was pooled."""
    y = g.relu(g.affine(x, *pooling.channels, f"{name}.channels"))
    pooled = g.pooled(y, name, "maximum")
    bias = g.dense(pooled, pooling.added, f"{name}.added")
    return g.node("Add", z, bias, name=f"{name}.sum"), pooled


def _policy_head(g: _BoardGraph, x: str, net: KataGoNet) -> int:
    """Add the policy; return F of its keep-mask, which stands before the last layer."""
    head = net.policy
    z, pooled = _pooling(
        g, x, g.affine(x, *head.first, "policy_conv"), head.pooling, "policy_pooling"
    )
    p = g.kept(g.relu(z), "keep_policy", "policy_kept")
    points = g.flat(g.affine(p, *head.last, "policy_points"))
    passing = g.flat(g.dense(pooled, head.passing, "policy_pass"))
    g.node("Concat", points, passing, name="policy", axis=1)
    return len(head.first.bias)


def _value_head(g: _BoardGraph, x: str, net: KataGoNet) -> tuple[int, int]:
    """Add value, lead and ownership; return F of the two masks, before the dense layers."""
    head = net.value
    y = g.relu(g.affine(x, *head.channels, "value_conv"))
    owner = g.flat(g.affine(y, *head.ownership, "ownership_conv"))
    g.node("Tanh", owner, name="ownership")
    v = g.flat(g.pooled(y, "value", "square"))
    v = g.node("Mul", v, "keep_value", name="value_kept")
    v = g.relu(g.affine(v, *head.hidden, "value_hidden"))
    v = g.node("Mul", v, "keep_hidden", name="hidden_kept")
    outcome = g.affine(v, *head.outcome, "outcome")
    wdl = g.node("Softmax", _possible(g, outcome), name="wdl", axis=1)
    win, loss = g.column(wdl, 0, "win"), g.column(wdl, 2, "loss")
    g.node("Sub", win, loss, name="value")  # not a MatMul, which would round both to bfloat16
    points = g.affine(v, *head.lead, "points")
    decided = g.node("Add", win, loss, name="decided")
    g.node("Mul", g.column(points, 0, "points_column"), decided, name="lead")
    return head.hidden.weight.shape[1], len(head.hidden.bias)


def _strength_head(g: _BoardGraph, x: str, head: StrengthHead) -> int:
    """Add the strength head; return how many outputs it has."""
    s = g.relu(g.affine(x, *head.channels, "strength_conv"))
    s = g.flat(g.pooled(s, "strength", "maximum"))
    s = g.relu(g.affine(s, *head.hidden, "strength_hidden"))
    g.node("Identity", g.affine(s, *head.out, "strength_out"), name="strength")
    g.column("strength", 0, "beta")
    return len(head.out.bias)


def _possible(g: _BoardGraph, outcome: str) -> str:
    """Rule out that a game ends without result under superko and area scoring.

    Those are inputs 6 (another ko rule than simple ko) and 9 (territory) of the whole board.
    """
    rules = np.zeros((3, GLOBAL), np.float32)
    rules[1, 6], rules[1, 9] = 1, -1
    superko = g.relu(g.affine(g.flat(g.told), rules, np.zeros(3, np.float32), "superko"))
    refused = g.node(
        "Mul", superko, g.constant(np.array([IMPOSSIBLE], np.float32), "least"), name="refused"
    )
    return g.node("Add", outcome, refused, name="outcome_possible")
