"""Gumbel root search: sequential halving and the improved policy (Danihelka et al. 2022).

With few simulations a plain AlphaZero root may learn nothing new; this root always improves
on its network's policy in expectation, which is why our own training preset uses it.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from evenmatch.search.rules import C_SCALE, C_VISIT


@cache
def halving_turns(considered: int, simulations: int) -> tuple[int, ...]:
    """Return, for each simulation, how many visits the root action it tries has had.

    Sequential halving: every surviving action gets the same number of visits, then the better
    half survives, until ``simulations`` are spent.
    """
    if considered <= 1:
        return tuple(range(simulations))
    rounds = int(np.ceil(np.log2(considered)))
    visits = [0] * considered
    turns: list[int] = []
    survivors = considered
    while len(turns) < simulations:
        for _ in range(max(1, simulations // (rounds * survivors))):
            turns.extend(visits[:survivors])
            for i in range(survivors):
                visits[i] += 1
        survivors = max(2, survivors // 2)
    return tuple(turns[:simulations])


def completed_means(visits, means, priors, values, legal) -> NDArray[np.float64]:
    """Return q of each action, [n, A]: its mean value, or the mixed root value if unvisited.

    The mixed value weighs the network's value [n] with the prior-weighted mean of the visited
    actions (Danihelka et al. 2022, eq. 33 in the appendix).
    """
    seen = (visits > 0) & legal
    total = visits.sum(1)
    weight = np.where(seen, priors, 0).sum(1)
    mean = np.where(seen, priors * means, 0).sum(1) / np.maximum(weight, 1e-12)
    mixed = np.where(total > 0, (values + total * mean) / (1 + total), values)
    return np.where(seen, means, mixed[:, None])


def improved_policy(visits, means, priors, values, legal) -> NDArray[np.float32]:
    """Return softmax(logits + sigma(completed q)) over legal actions, [n, A]; their eq. 11.

    ``visits``, ``means``, ``priors``, ``legal`` are [n, A], ``values`` [n].
    """
    q = completed_means(visits, means, priors, values, legal)
    scale = (C_VISIT + visits.max(1, initial=0)) * C_SCALE / 2
    with np.errstate(divide="ignore"):
        scores = np.log(np.maximum(priors, 1e-30)) + scale[:, None] * q
    scores = np.where(legal, scores, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def halving_choice(visits, means, scores, legal) -> NDArray[np.intp]:
    """Return the action that survived sequential halving, [n]; ``scores`` [n, A]: g + logits."""
    most = visits.max(1, keepdims=True)
    finalists = legal & (visits == most)
    value = scores + (C_VISIT + most) * C_SCALE * (means + 1) / 2
    return np.where(finalists, value, -np.inf).argmax(1)
