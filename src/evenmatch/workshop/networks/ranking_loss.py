"""What the strength head learns (Chen et al. 2025, sections 2.4 and 3).

Two rankings, with random moves as the weakest rank (SE_inf) and without (SE), and for every rating
scale a classification of the ranks (the baselines SL_sum and SL_vote). The paper trains a network
for each; here they share everything but the last layer (see ``strength_head``).

Shapes: S samples of a batch, R ranks with the strongest first, m moves of each rank.
"""

from typing import NamedTuple

from evenmatch.errors import MissingExtraError
from evenmatch.network.card import BETA, BETA_PLAIN, LOGITS

try:
    import torch
    from torch import Tensor
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError(
        "training needs torch, which is not installed: pip install 'evenmatch[train]'"
    ) from error


class StrengthLosses(NamedTuple):
    """Mean losses of the strength head."""

    ranking: Tensor  # of SE_inf, for each pair of neighbouring ranks
    plain: Tensor  # of SE, likewise
    classes: Tensor  # cross-entropy of the rank, nats


def strength_losses(
    strength: Tensor,
    scales: Tensor,
    random: bool,
    which: Tensor | None = None,
    of: int | None = None,
) -> StrengthLosses:
    """Return the losses of outputs [S, R, m, n]; ``scales`` [S] number the samples' rating scales.

    ``which`` [S, R] numbers the ranks where samples have some ``of`` them alone. ``random`` says
    that the last rank is of random moves, which only SE_inf learns from. A head of one output has
    no other losses.
    """
    ranks = strength.shape[1]
    human = strength[:, : ranks - random]
    ranking = ranking_loss(strength[..., BETA]) / (ranks - 1)
    if strength.shape[-1] == 1:
        return StrengthLosses(ranking, *[torch.zeros_like(ranking)] * 2)
    plain = ranking_loss(human[..., BETA_PLAIN]) / (human.shape[1] - 1)
    return StrengthLosses(ranking, plain, class_loss(human[..., LOGITS:], scales, which, of))


def class_loss(
    logits: Tensor, scales: Tensor, which: Tensor | None = None, of: int | None = None
) -> Tensor:
    """Return -log P(r) of logits [S, R, m, scales * of], those of each sample's scale.

    ``which`` [S, R] numbers the ranks, all ``of`` them in order by default.
    """
    samples, ranks, moves = logits.shape[:3]
    by_scale = logits.unflatten(-1, (-1, of or ranks))
    own = by_scale[torch.arange(samples, device=logits.device), :, :, scales]  # [S, R, m, of]
    if which is None:
        which = torch.arange(ranks, device=logits.device)[None]
    truth = which[:, :, None].expand(samples, ranks, moves)
    return functional.cross_entropy(own.flatten(0, 2), truth.reshape(-1))


def composite_scores(beta: Tensor) -> Tensor:
    """Return the mean score of each rank, [S, R] of [S, R, m].

    It is the log of the geometric mean of the strengths exp(beta); eqs. 2 and 3.
    """
    return beta.mean(-1)


def ranking_loss(beta: Tensor) -> Tensor:
    """Return -log P(r_1 > r_2 > ... > r_R), the mean over S, of scores [S, R, m]; eqs. 4 and 5.

    Rank i beats all weaker ones with the probability of a softmax over the composite scores of
    ranks i to R.
    """
    mean = composite_scores(beta)
    beaten = torch.logcumsumexp(mean.flip(-1), -1).flip(-1)  # log sum over j >= i
    return (beaten - mean)[:, :-1].sum(-1).mean()
