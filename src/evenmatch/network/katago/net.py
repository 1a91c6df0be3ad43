"""The parts of a KataGo network as they were read, in the order of the forward pass.

Batch norms that follow a layer are folded into it. An activation is named by a key of ACTIVATIONS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenmatch.network.foreign import Affine, Floats

SPATIAL, GLOBAL = 22, 19  #: inputs of version 7: planes, and numbers of the whole board
PROFILE = 192  #: inputs of the encoder of people's profiles, see `profiles`
ACTIVATIONS = ("relu", "mish", "silu", "identity")
"""max(x, 0); x tanh(softplus(x)) (Misra 2019); x sigmoid(x) (Elfwing et al. 2017); x."""


class Norm(NamedTuple):
    """A batch norm that follows a sum, so that no layer can take it up, and what follows it."""

    scale: Floats  # [C]
    bias: Floats  # [C]
    activation: str = "relu"


class RootMean(NamedTuple):
    """A norm by the root of the mean square (Zhang and Sennrich 2019), and what follows it."""

    scale: Floats  # [C]
    bias: Floats  # [C]
    epsilon: float  # added to the mean square
    whole: bool  # the mean is of the whole board, otherwise of the channels of a point
    activation: str = "relu"


class Pooling(NamedTuple):
    """What a part of the channels, pooled over the board, adds to each of the others."""

    channels: Affine  # a convolution to G channels
    added: Affine  # [C, 3G]
    activation: str = "relu"


class Film(NamedTuple):
    """How a block is conditioned on the rating: dense layers of the conditions (ours)."""

    scale: Affine  # [C, K]
    shift: Affine  # [C, K]


class Block(NamedTuple):
    """A residual block: x + second(act(film(first(y) + pooling(y)))), where y is norm(x)."""

    norm: Norm
    first: Affine
    pooling: Pooling | None
    second: Affine
    film: Film | None = None
    activation: str = "relu"


class Nested(NamedTuple):
    """A nested bottleneck: x + last(last_norm(blocks(first(norm(x))))), the inside narrower."""

    norm: Norm
    first: Affine  # 1x1
    blocks: tuple[AnyBlock, ...]
    last_norm: Norm
    last: Affine  # 1x1


class Attention(NamedTuple):
    """A transformer's attention between points: x + out(attention(q, k, v)), of a norm of x.

    The norm is that of a point by the root of its mean square; its scale is folded into the layers
    after it, and 1 / sqrt(D) into the queries. Rows of queries and keys are by heads, halves and
    pairs [N, 2, D/2]: places of a pair are turned by the angle x f_x + y f_y (rotary embedding, Su
    et al. 2021). Keys and values are as many as queries: those that heads share are repeated.
    """

    query: Affine  # [ND, C]
    key: Affine  # [ND, C]
    value: Affine  # [NV, C]
    out: Affine  # [C, NV]
    heads: int  # N
    frequencies: Floats | None  # [N, D/2, 2], f_x and f_y; None: pairs are not turned
    epsilon: float


class FeedForward(NamedTuple):
    """A transformer's gated layers: x + second(silu(first(y)) * gate(y)), y a norm as above.

    Shazeer 2020, "GLU Variants Improve Transformer".
    """

    first: Affine  # [F, C]
    gate: Affine  # [F, C]
    second: Affine  # [C, F]
    epsilon: float


AnyBlock = Block | Nested | Attention | FeedForward


class ProfileEncoder(NamedTuple):
    """What a profile of the players adds to the stem: three dense layers."""

    first: Affine  # [F, PROFILE]
    second: Affine
    last: Affine  # [C, F]
    activations: tuple[str, str]


class PolicyHead(NamedTuple):
    """Points: last(act(first(x) + pooling(x))); a pass is of dense layers of what is pooled."""

    first: Affine
    pooling: Pooling
    last: Affine  # [1, C, 1, 1]
    passing: Affine  # [1, 3G], or [1, F] of ``passing_hidden``
    activation: str = "relu"
    passing_hidden: Affine | None = None  # [F, 3G]
    passing_activation: str = "relu"
    optimistic: tuple[Affine, Affine] | None = None
    """As ``last`` and ``passing``, of the policy that hopes for the better outcome."""


class Details(NamedTuple):
    """What else the value head says: a dense layer, and how its outputs are scaled."""

    layer: Affine  # [n, F]: mean and deviation of the score, time left, errors of value and score
    version: int  # of the model file, which decides how errors are read
    factors: tuple[float, ...]  # [n]


class ValueHead(NamedTuple):
    """Channels, pooled and dense to `hidden`, whence outcome and lead; ownership by points."""

    channels: Affine
    hidden: Affine  # [F, 3C]
    outcome: Affine  # [3, F]: win, no result, loss; as win, draw and loss of other networks
    lead: Affine  # [1, F], in points
    ownership: Affine  # [1, C, 1, 1]
    activations: tuple[str, str] = ("relu", "relu")  # after ``channels`` and ``hidden``
    details: Details | None = None


class StrengthHead(NamedTuple):
    """Channels, pooled and dense to `hidden`, whence the scores (ours)."""

    channels: Affine  # [C, ., 1, 1]
    hidden: Affine  # [F, 3C]
    out: Affine  # [n, F]


class KataGoNet(NamedTuple):
    """A network as read, its parts in the order of the forward pass."""

    name: str
    stem: Affine  # of the planes
    told: Affine  # [C, 19], of the whole board's inputs
    blocks: tuple[AnyBlock, ...]
    tip: Norm | RootMean
    policy: PolicyHead
    value: ValueHead
    digest: str = ""  # SHA-256 of the file, hexadecimal
    strength: StrengthHead | None = None
    version: int = 8  # of the model file
    encoder: ProfileEncoder | None = None
    suicide_area: bool = False  # whether the planes of area are as if suicide were legal

    @property
    def description(self) -> str:
        """What it is, in words: version of the file, channels, blocks, encoder."""
        encoder = "encoder of people's profiles" if self.encoder else "no encoder of people"
        return (
            f"KataGo model version {self.version}, {len(self.stem.bias)} channels, "
            f"{self.tip.activation}; blocks: {_counted(self.blocks)}; {encoder}"
        )


def _counted(blocks: Sequence[AnyBlock]) -> str:
    """Return how many blocks of each kind there are."""
    kinds = [_named(block) for block in blocks]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def _named(block: AnyBlock) -> str:
    """Return the kind of a block."""
    if isinstance(block, Nested):
        return f"nested bottleneck ({_counted(block.blocks)})"
    if isinstance(block, Block):
        return "residual with pooling" if block.pooling else "residual"
    return "attention" if isinstance(block, Attention) else "feed-forward"
