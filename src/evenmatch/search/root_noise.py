"""Randomness at the root: Dirichlet noise in the priors, and Gumbel noise for sequential halving.

Dirichlet noise is that of AlphaZero's self-play. Gumbel root search is Danihelka et al. 2022: with
few simulations a plain AlphaZero root may learn nothing new; this root improves on its network's
policy in expectation, which is why our training preset uses it.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import allocating, inlined, kernel, next_random
from evenmatch.search.rules import C_SCALE, C_VISIT


@allocating
def disturb_roots(forest, plans, trees):  # [n]
    """Mix Dirichlet noise into the roots' priors and draw Gumbel noise, as the plans ask."""
    for i in range(len(trees)):
        t = trees[i]
        root = forest.nodes[t, 0]
        edges = forest.edges[t, root.first_edge : root.first_edge + root.edge_count]
        plan = plans[t]
        if plan.noise_fraction > 0 and not forest.trees[t].noisy:
            forest.trees[t].noisy = 1
            mix_dirichlet(edges, plan.noise_fraction, plan.noise_alpha, forest.trees, t)
        if plan.considered > 0:
            for k in range(len(edges)):
                noise = -math.log(-math.log(uniform_draw(forest.trees, t)))
                prior = max(np.float64(edges[k].prior), 1e-30)
                forest.root_scores[t, k] = math.log(prior) + noise


@inlined
def uniform_draw(trees, t):
    """Draw from the open interval (0, 1) with the tree's own random numbers."""
    trees[t].seed, bits = next_random(trees[t].seed)
    return (bits + 0.5) / 4294967296.0


@allocating
def mix_dirichlet(edges, fraction, alpha, trees, t):  # [k] EDGE
    """Mix Dirichlet(alpha) noise into the edges' priors, as AlphaZero's self-play does."""
    noise = np.empty(len(edges))
    for k in range(len(edges)):
        noise[k] = gamma_draw(alpha, trees, t)
    total = noise.sum()
    if total <= 0:
        return
    for k in range(len(edges)):
        edges[k].prior = (1 - fraction) * edges[k].prior + fraction * noise[k] / total


@kernel
def gamma_draw(shape, trees, t):
    """Draw from Gamma(shape, 1) by Marsaglia and Tsang's method (ACM TOMS 26, 2000)."""
    lift = 1.0
    if shape < 1:
        lift = uniform_draw(trees, t) ** (1.0 / shape)
        shape += 1
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        radius = math.sqrt(-2.0 * math.log(uniform_draw(trees, t)))
        normal = radius * math.cos(2.0 * math.pi * uniform_draw(trees, t))
        cube = (1.0 + c * normal) ** 3
        if cube > 0:
            limit = 0.5 * normal * normal + d - d * cube + d * math.log(cube)
            if math.log(uniform_draw(trees, t)) < limit:
                return lift * d * cube


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
