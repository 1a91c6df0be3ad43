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

from evenmatch.network.processor import bf16_pays
from evenmatch.workshop.networks.muon import MuonAdamW
from evenmatch.workshop.networks.ranking_loss import StrengthLosses, strength_losses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenmatch.workshop.networks.modules import Module
    from evenmatch.workshop.networks.resnet import NetworkOutput


NEVER = -1e9  #: logit of a move that cannot be played
NOBODY = -1  #: in the place of an action, of positions that teach no policy
LEAD = 10.0  #: points of lead that count as 1 in a loss


class Losses(NamedTuple):
    """Mean losses of one batch, before weighting, measured before its update."""

    policy: float  # cross-entropy to the target, nats
    value: float  # as FitConfig.value_loss says
    ranking: float = 0.0  # these three as in StrengthLosses
    plain: float = 0.0
    classes: float = 0.0
    kept: float = 0.0  # as in `kept_loss`


class Ranked(NamedTuple):
    """How the end of a batch is made up for the ranking loss: samples * ranks * moves rows."""

    ranks: int  # R, the strongest first
    moves: int  # m positions of each rank
    random: bool = False  # whether the last rank is of random moves, r_inf: judged for rank alone
    scales: NDArray[np.int64] | None = None  # [samples] number of the rating scale; None is 0
    first: int = 0  # rows before them that are not ranked
    which: NDArray[np.int64] | None = None  # [samples, R] numbers of ranks, 0 is the strongest
    of: int = 0  # how many ranks there are, if samples have but some of them


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
    own_rate: float = 1.0
    """Factor of AdamW's and SGD's step size for a network's own parts (`Module.own_weights`)."""
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
    kept_weight: float = 0.0
    """Factor of what keeps value, lead and ownership as those of the weights it began with."""
    kept_every: int = 1
    """One row in so many is compared for that, and computed by those weights too."""
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
    reference: NetworkOutput | None = None,
    kept_every: int = 1,
) -> tuple[torch.Tensor, ...]:
    """Return the losses of a batch, as in `Losses`; only moves that are `legal` [B, A] count.

    Actions of NOBODY and values that are NaN are not used as targets. ``reference`` has the value,
    lead and ownership that are to be kept, for one row of ``kept_every``.
    """
    human = human_rows(ranked, len(value_target))
    logits = output.logits[human].float()
    if legal is not None:
        logits = logits.masked_fill(~legal[human], NEVER)
    policy = _policy_loss(logits, policy_target[human])
    value = _value_loss(output, value_target.float(), human, value_loss)
    kept = (
        torch.zeros_like(value) if reference is None else kept_loss(output, reference, kept_every)
    )
    return policy, value, *_strength_losses(output, ranked, value), kept


def _policy_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of logits [B, A] to actions [B] or policies [B, A]."""
    if target.dim() == 2:
        return -(target * functional.log_softmax(logits, 1)).sum(1).mean()
    total = functional.cross_entropy(logits, target.long(), reduction="sum", ignore_index=NOBODY)
    return total / (target != NOBODY).sum().clamp(min=1)


def _value_loss(
    output: NetworkOutput, target: torch.Tensor, human: torch.Tensor | slice, kind: str
) -> torch.Tensor:
    """Return the mean loss to the outcomes [B] that are known."""
    known = ~target[human].isnan()
    outcome = target[human][known]
    if kind == "logistic":  # (1 + tanh x) / 2 is the logistic function of 2 x
        score = 2 * output.value_score[human][known].float()
        losses = functional.binary_cross_entropy_with_logits(
            score, (1 + outcome) / 2, reduction="sum"
        )
    else:
        value = output.value[human][known].float()
        losses = functional.mse_loss(value, outcome, reduction="sum")
    return losses / known.sum().clamp(min=1)


def kept_loss(output: NetworkOutput, reference: NetworkOutput, every: int = 1) -> torch.Tensor:
    """Return how far value, lead and ownership are from a reference's; 0 where they are equal.

    The reference is of one row in ``every``. It is the sum of means: the Kullback-Leibler
    divergence of the outcome's chances in nats, the Huber loss of the lead in `LEAD` points, the
    squared error of ownership. (Distillation: Hinton et al. 2015.)
    """
    first_wdl, first_lead, first_owner = _outlook(reference)
    wdl, lead, owner = (said[::every] for said in _outlook(output))
    outcome = (first_wdl * (first_wdl.log() - wdl.log())).sum(1).mean()
    points = functional.smooth_l1_loss(lead / LEAD, first_lead / LEAD)
    return outcome + points + functional.mse_loss(owner, first_owner)


def _outlook(output: NetworkOutput) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the chances [B, 3], none of them 0, lead [B] and ownership [B, H*W]."""
    assert output.wdl is not None
    assert output.lead is not None
    assert output.ownership is not None
    return output.wdl.float().clamp(min=1e-6), output.lead, output.ownership


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
    which = None
    if ranked.which is not None:
        which = torch.as_tensor(ranked.which).to(strength.device)
    return strength_losses(
        strength, scales.to(strength.device), ranked.random, which, ranked.of or None
    )


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

    def __init__(self, module: Module, *, device: str = "auto", **config: Any) -> None:
        self.config = FitConfig(**config)
        self.device = pick_device(device)
        self.module = module.to(self.device)
        self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._mean = copy.deepcopy(self.module) if self.config.ema is not None else None
        self._first = copy.deepcopy(self.module).eval() if self.config.kept_weight else None
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
        groups = self._groups()
        if c.optimizer == "adamw":
            betas = (c.momentum, 0.999)
            return torch.optim.AdamW(groups, lr=c.learning_rate, betas=betas, foreach=True)
        return torch.optim.SGD(groups, lr=c.learning_rate, momentum=c.momentum, foreach=True)

    def _groups(self) -> list[dict[str, Any]]:
        """Return the weights by decay and, where some have their own, by step size."""
        c = self.config
        own = {id(p) for p in self.module.own_weights()} if c.own_rate != 1 else set()
        groups = []
        for rate in (1.0, c.own_rate) if own else (1.0,):
            some = [p for p in self.module.parameters() if (id(p) in own) == (rate != 1)]
            for decay, fits in ((c.weight_decay, True), (0.0, False)):
                params = [p for p in some if (p.dim() > 1) == fits]
                groups.append({"params": params, "weight_decay": decay, "share": rate})
                groups[-1]["lr"] = rate * c.learning_rate
        return groups

    def set_learning_rate(self, learning_rate: float) -> None:
        """Use this step size from the next step on."""
        if isinstance(self._optimizer, MuonAdamW):
            self._optimizer.set_learning_rate(learning_rate)
            return
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate * group["share"]

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
        reference = self.reference(planes[:: self.config.kept_every])
        allowed = None if legal is None else torch.as_tensor(legal).to(self.device)
        c = self.config
        parts = losses_of(
            output, policy_target, value_target, ranked, allowed, c.value_loss, reference,
            c.kept_every,
        )  # fmt: skip
        rankings = [c.ranking_weight] * 2
        weights = c.policy_weight, c.value_weight, *rankings, c.class_weight, c.kept_weight
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
    def reference(self, planes: torch.Tensor) -> NetworkOutput | None:
        """Return the first network's outputs for planes [B, C, H, W], without conditions.

        None if nothing is kept of that.
        """
        if self._first is None:
            return None
        told = torch.zeros(len(planes), self._first.config.conditions, device=self.device)
        told[:, :1] = 1
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._half):
            said: NetworkOutput = self._first(planes.to(self.device), conditions=told)
        return said

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

    def averaged(self) -> Module:
        """The module to export, in evaluation mode: of the moving average if kept, otherwise
        of the weights.

        A copy; training on does not change it.
        """
        return copy.deepcopy(self._mean if self._mean is not None else self.module).cpu().eval()

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to continue exactly here; save it with torch.save."""
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
