"""Randomness at the roots: Dirichlet noise in the priors, Gumbel noise for halving."""

import math

import numpy as np

from evenmatch.games.bits import allocating, inlined, kernel, next_random


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
