"""The torch module of an artifact, whatever its architecture is."""

import json
from pathlib import Path
from typing import Any, TypeAlias

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import CONFIG_KEY, metadata, read_graph
from evenmatch.workshop.networks.export import graph_arrays, load_arrays
from evenmatch.workshop.networks.katago_module import BoardNet, BoardNetConfig
from evenmatch.workshop.networks.resnet import ResNet, ResNetConfig

Module: TypeAlias = ResNet | BoardNet


def read_weights(path: str | Path) -> Module:
    """Rebuild the torch module of an artifact, in evaluation mode, batch norms being identities.

    For CUDA and MPS inference, and for training on (then call `resnet.calibrate` first).
    Raises NetworkError for a bad file, MissingExtraError without torch.
    """
    path = Path(path)
    props = metadata(path)
    if CONFIG_KEY not in props:
        raise NetworkError(f"network {path} was imported and runs on the CPU only; use device=cpu")
    arrays = graph_arrays(read_graph(path))
    try:
        net = _built(json.loads(props[CONFIG_KEY]))
        load_arrays(net, arrays)
    except (KeyError, ValueError, TypeError, RuntimeError):
        raise NetworkError(f"network {path} does not fit this version; export it again") from None
    return net.eval()


def _built(config: dict[str, Any]) -> Module:
    """Return a module of the shape in an artifact, with weights of its own."""
    if config.pop("architecture", "resnet") == "katago":
        return BoardNet(BoardNetConfig(**config))
    return ResNet(ResNetConfig(**config))
