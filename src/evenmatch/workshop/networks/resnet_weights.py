"""Weights of a residual network of Leela's, Maia's included, to train on from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from evenmatch.errors import NetworkError
from evenmatch.network.foreign import Affine
from evenmatch.network.leela.graph import excitation_layers
from evenmatch.network.leela.policy_planes import MOVES
from evenmatch.network.leela.weights import INPUT_PLANES, LeelaNet, read_leela
from evenmatch.workshop.networks.export import load_arrays
from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig


def leela_module(path: str | Path) -> ResNet:
    """Return the torch module of a Leela weights file, in evaluation mode, norms being identities.

    A value of win, draw and loss becomes the expected result of games that are not drawn.
    NetworkError as `read_leela`, and for a dense policy.
    """
    net = read_leela(path)
    if net.policy[1].weight.ndim == 2:
        raise NetworkError(f"{path} has a dense policy, which is not trained on; give others")
    module = ResNet(_config(net))
    try:
        load_arrays(module, dict(_arrays(net)))
    except RuntimeError:  # layers of other widths, which the format allows
        raise NetworkError(f"{path} is of a shape that is not trained on; give others") from None
    return module.eval()


def _config(net: LeelaNet) -> ResNetConfig:
    excitation = net.blocks[0].excitation if net.blocks else None
    return ResNetConfig(
        planes=INPUT_PLANES,
        height=8,
        width=8,
        actions=MOVES,
        blocks=len(net.blocks),
        channels=len(net.stem.bias),
        value_channels=len(net.value.bias),
        value_hidden=len(net.value_hidden.bias),
        chess_policy=True,
        squeezed=0 if excitation is None else len(excitation[0].bias),
    )


def _arrays(net: LeelaNet) -> list[tuple[str, np.ndarray]]:
    """Return the arrays by the names that they have in an artifact."""
    layers = {"stem": net.stem, "policy_conv": net.policy[0], "policy_out.planes": net.policy[1]}
    layers |= {"value_conv": net.value, "value_hidden": net.value_hidden}
    layers["value_out"] = _expected(net.value_out)
    for i, block in enumerate(net.blocks):
        layers |= {f"blocks.{i}.first": block.first, f"blocks.{i}.second": block.second}
        if block.excitation:
            parts = excitation_layers(*block.excitation)
            layers |= {f"blocks.{i}.excitation.{name}": layer for name, layer in parts.items()}
    return [
        (f"{name}.{part}", array)
        for name, layer in layers.items()
        for part, array in layer._asdict().items()
    ]


def _expected(out: Affine) -> Affine:
    """Return the last layer of a value, whose tanh is that of wins against losses."""
    if len(out.bias) == 1:
        return out
    weight, bias = (np.float32(0.5) * (array[:1] - array[2:]) for array in out)
    return Affine(weight, bias)
