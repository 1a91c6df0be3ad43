"""KataGo's residual network as a torch module, for training on from its weights.

Architecture: Wu 2019, "Accelerating Self-Play Learning in Go", appendix A, as model files of
version 8 have it (`weights`): pre-activated blocks, some with global pooling, a policy with a pass,
a value with lead and ownership. One module serves every square board.

Ours are the conditioning on the rating, and the strength head. Every block scales and shifts its
inner features by the conditions (FiLM, Perez et al. 2018): what a rating or a server changes is
found in all layers, and it costs next to nothing. These weights begin at zero, so that an untrained
network plays exactly as the one it was made of. All outputs depend on the conditions, the strength
scores too; these are learned without a rating, and must be requested without one.

There is no batch normalisation. A file's norms are folded into the layers before them or are a
scale and a bias by channels, and so they are trained. Norms would need statistics of their own,
which shift with the mix of servers in a batch, while folded weights begin where KataGo's training
ended; small steps are all that they need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from onnx import GraphProto

from evenmatch.errors import MissingExtraError, NetworkError
from evenmatch.network.artifact import DETAILS, read_graph
from evenmatch.network.foreign import Affine, Floats
from evenmatch.network.imported import KATAGO
from evenmatch.network.katago.graph import graph_of
from evenmatch.network.katago.net import (
    GLOBAL,
    SPATIAL,
    Block,
    Film,
    KataGoNet,
    Norm,
    PolicyHead,
    Pooling,
    StrengthHead,
    ValueHead,
)
from evenmatch.network.katago.weights import read_katago
from evenmatch.workshop.networks.export import graph_arrays, load_arrays
from evenmatch.workshop.networks.resnet import Keep, Modulation, NetworkOutput

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError(
        "training needs torch, which is not installed: pip install 'evenmatch[train]'"
    ) from error

Arrays = Mapping[str, Floats]  #: layers of a graph by name
KO_RULE, TERRITORY = SPATIAL + 6, SPATIAL + 9  #: planes that rule out games without a result
STRENGTH_HIDDEN = 256  #: units of the strength head, as `ResNet` has
IMPOSSIBLE = -1e5  #: a logit


@dataclass(frozen=True, kw_only=True)
class BoardNetConfig:
    """Shape of a `BoardNet`; all fields are counts, the defaults those of g170-b6c96.

    Raises NetworkError if ``inner`` and ``pooled`` are not of as many blocks.
    """

    channels: int = 96
    """Filters of the trunk."""
    inner: tuple[int, ...] = (96, 96, 64, 96, 64, 96)
    """Filters between the two convolutions of each block."""
    pooled: tuple[int, ...] = (0, 0, 32, 0, 32, 0)
    """Channels of each block that are pooled over the board; 0 for none."""
    policy_channels: int = 32
    policy_pooled: int = 32
    value_channels: int = 32
    value_hidden: int = 64
    conditions: int = 0
    """K, weights of the rating that the policy is conditioned on (see `conditions`); 0 for none."""
    strength: int = 0
    """Outputs of the strength head, the first being beta; 0 for no such head."""
    strength_channels: int = 32
    """Channels that the strength head pools."""
    strength_dropout: float = 0.0
    """Share of the strength head's hidden units that are dropped in training."""

    def __post_init__(self) -> None:
        for name in ("inner", "pooled"):  # lists, where they were read from JSON
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(self.inner) != len(self.pooled):
            raise NetworkError("a network has as many blocks in `inner` as in `pooled`")

    @property
    def architecture(self) -> str:
        """The name of this module's architecture in an artifact."""
        return "katago"

    @property
    def on_card(self) -> dict[str, Any]:
        """The fields of a card that follow from the shape."""
        shape = (SPATIAL + GLOBAL, 0, 0)
        return {
            "shape": shape, "actions": 0, "blocks": len(self.inner), "channels": self.channels,
        }  # fmt: skip

    @property
    def keep_sizes(self) -> tuple[int, int, int]:
        """F of the three keep-masks: before the policy's last layer and the value's dense ones."""
        return self.policy_channels, 3 * self.value_channels, self.value_hidden


class Scaled(nn.Module):
    """x * scale + bias by channels: what is left of a norm that follows a sum."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, H, W] -> the same shape."""
        return x * self.scale[:, None, None] + self.bias[:, None, None]


class GlobalPooling(nn.Module):
    """What a part of the channels, pooled over the board, adds to each of the others."""

    def __init__(self, channels: int, pooled: int, outputs: int, kernel: int) -> None:
        super().__init__()
        if pooled:
            self.channels = nn.Conv2d(channels, pooled, kernel, padding=kernel // 2)
            self.added = nn.Linear(3 * pooled, outputs)

    def add(self, x: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """[B, C, H, W], [B, outputs, H, W] -> the second's shape, and what was pooled, [B, 3G]."""
        pooled = pool(functional.relu(self.channels(x)), maximum=True)
        return z + self.added(pooled)[:, :, None, None], pooled


class BoardBlock(GlobalPooling):
    """x + second(relu(film(first(y) + pooling(y)))), where y is relu(norm(x))."""

    def __init__(self, channels: int, inner: int, pooled: int, conditions: int) -> None:
        super().__init__(channels, pooled, inner, 3)
        self.norm = Scaled(channels)
        self.first = nn.Conv2d(channels, inner, 3, padding=1)
        self.pooled = bool(pooled)
        self.film = Modulation(conditions, inner) if conditions else None
        self.inner = nn.Identity()  #: what is rectified, for who looks at it
        self.second = nn.Conv2d(inner, channels, 3, padding=1)
        for start in self.second.parameters():  # a block that is not from a file adds nothing
            nn.init.zeros_(start)

    def forward(self, x: Tensor, conditions: Tensor | None) -> Tensor:
        """[B, C, H, W], [B, K] -> the first's shape."""
        y = functional.relu(self.norm(x))
        z = self.first(y)
        if self.pooled:
            z, _ = self.add(y, z)
        if self.film is not None:
            z = self.film(z, conditions)
        return x + self.second(functional.relu(self.inner(z)))


class BoardNet(nn.Module):
    """Trunk with policy, value, lead, ownership and (optionally) strength.

    Layers are named as in the graph of `graph_of`.
    """

    def __init__(self, config: BoardNetConfig) -> None:
        super().__init__()
        self.config = c = config
        self.stem_conv = nn.Conv2d(SPATIAL, c.channels, 5, padding=2)
        self.told = nn.Linear(GLOBAL, c.channels)
        self.blocks = nn.ModuleList(
            BoardBlock(c.channels, inner, pooled, c.conditions)
            for inner, pooled in zip(c.inner, c.pooled, strict=True)
        )
        self.tip = Scaled(c.channels)
        self.policy_conv = nn.Conv2d(c.channels, c.policy_channels, 1)
        self.policy_pooling = GlobalPooling(c.channels, c.policy_pooled, c.policy_channels, 1)
        self.policy_points = nn.Conv2d(c.policy_channels, 1, 1)
        self.policy_pass = nn.Linear(3 * c.policy_pooled, 1)
        self.value_conv = nn.Conv2d(c.channels, c.value_channels, 1)
        self.value_hidden = nn.Linear(3 * c.value_channels, c.value_hidden)
        self.outcome = nn.Linear(c.value_hidden, 3)
        self.points = nn.Linear(c.value_hidden, 1)
        self.ownership_conv = nn.Conv2d(c.value_channels, 1, 1)
        if c.strength:
            self.strength_conv = nn.Conv2d(c.channels, c.strength_channels, 1)
            self.strength_hidden = nn.Linear(3 * c.strength_channels, STRENGTH_HIDDEN)
            self.strength_out = nn.Linear(STRENGTH_HIDDEN, c.strength)

    def graph(self) -> GraphProto:
        """Return the serialized graph, its weights in half precision."""
        return graph_of(weights_of(self), half=True)

    def inner_weights(self) -> list[nn.Parameter]:
        """Return the convolutions of the trunk; see `ResNet.inner_weights`."""
        inner = ("stem_conv.", "blocks.")
        return [p for name, p in self.named_parameters() if p.dim() == 4 and name.startswith(inner)]

    def own_weights(self) -> list[nn.Parameter]:
        """Return the weights of conditions and strength, which KataGo's network has not."""
        return [
            p for name, p in self.named_parameters()
            if ".film." in name or name.startswith("strength_")
        ]  # fmt: skip

    def inner_layers(self) -> list[nn.Module]:
        """Return what gives each block's inner features before they are rectified."""
        return [block.get_submodule("inner") for block in self.blocks]

    def forward(
        self, planes: Tensor, keep: Keep | None = None, conditions: Tensor | None = None
    ) -> NetworkOutput:
        """Evaluate planes [B, 41, H, W] float32; see `ResNet.forward`.

        Keep-masks are [B, F] of `BoardNetConfig.keep_sizes`, by channels in the policy.
        """
        told = self.told(planes[:, SPATIAL:, 0, 0])
        x = self.stem_conv(planes[:, :SPATIAL]) + told[:, :, None, None]
        for block in self.blocks:
            x = block(x, conditions)
        x = functional.relu(self.tip(x))
        strength = self._strength(x)
        beta = None if strength is None else strength[:, 0]
        said = self._value(x, keep, planes)
        return NetworkOutput(logits=self._policy(x, keep), beta=beta, strength=strength, **said)

    def _policy(self, x: Tensor, keep: Keep | None) -> Tensor:
        z, pooled = self.policy_pooling.add(x, self.policy_conv(x))
        z = functional.relu(z)
        if keep is not None:
            z = z * keep[0][:, :, None, None]
        return torch.cat([self.policy_points(z).flatten(1), self.policy_pass(pooled)], 1)

    def _value(self, x: Tensor, keep: Keep | None, planes: Tensor) -> dict[str, Tensor]:
        """Return what is said of the outcome, by the names of `NetworkOutput`."""
        channels = functional.relu(self.value_conv(x))
        pooled = pool(channels, maximum=False)
        hidden = functional.relu(self.value_hidden(pooled if keep is None else pooled * keep[1]))
        if keep is not None:
            hidden = hidden * keep[2]
        outcome = self.outcome(hidden).float() + impossible(planes)
        wdl = outcome.softmax(1)
        points = self.points(hidden).squeeze(1).float()
        return {
            "value": wdl[:, 0] - wdl[:, 2],
            "value_score": (outcome[:, 0] - outcome[:, 2]) / 2,  # its tanh, if the game is decided
            "wdl": wdl,
            "lead": points * (wdl[:, 0] + wdl[:, 2]),
            "ownership": torch.tanh(self.ownership_conv(channels).flatten(1).float()),
        }

    def _strength(self, x: Tensor) -> Tensor | None:
        if not self.config.strength:
            return None
        pooled = pool(functional.relu(self.strength_conv(x)), maximum=True)
        hidden = functional.relu(self.strength_hidden(pooled))
        dropped = functional.dropout(hidden, self.config.strength_dropout, self.training)
        return self.strength_out(dropped)


def pool(x: Tensor, maximum: bool) -> Tensor:
    """Return what is pooled of x [B, C, H, W] over the board, [B, 3C]; see `_BoardGraph.pooled`."""
    width = (math.sqrt(x.shape[2] * x.shape[3]) - 14) / 10
    mean = x.mean((2, 3))
    last = x.amax((2, 3)) if maximum else mean * (width**2 - 0.1)
    return torch.cat([mean, mean * width, last], 1)


def impossible(planes: Tensor) -> Tensor:
    """Return what rules out games without result where they are by superko and area, [B, 3]."""
    ruled_out = functional.relu(planes[:, KO_RULE, 0, 0] - planes[:, TERRITORY, 0, 0])
    return functional.pad(IMPOSSIBLE * ruled_out[:, None].float(), (1, 1))


# From weights and back


def katago_module(path: str | Path) -> BoardNet:
    """Return the module of a KataGo model file, or of an artifact that was made of one.

    In evaluation mode. NetworkError as `read_katago` or `read_card`, and for networks of another
    kind or of layers of other widths.
    """
    path = Path(path)
    graph = graph_of(read_katago(path)) if path.name.endswith(KATAGO) else read_graph(path)
    if _is_of_another_kind(graph):
        raise NetworkError(
            f"{path} has activations, blocks or inputs that are not trained on; give a network of "
            "residual blocks and rectifiers, such as g170's"
        )
    return module_from(graph_arrays(graph), path)


def _is_of_another_kind(graph: GraphProto) -> bool:
    """Return whether a network has parts that `BoardNet` has not."""
    layers = {constant.name for constant in graph.initializer}
    parts = any(name.endswith(".last_norm.scale") for name in layers)
    return bool(parts or layers & {"policy_pass_hidden.bias", "profile.first.bias"}) or any(
        node.op_type in ("Div", "MatMul", "Sigmoid", "Softplus")
        and not node.name.startswith(DETAILS)
        for node in graph.node
    )


def module_from(arrays: Arrays, path: Path, **settings: Any) -> BoardNet:
    """Return the module of the layers of a graph; ``settings`` are what these lack."""
    try:
        module = BoardNet(replace(config_of(arrays), **settings))
        load_arrays(module, arrays)
    except (KeyError, RuntimeError):
        raise NetworkError(f"{path} is of a shape that is not trained on; give others") from None
    return module.eval()


def config_of(arrays: Arrays) -> BoardNetConfig:
    """Return the shape of a network by the layers of its graph; KeyError for other networks."""
    first = [f"blocks.{i}" for i in range(len(arrays)) if f"blocks.{i}.first.bias" in arrays]

    def width(name: str) -> int:
        return len(arrays[f"{name}.bias"])

    def optional(name: str, axis: int = 0) -> int:
        return arrays[name].shape[axis] if name in arrays else 0

    return BoardNetConfig(
        channels=width("stem_conv"),
        inner=tuple(width(f"{name}.first") for name in first),
        pooled=tuple(optional(f"{name}.channels.bias") for name in first),
        policy_channels=width("policy_conv"),
        policy_pooled=width("policy_pooling.channels"),
        value_channels=width("value_conv"),
        value_hidden=width("value_hidden"),
        conditions=optional("blocks.0.film.scale.weight", 1),
        strength=optional("strength_out.bias"),
        strength_channels=optional("strength_conv.bias") or BoardNetConfig.strength_channels,
    )


def weights_of(module: BoardNet) -> KataGoNet:
    """Return a module's weights as those of a KataGo network."""
    strength = None
    if module.config.strength:
        strength = StrengthHead(
            _affine(module.strength_conv),
            _affine(module.strength_hidden),
            _affine(module.strength_out),
        )
    return KataGoNet(
        name="evenmatch",
        stem=_affine(module.stem_conv),
        told=_affine(module.told),
        blocks=tuple(map(_block, module.blocks)),
        tip=_norm(module.tip),
        policy=PolicyHead(
            _affine(module.policy_conv),
            _pooling(module.policy_pooling),
            _affine(module.policy_points),
            _affine(module.policy_pass),
        ),
        value=ValueHead(
            _affine(module.value_conv),
            _affine(module.value_hidden),
            _affine(module.outcome),
            _affine(module.points),
            _affine(module.ownership_conv),
        ),
        strength=strength,
    )


def _block(block: nn.Module) -> Block:
    assert isinstance(block, BoardBlock)
    told = block.film
    film = None if told is None else Film(_affine(told.scale), _affine(told.shift))
    pooling = _pooling(block) if block.pooled else None
    return Block(_norm(block.norm), _affine(block.first), pooling, _affine(block.second), film)


def _pooling(part: GlobalPooling) -> Pooling:
    return Pooling(_affine(part.channels), _affine(part.added))


def _norm(scaled: Scaled) -> Norm:
    return Norm(_array(scaled.scale), _array(scaled.bias))


def _affine(layer: nn.Conv2d | nn.Linear) -> Affine:
    assert layer.bias is not None
    return Affine(_array(layer.weight), _array(layer.bias))


def _array(weight: Tensor) -> Floats:
    return weight.detach().cpu().float().contiguous().numpy()
