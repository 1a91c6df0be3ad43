"""The AlphaZero residual network as a torch module; used for training only.

Architecture: AlphaDDA 2022, Fig. A1 (body of residual blocks, a policy and a value head), plus the
optional strength head of the 2025 strength-estimation paper. For chess there are Leela's
convolutional policy head and before that head a residual block conditioned on the mover's rating
(ours). Trunk, value and strength do not see the rating. Inference reads the
exported artifact instead (`artifact.write_artifact`, `inference.NetworkEvaluator`); nothing here is
imported at play.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple, Protocol

from evenmatch.errors import MissingExtraError, NetworkError
from evenmatch.network.leela.policy_planes import PADDED, gather_indices

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError(
        "training needs torch, which is not installed: pip install 'evenmatch[train]'"
    ) from error


@dataclass(frozen=True, kw_only=True)
class ResNetConfig:
    """Shape of a `ResNet`; all fields are counts.

    Raises NetworkError for a count below 1 (`blocks` may be 0).
    """

    planes: int
    """C, input feature planes."""
    height: int
    """H, rows of the board."""
    width: int
    """W, columns of the board."""
    actions: int
    """A, policy outputs; pass is an action of its own."""
    blocks: int
    """Residual blocks (paper: 3 Connect4, 3 Othello 6x6, 5 Othello 8x8)."""
    channels: int
    """Filters of every trunk convolution (paper: 256)."""
    policy_channels: int = 2
    """Filters of the policy head's 1x1 convolution."""
    value_channels: int = 1
    """Filters of the value head's 1x1 convolution."""
    value_hidden: int = 256
    """Units of the value head's hidden layer."""
    strength: int = 0
    """Outputs of the strength head, the first being beta; 0 for no such head."""
    strength_channels: int = 1
    """Filters of the strength head's 1x1 convolution (paper: 1)."""
    strength_dropout: float = 0.0
    """Share of the strength head's hidden units that are dropped in training."""
    chess_policy: bool = False
    """Whether the policy is 80 planes of chess moves, gathered into 1858, instead of dense."""
    normed: bool = True
    """Whether batch normalisation follows every convolution; if not, branches begin at 0."""
    squeezed: int = 0
    """Units of the squeeze-excitation that ends every block of the trunk; 0 for none."""
    conditions: int = 0
    """K, weights of the mover's rating for the policy (see `conditions`); 0 for none."""

    def __post_init__(self) -> None:
        optional = (
            "blocks", "strength", "strength_dropout", "chess_policy", "conditions", "normed",
            "squeezed",
        )  # fmt: skip
        for field in fields(self):
            least = 0 if field.name in optional else 1
            if getattr(self, field.name) < least:
                raise NetworkError(f"ResNetConfig.{field.name} must be at least {least}; raise it")

    @property
    def architecture(self) -> str:
        """The name of this module's architecture in an artifact."""
        return "resnet"

    @property
    def on_card(self) -> dict[str, Any]:
        """The fields of a card that follow from the shape."""
        shape = (self.planes, self.height, self.width)
        same = {name: getattr(self, name) for name in ("actions", "blocks", "channels")}
        return {"shape": shape, **same}

    @property
    def keep_sizes(self) -> tuple[int, int, int]:
        """F of the three keep-masks: before the policy FC, the value FC, the last value FC."""
        squares = self.height * self.width
        policy = self.channels if self.chess_policy else self.policy_channels
        return policy * squares, self.value_channels * squares, self.value_hidden


class NetworkOutput(NamedTuple):
    """What a forward pass gives."""

    logits: Tensor  # [B, A] unnormalised log-probabilities, illegal actions included
    value: Tensor  # [B] in [-1, 1], for the side to move
    value_score: Tensor  # [B] what the value is the tanh of
    beta: Tensor | None  # [B] strength score, unbounded; None without a strength head
    strength: Tensor | None = None  # [B, strength] all that the strength head says, beta first
    wdl: Tensor | None = None  # [B, 3] chances of win, draw and loss, where the value is of these
    lead: Tensor | None = None  # [B] points that the side to move will be ahead, likewise
    ownership: Tensor | None = None  # [B, H*W] whose points will be, 1 of the side to move


Keep = tuple[Tensor, Tensor, Tensor]  # three multiplicative masks [B, F], see `keep_sizes`


class ConvNorm(nn.Sequential):
    """Convolution and batch normalisation, or a convolution with a bias; export makes it one."""

    def __init__(self, inputs: int, outputs: int, kernel: int, normed: bool) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=not normed),
            nn.BatchNorm2d(outputs) if normed else nn.Identity(),
        )


def last_of_branch(channels: int, normed: bool) -> ConvNorm:
    """Return the last convolution of a residual branch.

    Without norms it begins at zero, so that the block begins as the identity (Zhang et al. 2019,
    Fixup): else activations would double from block to block.
    """
    pair = ConvNorm(channels, channels, 3, normed)
    if not normed:
        for start in pair[0].parameters():
            nn.init.zeros_(start)
    return pair


class Excitation(nn.Module):
    """Squeeze-excitation (Hu et al. 2018) as Leela's: y * sigmoid(s) + t, both of y's means."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(channels, squeezed)
        self.scale = nn.Linear(squeezed, channels)
        self.shift = nn.Linear(squeezed, channels)
        nn.init.zeros_(self.shift.weight)
        nn.init.zeros_(self.shift.bias)

    def forward(self, y: Tensor) -> Tensor:
        """[B, channels, H, W] -> the same shape."""
        means = functional.relu(self.squeeze(y.mean((2, 3))))
        gate, shift = torch.sigmoid(self.scale(means)), self.shift(means)
        return y * gate[:, :, None, None] + shift[:, :, None, None]


class ResidualBlock(nn.Module):
    """relu(x + excite(norm(conv(relu(norm(conv(x))))))), the excitation if there is one."""

    def __init__(self, channels: int, normed: bool, squeezed: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3, normed)
        self.second = last_of_branch(channels, normed)
        self.excitation = Excitation(channels, squeezed) if squeezed else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """[B, channels, H, W] -> the same shape."""
        branch = self.second(functional.relu(self.first(x)))
        return functional.relu(x + self.excitation(branch))


def zero_dense(inputs: int, outputs: int) -> nn.Linear:
    """Return a dense layer that begins at zero."""
    layer = nn.Linear(inputs, outputs)
    for start in layer.parameters():
        nn.init.zeros_(start)
    return layer


def modulated(y: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return y + y * scale + shift of [B, C, H, W] and [B, C] twice."""
    return y + y * scale[:, :, None, None] + shift[:, :, None, None]


class Modulation(nn.Module):
    """Scales and shifts features by the conditions; at first it leaves them as they are."""

    def __init__(self, conditions: int, channels: int) -> None:
        super().__init__()
        self.scale = zero_dense(conditions, channels)
        self.shift = zero_dense(conditions, channels)

    def forward(self, y: Tensor, conditions: Tensor) -> Tensor:
        """[B, channels, H, W], [B, K] -> the first's shape."""
        return modulated(y, self.scale(conditions), self.shift(conditions))


class ConditionedBlock(nn.Module):
    """A residual block whose inner features are scaled and shifted by the conditions."""

    def __init__(self, channels: int, conditions: int, normed: bool) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3, normed)
        self.scale = zero_dense(conditions, channels)
        self.shift = zero_dense(conditions, channels)
        self.second = last_of_branch(channels, normed)

    def forward(self, x: Tensor, conditions: Tensor) -> Tensor:
        """[B, channels, H, W], [B, K] -> the first's shape."""
        y = modulated(self.first(x), self.scale(conditions), self.shift(conditions))
        y = functional.relu(y)
        return functional.relu(x + self.second(y))


class ChessPolicy(nn.Module):
    """The last layer of Leela's policy head: 80 planes, then the 1858 moves among them."""

    moves: Tensor  # [1858] where a move lies in the planes

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.planes = nn.Conv2d(channels, PADDED, 3, padding=1)
        self.register_buffer("moves", torch.from_numpy(gather_indices()), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """[B, channels * 64] -> [B, 1858]."""
        planes = self.planes(x.unflatten(1, (-1, 8, 8)))
        return planes.flatten(1).index_select(1, self.moves)


class ResNet(nn.Module):
    """Trunk with policy, value and (optionally) strength heads."""

    def __init__(self, config: ResNetConfig) -> None:
        super().__init__()
        self.config = c = config
        keep_policy, keep_value, hidden = c.keep_sizes
        self.stem = ConvNorm(c.planes, c.channels, 3, c.normed)
        self.blocks = nn.ModuleList(
            ResidualBlock(c.channels, c.normed, c.squeezed) for _ in range(c.blocks)
        )
        told = (c.channels, c.conditions, c.normed)
        self.policy_block = ConditionedBlock(*told) if c.conditions else None
        if c.chess_policy:
            self.policy_conv = ConvNorm(c.channels, c.channels, 3, c.normed)
            self.policy_out: nn.Module = ChessPolicy(c.channels)
        else:
            self.policy_conv = ConvNorm(c.channels, c.policy_channels, 1, c.normed)
            self.policy_out = nn.Linear(keep_policy, c.actions)
        self.value_conv = ConvNorm(c.channels, c.value_channels, 1, c.normed)
        self.value_hidden = nn.Sequential(
            nn.Linear(keep_value, hidden, bias=not c.normed),
            nn.BatchNorm1d(hidden) if c.normed else nn.Identity(),
        )
        self.value_out = nn.Linear(hidden, 1)
        if c.strength:
            self.strength_conv = ConvNorm(c.channels, c.strength_channels, 1, c.normed)
            self.strength_hidden = nn.Linear(c.strength_channels * c.height * c.width, 256)
            self.strength_out = nn.Linear(256, int(c.strength))

    def inner_weights(self) -> list[nn.Parameter]:
        """Return the convolutions of the trunk, the stem included, and of the policy's features.

        These many weights share what there is to learn; outputs, conditions, excitations, and the
        small heads of value and strength are not among them.
        """
        inner = ("stem.", "blocks.", "policy_block.", "policy_conv.")
        return [p for name, p in self.named_parameters() if p.dim() == 4 and name.startswith(inner)]

    def own_weights(self) -> list[nn.Parameter]:
        """Return the weights of conditions and strength, which no other network has."""
        own = ("policy_block.", "strength_")
        return [p for name, p in self.named_parameters() if name.startswith(own)]

    def inner_layers(self) -> list[nn.Module]:
        """Return what gives each block's inner features before they are rectified."""
        return [block.get_submodule("first") for block in self.blocks]

    def forward(
        self, planes: Tensor, keep: Keep | None = None, conditions: Tensor | None = None
    ) -> NetworkOutput:
        """Evaluate planes [B, C, H, W] float32.

        `keep` are the masks of AlphaDDA2 (paper: dropout before the policy FC, before the value
        FC and before the last value FC), each 0 or 1/(1-p), multiplied in; None means no dropout.
        `conditions` [B, K] are asked for by networks that have them, and by no others.
        """
        x = functional.relu(self.stem(planes))
        for block in self.blocks:
            x = block(x)
        told = x if self.policy_block is None else self.policy_block(x, conditions)
        policy = functional.relu(self.policy_conv(told)).flatten(1)
        value = functional.relu(self.value_conv(x)).flatten(1)
        if keep is not None:
            policy, value = policy * keep[0], value * keep[1]
        hidden = functional.relu(self.value_hidden(value))
        if keep is not None:
            hidden = hidden * keep[2]
        strength = self._strength(x)
        score = self.value_out(hidden).squeeze(1)
        return NetworkOutput(
            self.policy_out(policy),
            torch.tanh(score),
            score,
            None if strength is None else strength[:, 0],
            strength,
        )

    def _strength(self, x: Tensor) -> Tensor | None:
        if not self.config.strength:
            return None
        score = functional.relu(self.strength_conv(x)).flatten(1)
        hidden = functional.relu(self.strength_hidden(score))
        dropped = functional.dropout(hidden, self.config.strength_dropout, self.training)
        return self.strength_out(dropped)


class Layered(Protocol):
    """A network of residual blocks."""

    def inner_layers(self) -> list[nn.Module]:
        """Return what gives each block's inner features before they are rectified."""


class DeadUnits:
    """Tells what share of the residual blocks' inner units never wakes: ReLUs that stay 0.

    Such a unit learns nothing any more, and a block of them passes nothing on; losses do not show
    it. Used as a context: what the module computes within it counts.
    """

    def __init__(self, module: Layered) -> None:
        self._inner = module.inner_layers()
        self._most = [torch.tensor(-torch.inf)] * len(self._inner)
        self._hooks: list[Any] = []

    def __enter__(self) -> DeadUnits:
        for number, inner in enumerate(self._inner):
            self._hooks.append(inner.register_forward_hook(partial(self._look, number)))
        return self

    def __exit__(self, *_: object) -> None:
        while self._hooks:
            self._hooks.pop().remove()

    def _look(self, number: int, _: nn.Module, __: object, found: Tensor) -> None:
        most = found.detach().amax((0, 2, 3)).float().cpu()
        self._most[number] = torch.maximum(self._most[number], most)

    @property
    def share(self) -> float:
        """The dead units' share, 0 to 1; 0 of a network without blocks."""
        dead = [most.flatten() <= 0 for most in self._most]
        return torch.cat(dead).float().mean().item() if dead else 0.0


@torch.no_grad()
def calibrate(module: ResNet, planes: Tensor, conditions: Tensor | None = None) -> None:
    """Give a module read from an artifact real batch-norm statistics, without changing it.

    An artifact holds folded weights, so `read_weights` returns batch norms that are identities
    with running mean 0 and variance 1; training on would renormalise and jump. This sets every
    norm's statistics to those of `planes` [B, C, H, W] (a few hundred real positions) and its
    weight and bias so that the function stays the same in evaluation *and* nearly in training.
    Leaves the module in evaluation mode. Works on any ResNet, folded or not.
    """

    def adopt(norm: nn.Module, args: tuple[Tensor, ...]) -> None:
        assert isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d)
        x = args[0].float()
        axes = (0, 2, 3) if x.dim() == 4 else (0,)
        var, mean = torch.var_mean(x, axes, unbiased=False)
        assert norm.running_mean is not None
        assert norm.running_var is not None
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        norm.bias.add_(scale * (mean - norm.running_mean))
        norm.weight.copy_(scale * torch.sqrt(var + norm.eps))
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)

    module.eval()
    norms = [m for m in module.modules() if isinstance(m, nn.BatchNorm1d | nn.BatchNorm2d)]
    hooks = [norm.register_forward_pre_hook(adopt) for norm in norms]
    try:
        module(planes, conditions=conditions)
    finally:
        for hook in hooks:
            hook.remove()
