"""Write a torch module as a network artifact, and read its weights back.

`write_artifact` needs torch, the [train] extra. The graph is built layer by layer:
batch norms are folded into the weights, which are float16 on disk and cast to float32 when read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import CONDITIONS, CONFIG_KEY, KEEP_NAMES, write_graph
from evenmatch.network.card import Card
from evenmatch.network.conditions import condition_count

if TYPE_CHECKING:
    import numpy as np
    from onnx import GraphProto
    from torch import nn

    from evenmatch.network.onnx_graph import Graph
    from evenmatch.workshop.networks.resnet import ResNet


@runtime_checkable
class Exporting(Protocol):
    """A torch module that makes its graph by itself."""

    config: Any  #: of its shape, a dataclass

    def graph(self) -> GraphProto:
        """Return the graph that computes what the module does."""
        ...


def _folded(linear: nn.Module, norm: nn.Module | None) -> tuple[np.ndarray, np.ndarray]:
    """(weight, bias) float32 of a convolution or FC with the batch norm after it, if any."""
    import torch
    from torch import nn

    weight = linear.weight.detach().cpu().double()  # type: ignore[union-attr,operator]
    bias = torch.zeros(len(weight), dtype=torch.float64)
    if linear.bias is not None:
        bias = linear.bias.detach().cpu().double()  # type: ignore[union-attr,operator]
    if norm is not None and not isinstance(norm, nn.Identity):
        gamma, beta, mean, var = (
            getattr(norm, name).detach().cpu().double()
            for name in ("weight", "bias", "running_mean", "running_var")
        )
        scale = gamma / torch.sqrt(var + norm.eps)  # type: ignore[operator]
        weight = weight * scale.reshape(-1, *[1] * (weight.dim() - 1))
        bias = (bias - mean) * scale + beta
    return weight.float().numpy(), bias.float().numpy()


def _layer(g: Graph, x: str, linear: nn.Module, norm: nn.Module | None, name: str) -> str:
    """Add a folded convolution or FC; the weight is float16, the (small) bias float32."""
    import numpy as np

    weight, bias = _folded(linear, norm)
    with np.errstate(over="ignore"):  # checked below
        half = weight.astype(np.float16)
    if not np.isfinite(half).all() or not np.isfinite(bias).all():
        raise NetworkError(
            f"layer {name} has weights that are not finite in float16; lower the learning rate"
        )
    return g.affine(x, half, bias, name)


def _conv(g: Graph, x: str, pair: nn.Module, name: str) -> str:
    """Add a `ConvNorm`."""
    return _layer(g, x, pair[0], pair[1], name)  # type: ignore[index]


def _trunk_and_heads(g: Graph, net: ResNet) -> None:
    """The forward pass of `ResNet`, layer names as in the module."""
    x = g.relu(_conv(g, "planes", net.stem, "stem"))
    for i, block in enumerate(net.blocks):
        y = g.relu(_conv(g, x, block.first, f"blocks.{i}.first"))  # type: ignore[arg-type]
        y = _conv(g, y, block.second, f"blocks.{i}.second")  # type: ignore[arg-type]
        if net.config.squeezed:
            layers = _dense_layers(block.excitation, "squeeze", "scale", "shift")  # type: ignore[arg-type]
            y = g.excited(y, layers, f"blocks.{i}.excitation")
        x = g.relu(g.node("Add", x, y, name=f"blocks.{i}"))
    told = x if net.policy_block is None else _conditioned(g, x, net.policy_block)
    p = g.flat(g.relu(_conv(g, told, net.policy_conv, "policy_conv")))
    p = g.node("Mul", p, "keep_policy", name="policy_kept")
    if net.config.chess_policy:
        p = g.on_board(p, net.config.channels, "policy_board")
        p = _layer(g, p, net.policy_out.planes, None, "policy_out.planes")  # type: ignore[arg-type]
        g.chess_moves(p, net.policy_out.moves.cpu().numpy(), "policy")  # type: ignore[union-attr,operator]
    else:
        g.node("Identity", _layer(g, p, net.policy_out, None, "policy_out"), name="policy")
    v = g.flat(g.relu(_conv(g, x, net.value_conv, "value_conv")))
    v = g.node("Mul", v, "keep_value", name="value_kept")
    v = g.relu(_layer(g, v, net.value_hidden[0], net.value_hidden[1], "value_hidden"))
    v = g.node("Mul", v, "keep_hidden", name="hidden_kept")
    v = g.node("Tanh", _layer(g, v, net.value_out, None, "value_out"), name="value_tanh")
    g.node("Squeeze", v, "axis", name="value")
    if net.config.strength:
        s = g.flat(g.relu(_conv(g, x, net.strength_conv, "strength_conv")))
        s = g.relu(_layer(g, s, net.strength_hidden, None, "strength_hidden"))
        g.node("Identity", _layer(g, s, net.strength_out, None, "strength_out"), name="strength")
        g.column("strength", 0, "beta")


def _conditioned(g: Graph, x: str, block: nn.Module) -> str:
    """The forward pass of `ConditionedBlock`."""
    y = _conv(g, x, block.first, "policy_block.first")  # type: ignore[arg-type]
    y = g.relu(g.modulated(y, CONDITIONS, _dense_layers(block, "scale", "shift"), "policy_block"))
    y = _conv(g, y, block.second, "policy_block.second")  # type: ignore[arg-type]
    return g.relu(g.node("Add", x, y, name="policy_block"))


def _dense_layers(module: nn.Module, *names: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return (weight, bias) float32 of dense layers of a module, by name."""
    return {name: _folded(getattr(module, name), None) for name in names}


def _graph(net: ResNet, card: Card) -> GraphProto:
    import numpy as np

    from evenmatch.network.onnx_graph import Graph

    g, c = Graph(), net.config
    g.constant(np.array([1], np.int64), "axis")
    _trunk_and_heads(g, net)
    inputs: dict[str, tuple[int | str, ...]] = {"planes": (c.planes, c.height, c.width)}
    inputs |= {name: (size,) for name, size in zip(KEEP_NAMES, c.keep_sizes, strict=True)}
    inputs |= {CONDITIONS: (c.conditions,)} if c.conditions else {}
    outputs: dict[str, tuple[int | str, ...]] = {"policy": (c.actions,), "value": ()}
    outputs |= {"beta": (), "strength": (int(c.strength),)} if c.strength else {}
    return g.serialize(f"evenmatch-{card.game}", inputs, outputs)


def write_artifact(module: ResNet | Exporting, card: Card, path: str | Path) -> None:
    """Export a trained module and its card to `path`, atomically (a reader never sees half a file).

    Raises NetworkError if the card does not fit the module or a weight is not finite in float16,
    OSError if the folder cannot be written.
    """
    c = module.config
    ours = c.on_card
    if any(getattr(card, name) != value for name, value in ours.items()):
        raise NetworkError(f"the card does not fit the network; set its shape fields to {ours}")
    if condition_count(len(card.scales), card.condition_knots) != c.conditions:
        raise NetworkError(
            f"the card has {len(card.scales)} rating scales, the network {c.conditions} "
            "conditions; make them fit"
        )
    config = json.dumps({"architecture": c.architecture, **asdict(c)})
    graph = module.graph() if isinstance(module, Exporting) else _graph(module, card)
    write_graph(graph, card, path, {CONFIG_KEY: config})


def graph_arrays(graph: GraphProto) -> dict[str, np.ndarray]:
    """Return the constants of a graph, float32, by name."""
    import numpy as np
    from onnx import numpy_helper

    return {t.name: np.asarray(numpy_helper.to_array(t), np.float32) for t in graph.initializer}


def load_arrays(net: nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Give a module the weights of a graph's layers, norms folded in, by their names.

    KeyError or RuntimeError if they are not of such a module.
    """
    import torch
    from torch import nn

    def copy(to: torch.Tensor, name: str) -> None:
        to.copy_(torch.from_numpy(arrays[name].copy()).reshape(to.shape))

    with torch.no_grad():
        for name, layer in net.named_modules():
            if isinstance(layer, nn.Sequential) and len(layer) == 2:  # layer and its norm
                linear, norm = layer
                copy(linear.weight, f"{name}.weight")  # type: ignore[arg-type]
                if isinstance(norm, nn.Identity):
                    copy(linear.bias, f"{name}.bias")  # type: ignore[arg-type]
                    continue
                copy(norm.bias, f"{name}.bias")  # type: ignore[arg-type]
                norm.running_var.fill_(1.0 - norm.eps)  # type: ignore[union-attr,operator]
        for name, weight in net.named_parameters():
            if name in arrays:
                copy(weight, name)
