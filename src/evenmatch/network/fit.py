"""Fit a torch network to search results or games: batches and losses in, trained weights out.

Loss: AlphaDDA 2022, eq. 10, `(z - v)^2 - pi^T log p`, averaged over the batch, and for a strength
head what `ranking` names; weight decay is the optimizer's. What makes the batches (self-play,
records) lives in training/.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evenmatch.errors import MissingExtraError, NetworkError, StateError

try:
    import torch
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError(
        "training needs torch, which is not installed: pip install 'evenmatch[train]'"
    ) from error

from evenmatch.network.muon import MuonAdamW
from evenmatch.network.processor import bf16_pays
from evenmatch.network.ranking_loss import StrengthLosses, strength_losses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenmatch.network.resnet import NetworkOutput, ResNet


NEVER = -1e9  #: logit of a move that cannot be played


class Losses(NamedTuple):
    """Mean losses of one batch, before weighting, measured before its update."""

    policy: float  # cross-entropy to the target, nats
    value: float  # as FitConfig.value_loss says
    ranking: float = 0.0  # these three as in StrengthLosses
    plain: float = 0.0
    classes: float = 0.0


class Ranked(NamedTuple):
    """How the end of a batch is made up for the ranking loss: samples * ranks * moves rows."""

    ranks: int  # R, the strongest first
    moves: int  # m positions of each rank
    random: bool = False  # whether the last rank is of random moves, r_inf: judged for rank alone
    scales: NDArray[np.int64] | None = None  # [samples] number of the rating scale; None is 0
    first: int = 0  # rows before them that are not ranked


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """How `Fitter` updates the weights. Defaults are AlphaDDA's, but for the learning rate."""

    learning_rate: float
    """Step size (paper: 0.2, constant)."""
    momentum: float = 0.9
    """SGD's and Muon's momentum; AdamW's beta_1, but under muon (see `muon.ADAM_BETAS`)."""
    weight_decay: float = 1e-4
    """L2 coefficient of convolution and FC weights, not of biases and batch norms (under muon, of
    Muon's weights alone)."""
    optimizer: Literal["sgd", "adamw", "muon"] = "sgd"
    """Update rule; with muon, AdamW for outputs and biases (see `muon`)."""
    ema: float | None = None
    """Decay per step of the weights' exponential moving average; None keeps no average."""
    policy_weight: float = 1.0
    """Factor of the policy loss (paper: 1)."""
    value_weight: float = 1.0
    """Factor of the value loss (paper: 1)."""
    value_loss: Literal["squared", "logistic"] = "squared"
    """The paper's (z - v)^2, or the cross-entropy in nats of (1 + z) / 2 to (1 + v) / 2.

    Where v is sure of what is wrong the first has next to no gradient through tanh; the second has.
    """
    ranking_weight: float = 1.0
    """Factor of each of the strength head's two rankings (paper: 1), where a batch is ranked."""
    class_weight: float = 1.0
    """Factor of its classification of ranks, likewise (paper: 1)."""

    def __post_init__(self) -> None:
        if self.optimizer not in ("sgd", "adamw", "muon"):
            raise NetworkError(f"unknown optimizer {self.optimizer!r}; use sgd, adamw or muon")
        if self.value_loss not in ("squared", "logistic"):
            raise NetworkError(f"unknown value loss {self.value_loss!r}; use squared or logistic")
        if self.ema is not None and not 0 < self.ema < 1:
            raise NetworkError(f"ema is {self.ema}; use a decay between 0 and 1, or None")


def losses_of(
    output: NetworkOutput,
    policy_target: torch.Tensor,
    value_target: torch.Tensor,
    ranked: Ranked | None = None,
    legal: torch.Tensor | None = None,
    value_loss: str = "squared",
) -> tuple[torch.Tensor, ...]:
    """Return the losses of a batch, as in `Losses`; only moves that are `legal` [B, A] count."""
    human = human_rows(ranked, len(value_target))
    logits = output.logits[human].float()
    if legal is not None:
        logits = logits.masked_fill(~legal[human], NEVER)
    if policy_target.dim() == 1:
        policy = functional.cross_entropy(logits, policy_target[human].long())
    else:
        policy = -(policy_target[human] * functional.log_softmax(logits, 1)).sum(1).mean()
    outcome = value_target[human].float()
    if value_loss == "logistic":  # (1 + tanh x) / 2 is the logistic function of 2 x
        score = 2 * output.value_score[human].float()
        value = functional.binary_cross_entropy_with_logits(score, (1 + outcome) / 2)
    else:
        value = functional.mse_loss(output.value[human].float(), outcome)
    return policy, value, *_strength_losses(output, ranked, value)


def human_rows(ranked: Ranked | None, rows: int) -> torch.Tensor | slice:
    """Return which of a batch's rows are moves of people, as an index of them: [B] bool, or all."""
    if ranked is None or not ranked.random:
        return slice(None)
    kept = torch.ones(rows, dtype=torch.bool)
    kept[ranked.first :].view(-1, ranked.ranks, ranked.moves)[:, -1] = False
    return kept


def _strength_losses(
    output: NetworkOutput, ranked: Ranked | None, like: torch.Tensor
) -> StrengthLosses:
    if ranked is None:
        return StrengthLosses(*[torch.zeros_like(like)] * 3)
    assert output.strength is not None, "ranks are learned by networks with a strength head"
    scores = output.strength[ranked.first :].float()
    strength = scores.unflatten(0, (-1, ranked.ranks, ranked.moves))
    if ranked.scales is None:
        scales = torch.zeros(len(strength), dtype=torch.long)
    else:
        scales = torch.as_tensor(ranked.scales)
    return strength_losses(strength, scales.to(strength.device), ranked.random)


def pick_device(device: str) -> torch.device:
    """Resolve 'auto' to CUDA, MPS or CPU, whichever is first available."""
    if device == "cuda" and not torch.cuda.is_available():
        raise NetworkError("torch finds no CUDA device here; use --device cpu or auto")
    if device == "mps" and not torch.backends.mps.is_available():
        raise NetworkError("torch finds no MPS device here; use --device cpu or auto")
    if device != "auto":
        return torch.device(device)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


class Fitter:
    """One network in training: weights, optimizer and, if wanted, the average of the weights.

    Arithmetic is bfloat16 by autocast (float32 on MPS and on CPUs where bf16 does not pay);
    weights, gradients, softmax and losses are float32. Keyword arguments are `FitConfig`'s.
    """

    def __init__(self, module: ResNet, *, device: str = "auto", **config: Any) -> None:
        self.config = FitConfig(**config)
        self.device = pick_device(device)
        self.module = module.to(self.device)
        self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._mean = copy.deepcopy(self.module) if self.config.ema is not None else None
        self._optimizer = self._make_optimizer()
        self._half = self.device.type == "cuda" or (self.device.type == "cpu" and bf16_pays())

    def _make_optimizer(self) -> torch.optim.Optimizer | MuonAdamW:
        c = self.config
        if c.optimizer == "muon":
            inner = self.module.inner_weights()
            known = {id(weight) for weight in inner}
            others = [p for p in self.module.parameters() if id(p) not in known]
            return MuonAdamW(
                inner, others, lr=c.learning_rate, momentum=c.momentum, weight_decay=c.weight_decay
            )
        weights = [p for p in self.module.parameters() if p.dim() > 1]
        others = [p for p in self.module.parameters() if p.dim() <= 1]
        groups = [
            {"params": weights, "weight_decay": c.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        if c.optimizer == "adamw":
            betas = (c.momentum, 0.999)
            return torch.optim.AdamW(groups, lr=c.learning_rate, betas=betas, foreach=True)
        return torch.optim.SGD(groups, lr=c.learning_rate, momentum=c.momentum, foreach=True)

    def set_learning_rate(self, learning_rate: float) -> None:
        """Use this step size from the next step on."""
        if isinstance(self._optimizer, MuonAdamW):
            self._optimizer.set_learning_rate(learning_rate)
            return
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate

    def step(
        self,
        planes: np.ndarray | torch.Tensor,
        policy_target: np.ndarray | torch.Tensor,
        value_target: np.ndarray | torch.Tensor,
        ranked: Ranked | None = None,
        conditions: np.ndarray | None = None,
        legal: np.ndarray | None = None,
    ) -> Losses:
        """Update once on a batch: planes [B, C, H, W], policy_target [B, A], value_target [B].

        Policy rows sum to 1, or policy_target [B] are the actions played. Values are for the side
        to move. `conditions` [B, K] are for networks that have them. With `legal` [B, A] no other
        action has a share in the policy. A batch needs B >= 2 (batch norm). Raises NetworkError
        when the loss is no longer finite; the weights are then unchanged.
        """
        planes, policy_target, value_target = (
            torch.as_tensor(x).to(self.device) for x in (planes, policy_target, value_target)
        )
        planes = planes.float().contiguous(memory_format=torch.channels_last)
        told = None if conditions is None else torch.as_tensor(conditions).to(self.device)
        self.module.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._half):
            output = self.module(planes, conditions=told)
        allowed = None if legal is None else torch.as_tensor(legal).to(self.device)
        c = self.config
        parts = losses_of(output, policy_target, value_target, ranked, allowed, c.value_loss)
        rankings = [c.ranking_weight] * 2
        weights = c.policy_weight, c.value_weight, *rankings, c.class_weight
        loss = torch.stack([w * x for w, x in zip(weights, parts, strict=True)]).sum()
        losses = Losses(*(x.item() for x in parts))
        if not torch.isfinite(loss):
            raise NetworkError("training diverged (loss not finite); lower the learning rate")
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self._optimizer.step()
        self._average()
        return losses

    @torch.no_grad()
    def _average(self) -> None:
        if self._mean is None or self.config.ema is None:
            return
        pairs = zip(
            self._mean.state_dict().values(), self.module.state_dict().values(), strict=True
        )
        for mean, new in pairs:
            if mean.is_floating_point():
                mean.lerp_(new, 1.0 - self.config.ema)
            else:
                mean.copy_(new)

    def averaged(self) -> ResNet:
        """The module to export, in evaluation mode: the moving average if kept, else the weights.

        A copy; training on does not change it.
        """
        return copy.deepcopy(self._mean if self._mean is not None else self.module).cpu().eval()

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on exactly here; save it with torch.save."""
        return {
            "module": copy.deepcopy(self.module.state_dict()),
            "optimizer": copy.deepcopy(self._optimizer.state_dict()),
            "mean": None if self._mean is None else copy.deepcopy(self._mean.state_dict()),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a `state_dict`. Raises StateError if it is of another network or setting."""
        if (state.get("mean") is None) != (self._mean is None):
            raise StateError("the saved run differs in `ema`; use the setting it was started with")
        try:
            self.module.load_state_dict(state["module"])
            self._optimizer.load_state_dict(state["optimizer"])
            if self._mean is not None:
                self._mean.load_state_dict(state["mean"])
        except (KeyError, RuntimeError, ValueError):
            raise StateError(
                "the saved run is of another network; use the settings it was started with"
            ) from None
