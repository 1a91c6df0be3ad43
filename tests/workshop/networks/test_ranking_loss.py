"""The ranking loss against the paper's products, written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from evenmatch.network.card import LOGITS, strength_outputs  # noqa: E402
from evenmatch.workshop.networks.ranking_loss import (  # noqa: E402
    class_loss,
    composite_scores,
    ranking_loss,
    strength_losses,
)


def slow_likelihood(strengths):
    """Eq. 4 of lambdas [R][m]: the product over ranks of Lambda_i / (Lambda_i + weaker ones)."""
    composite = [math.prod(row) ** (1 / len(row)) for row in strengths]  # eq. 2
    return math.prod(composite[i] / sum(composite[i:]) for i in range(len(composite) - 1))


@given(st.integers(1, 4), st.integers(2, 6), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_it_is_the_log_of_the_likelihood(batch, ranks, moves, seed):
    beta = np.random.default_rng(seed).normal(scale=2, size=(batch, ranks, moves))
    slow = np.mean([-math.log(slow_likelihood(np.exp(sample))) for sample in beta])
    assert ranking_loss(torch.tensor(beta)).item() == pytest.approx(slow, rel=1e-9)


def test_equal_ranks_cost_the_log_of_all_orders():
    assert ranking_loss(torch.zeros(3, 5, 7)).item() == pytest.approx(math.log(math.factorial(5)))


def test_the_gradient_raises_the_strong_and_lowers_the_weak():
    beta = torch.zeros(1, 4, 7, requires_grad=True)
    ranking_loss(beta).backward()
    push = -composite_scores(beta.grad)[0]
    assert push[0] > 0 > push[-1]
    assert (push.diff() < 0).all()


def test_large_scores_stay_finite():
    assert torch.isfinite(ranking_loss(torch.tensor([[[500.0], [-500.0], [900.0]]])))


def test_classes_of_a_scale_are_its_own():
    """Logits that give the rank away for each sample's scale, and mislead for the other."""
    logits = torch.full((2, 3, 4, 6), -20.0)
    for sample, scale in enumerate((1, 0)):
        for rank in range(3):
            logits[sample, rank, :, 3 * scale + rank] = 20.0
            logits[sample, rank, :, 3 * (1 - scale) + (rank + 1) % 3] = 20.0
    assert class_loss(logits, torch.tensor([1, 0])).item() < 1e-6
    assert class_loss(logits, torch.tensor([0, 1])).item() > 30


def test_random_moves_are_ranked_by_one_score_alone():
    """Whatever the head says of random moves leaves the losses without them as they are."""
    rng = np.random.default_rng(0)
    strength = torch.tensor(rng.normal(size=(2, 4, 5, strength_outputs(1, 3))))
    scales = torch.zeros(2, dtype=torch.long)
    before = strength_losses(strength, scales, random=True)
    strength[:, -1] += 1
    after = strength_losses(strength, scales, random=True)
    assert before.ranking != after.ranking
    assert (before.plain, before.classes) == (after.plain, after.classes)
    assert before.plain == pytest.approx(ranking_loss(strength[:, :3, :, 1]) / 2)
    assert LOGITS == 2


def test_a_head_of_one_output_has_one_loss():
    losses = strength_losses(torch.randn(2, 3, 4, 1), torch.zeros(2, dtype=torch.long), False)
    assert losses.ranking > 0
    assert losses.plain == losses.classes == 0
