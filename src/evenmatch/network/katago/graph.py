"""Make a network artifact, ONNX with a card, of a network of KataGo's, or of one that grew from it.

Height and width are dimensions of the graph that are known when it is loaded, so one artifact
serves every square board. All cells are on the board, so it needs no mask.

How outputs of scores and errors are read: cpp/neuralnet/nneval.cpp of lightvector/KataGo.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import GraphProto, TensorProto

from evenmatch.games.go.katago_planes import FORMAT
from evenmatch.network.artifact import CONDITIONS, DETAILS, KEEP_NAMES, OPTIMISTIC, write_graph
from evenmatch.network.card import Card
from evenmatch.network.foreign import Affine
from evenmatch.network.katago.block_graph import BlockGraph
from evenmatch.network.katago.net import (
    GLOBAL,
    PROFILE,
    SPATIAL,
    Block,
    Details,
    KataGoNet,
    Norm,
    ProfileEncoder,
    RootMean,
    StrengthHead,
)
from evenmatch.network.katago.profiles import KNOTS, SCALES
from evenmatch.network.katago.weights import read_katago

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
        suicide_area=net.suicide_area,
        actions=0,
        blocks=len(net.blocks),
        channels=len(net.stem.bias),
        architecture=net.description,
        profiles=net.encoder is not None,
        scales=list(SCALES) if net.encoder else [],
        knots=list(KNOTS) if net.encoder else [],
        command=command,
        licence=GIVEN_AWAY if net.name.startswith("g170") else UNKNOWN,
        notes=f"imported from {name} (SHA-256 {net.digest}), KataGo's {net.name}",
        torch=False,
    )


def graph_of(net: KataGoNet, half: bool = False) -> GraphProto:
    """Return the ONNX graph: inputs and outputs as in `artifact`."""
    g = _BoardGraph(half)
    x = g.node("Add", g.stem(net.stem), g.dense(g.told, net.told, "told"), name="stem")
    if net.encoder:
        x = g.node("Add", x, _profiles(g, net.encoder), name="stem_profiles")
    x = g.stack(x, net.blocks, "blocks")
    x = _tip(g, x, net.tip)
    keep = (_policy_head(g, x, net), *_value_head(g, x, net))
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (SPATIAL + GLOBAL, "H", "W")}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, keep, strict=True)}
    films = [block.film for block in net.blocks if isinstance(block, Block) and block.film]
    inputs |= {CONDITIONS: (films[0].scale.weight.shape[1],)} if films else {}
    inputs |= {CONDITIONS: (PROFILE,)} if net.encoder else {}
    outputs: dict[str, tuple[int | str, ...]]
    outputs = {"policy": ("A",), "value": (), "wdl": (3,), "lead": (), "ownership": ("P",)}
    if net.strength:
        outputs |= {"beta": (), "strength": (_strength_head(g, x, net.strength),)}
    outputs |= {OPTIMISTIC: ("A",)} if net.policy.optimistic else {}
    outputs |= {DETAILS: (5,)} if net.value.details else {}
    return g.serialize("evenmatch-go", inputs, outputs)


class _BoardGraph(BlockGraph):
    """The graph of a whole network; numbers of a whole board are [B, C, 1, 1]."""

    def __init__(self, half: bool) -> None:
        super().__init__(half)
        self.told = self._told()
        self.width, self.spread = self._area()

    def stem(self, layer: Affine) -> str:
        """Add the first convolution, of the planes that are not of the whole board."""
        shown = self.part("planes", 0, SPATIAL, "stem_planes")
        return self.affine(shown, layer.weight, layer.bias, "stem_conv")

    def kept(self, x: str, mask: str, name: str) -> str:
        """Multiply x by a keep-mask [B, C]."""
        wide = self.node("Unsqueeze", mask, self.cells, name=f"{name}.mask")
        return self.node("Mul", x, wide, name=name)

    def _told(self) -> str:
        """Add the inputs of the whole board, [B, 19, 1, 1], each the same in all its plane."""
        planes = self.part("planes", SPATIAL, SPATIAL + GLOBAL, "told.planes")
        return self.node("GlobalMaxPool", planes, name="told.inputs")

    def _area(self) -> tuple[str, str]:
        """Add w = (width - 14) / 10, where width is the root of the area, and w**2 - 0.1."""
        area = self.node("ReduceProd", self.sizes(), name="board.area", keepdims=0)
        area = self.node("Cast", area, name="board.real", to=TensorProto.FLOAT)
        root = self.node("Sqrt", area, name="board.root")
        away = self.node("Sub", root, self.number(14.0), name="board.away")
        width = self.node("Mul", away, self.number(0.1), name="board.width")
        square = self.node("Mul", width, width, name="board.square")
        return width, self.node("Sub", square, self.number(0.1), name="board.spread")


def _profiles(g: _BoardGraph, encoder: ProfileEncoder) -> str:
    """Add what profiles, the conditions [B, PROFILE], add to the stem: [B, C, 1, 1]."""
    one, two = encoder.activations
    y = g.node("Unsqueeze", CONDITIONS, g.cells, name="profile")
    y = g.activated(g.dense(y, encoder.first, "profile.first"), one)
    y = g.activated(g.dense(y, encoder.second, "profile.second"), two)
    return g.dense(y, encoder.last, "profile.last")  # convolutions: OpenVINO fuses no mish in Gemms


def _tip(g: _BoardGraph, x: str, norm: Norm | RootMean) -> str:
    """Add the trunk's last norm."""
    if isinstance(norm, Norm):
        return g.normed(x, norm, "tip")
    y = g.root_mean(x, norm.epsilon, "tip.mean", [1, 2, 3] if norm.whole else [1])
    return g.activated(g.scaled(y, norm.scale, norm.bias, "tip"), norm.activation)


def _policy_head(g: _BoardGraph, x: str, net: KataGoNet) -> int:
    """Add the policy; return F of its keep-mask, which stands before the last layer."""
    head = net.policy
    z, pooled = g.pooling(
        x, g.affine(x, *head.first, "policy_conv"), head.pooling, "policy_pooling"
    )
    p = g.kept(g.activated(z, head.activation), "keep_policy", "policy_kept")
    if head.passing_hidden:
        pooled = g.dense(pooled, head.passing_hidden, "policy_pass_hidden")
        pooled = g.activated(pooled, head.passing_activation)
    for name, layers in (("policy", (head.last, head.passing)), (OPTIMISTIC, head.optimistic)):
        if layers:
            points = g.flat(g.affine(p, *layers[0], f"{name}_points"))
            passing = g.flat(g.dense(pooled, layers[1], f"{name}_pass"))
            g.node("Concat", points, passing, name=name, axis=1)
    return len(head.first.bias)


def _value_head(g: _BoardGraph, x: str, net: KataGoNet) -> tuple[int, int]:
    """Add value, lead and ownership; return F of the two masks, before the dense layers."""
    head = net.value
    one, two = head.activations
    y = g.activated(g.affine(x, *head.channels, "value_conv"), one)
    owner = g.flat(g.affine(y, *head.ownership, "ownership_conv"))
    g.node("Tanh", owner, name="ownership")
    v = g.flat(g.pooled(y, "value", "square"))
    v = g.node("Mul", v, "keep_value", name="value_kept")
    v = g.activated(g.affine(v, *head.hidden, "value_hidden"), two)
    v = g.node("Mul", v, "keep_hidden", name="hidden_kept")
    outcome = g.affine(v, *head.outcome, "outcome")
    wdl = g.node("Softmax", _possible(g, outcome), name="wdl", axis=1)
    win, loss = g.column(wdl, 0, "win"), g.column(wdl, 2, "loss")
    g.node("Sub", win, loss, name="value")  # not a MatMul, which would round both to bfloat16
    points = g.affine(v, *head.lead, "points")
    decided = g.node("Add", win, loss, name="decided")
    g.node("Mul", g.column(points, 0, "points_column"), decided, name="lead")
    if head.details:
        _details(g, v, decided, head.details)
    return head.hidden.weight.shape[1], len(head.hidden.bias)


def _details(g: _BoardGraph, v: str, decided: str, details: Details) -> None:
    """Add what `artifact` says of DETAILS: scores, time left and errors, -1 before version 9."""
    raw, factors = g.affine(v, *details.layer, "details_raw"), details.factors
    mean, spread, *rest = (g.column(raw, i, f"details.{i}") for i in range(len(factors)))
    mean = g.node("Mul", mean, g.number(factors[0]), name="details.mean")
    spread = g.node("Softplus", spread, name="details.spread")
    spread = g.node("Mul", spread, g.number(factors[1]), name="details.deviation")
    squares = (g.node("Mul", y, y, name=f"{y}.square") for y in (mean, spread))
    square = g.node("Add", *squares, name="details.square")
    said = [g.node("Mul", y, decided, name=f"{y}.decided") for y in (mean, square)]
    if details.version < 9:
        said += [g.node("Sub", g.node("Sub", mean, mean, name="details.none"), g.number(1.0),
                        name="details.unknown")] * 3  # fmt: skip
    else:
        time = g.node("Softplus", rest[0], name="details.time")
        said.append(g.node("Mul", time, g.number(factors[2]), name="details.time_left"))
        pairs = zip(rest[1:], factors[3:], (1.0, 10.0), strict=True)
        said += [_error(g, *pair, details.version) for pair in pairs]
    axis = g.constant(np.array([1], np.int64), "details.axis")
    columns = [g.node("Unsqueeze", y, axis, name=f"{y}.{i}") for i, y in enumerate(said)]
    g.node("Concat", *columns, name=DETAILS, axis=1)


def _error(g: _BoardGraph, x: str, factor: float, early: float, version: int) -> str:
    """Add an error that the value head expects: its square was learned since version 10."""
    if version >= 14:
        x = g.node("Mul", x, g.number(0.5), name=f"{x}.half")
    error = g.node("Softplus", x, name=f"{x}.error")
    if version < 10:
        return g.node("Mul", error, g.number(early), name=f"{x}.scaled")
    if version >= 14:
        error = g.node("Mul", error, error, name=f"{x}.square")
    return g.node(
        "Sqrt", g.node("Mul", error, g.number(factor), name=f"{x}.scaled"), name=f"{x}.root"
    )


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
