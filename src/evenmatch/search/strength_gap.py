"""How far every subtree's strength is from the one that is wanted: delta^ of SE-MCTS.

Chen et al. 2025, section 3.3. The beta of a node rates the action that led to it; the beta of a
subtree is the mean over its nodes that were judged, the two sides' actions alike. What is wanted
hangs on how many actions were played before (their section 4.3), hence on the depth.
"""

import numpy as np

from evenmatch.games.bits import inlined


@inlined
def add_strength(nodes, strengths, n, beta, judged):  # [N] NODE, [N] STRENGTH, int, float, bool
    """Keep the beta of a node that is new, in all subtrees it is in; a game's end has none."""
    strengths[n].total = 0
    strengths[n].count = 0
    while judged and n >= 0:
        strengths[n].total += beta
        strengths[n].count += 1
        n = nodes[n].parent


@inlined
def weigh(nodes, strengths, used, plan):  # [N] NODE, [N] STRENGTH, int, PLAN
    """Write delta^ of all nodes in use: |mean beta - beta_t|, normalised over the whole tree.

    The bounds are those of the tree as it is, before any of it is used; where all nodes are
    equally far, and where nothing was judged, it is 0.
    """
    low, high = np.inf, -np.inf
    strengths[0].depth = 0
    for n in range(1, used):
        strengths[n].depth = strengths[nodes[n].parent].depth + 1
        if strengths[n].count > 0:
            off = abs(too_strong(strengths[n], plan))
            low, high = min(low, off), max(high, off)
    span = high - low
    for n in range(1, used):
        nodes[n].distance = 0
        if strengths[n].count > 0 and span > 0:
            off = too_strong(strengths[n], plan)
            share = plan.weaker if off < 0 else 1.0
            nodes[n].distance = share * (abs(off) - low) / span


@inlined
def too_strong(strength, plan):  # STRENGTH, PLAN
    """Return the subtree's mean beta less the target of its depth."""
    last = len(plan.targets) - 1
    return strength.total / strength.count - plan.targets[min(strength.depth - 1, last)]
