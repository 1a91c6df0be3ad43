"""Muon for a network's inner weights, AdamW for all others, as one optimizer.

Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/) makes the momentum of a weight
matrix orthogonal before it steps: all directions move alike. It is torch's; convolutions [out, in,
k, k] are shown to it as matrices [out, in * k * k]. Which weights are inner is the network's to say
(`ResNet.inner_weights`); outputs and biases are AdamW's, as Muon's author advises.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

ADAM_SHARE = 0.1  #: AdamW's step size, as a share of Muon's
ADAM_BETAS = (0.9, 0.999)
ADAM_DECAY = 1e-2


class MuonAdamW:
    """Two optimizers that step together."""

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        others: Iterable[nn.Parameter],
        *,
        lr: float,
        momentum: float,
        weight_decay: float,
    ) -> None:
        """``matrices`` are Muon's, of 2 or 4 dimensions; ``weight_decay`` is theirs."""
        self._matrices = list(matrices)
        self._flat = [nn.Parameter(_as_matrix(p.detach())) for p in self._matrices]
        muon = torch.optim.Muon(self._flat, lr=lr, momentum=momentum, weight_decay=weight_decay)
        rest = list(others)
        adam = torch.optim.AdamW(
            [
                {"params": [p for p in rest if p.dim() > 1], "weight_decay": ADAM_DECAY},
                {"params": [p for p in rest if p.dim() <= 1], "weight_decay": 0.0},
            ],
            lr=ADAM_SHARE * lr,
            betas=ADAM_BETAS,
            foreach=True,
        )
        self._parts = muon, adam

    def set_learning_rate(self, learning_rate: float) -> None:
        """Use Muon's step size from the next step on, and AdamW's share of it."""
        for part, share in zip(self._parts, (1.0, ADAM_SHARE), strict=True):
            for group in part.param_groups:
                group["lr"] = share * learning_rate

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for part in (*self._matrices, *self._flat):
            part.grad = None
        self._parts[1].zero_grad(set_to_none)

    def step(self) -> None:
        """Step along the gradients."""
        for matrix, flat in zip(self._matrices, self._flat, strict=True):
            flat.grad = None if matrix.grad is None else _rows(matrix.grad)
        for part in self._parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of both."""
        return dict(zip(("muon", "adam"), (part.state_dict() for part in self._parts), strict=True))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state; KeyError or ValueError if it is of another optimizer."""
        for part, name in zip(self._parts, ("muon", "adam"), strict=True):
            part.load_state_dict(state[name])


def _rows(gradient: Tensor) -> Tensor:
    """Return a gradient as its weight is shown, whatever its memory is like."""
    return gradient if gradient.dim() == 2 else gradient.permute(0, 2, 3, 1).flatten(1)


def _as_matrix(weight: Tensor) -> Tensor:
    """Return a view [out, in] of [out, in] or [out, in, k, k], whose channels come last in memory.

    The order within a row does not matter to Muon. RuntimeError if channels do not come last.
    """
    if weight.dim() == 2:
        return weight
    return weight.permute(0, 2, 3, 1).view(len(weight), -1)
