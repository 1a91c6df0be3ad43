"""How far every subtree's strength is from the one that is wanted: delta^ of SE-MCTS.

Chen et al. 2025, section 3.3. The beta of a node rates the action that led to it; the beta of a
subtree is the mean over its nodes that were judged, the two sides' actions alike. What is wanted
hangs on how many actions were played before (their section 4.3), hence on the depth.
"""

import numpy as np

from evenmatch.games.bits import inlined
from evenmatch.search.plan import Scaling

SIBLINGS = int(Scaling.SIBLINGS)


@inlined
def add_strength(nodes, strengths, n, beta, judged, plan):  # [N], [N], int, float, bool, PLAN
    """Keep the beta of a node that is new, in all subtrees it is in; a game's end has none.

    Where ``own_actions`` alone count, in those whose first action is of the same side.
    """
    strengths[n].total = 0
    strengths[n].count = 0
    while judged and n >= 0:
        strengths[n].total += beta
        strengths[n].count += 1
        n = nodes[n].parent
        if plan.own_actions and n >= 0:
            n = nodes[n].parent


@inlined
def weigh(nodes, strengths, used, plan):  # [N] NODE, [N] STRENGTH, int, PLAN
    """Write delta^ of all nodes in use: |mean beta - beta_t|, normalised as the plan says.

    The bounds are those of the tree as it is, before any of it is used; where all nodes that are
    compared are equally far, and where nothing was judged, it is 0.
    """
    among_siblings = plan.scaling == SIBLINGS
    strengths[0].depth = 0
    for n in range(used):
        strengths[n].low, strengths[n].high = np.inf, -np.inf
    for n in range(1, used):
        strengths[n].depth = strengths[nodes[n].parent].depth + 1
        if strengths[n].count > 0:
            off = distance(too_strong(strengths[n], plan), plan)
            at = nodes[n].parent if among_siblings else 0
            strengths[at].low = min(strengths[at].low, off)
            strengths[at].high = max(strengths[at].high, off)
    for n in range(1, used):
        nodes[n].distance = 0
        at = nodes[n].parent if among_siblings else 0
        span = strengths[at].high - strengths[at].low
        if strengths[n].count > 0 and span > 0:
            off = too_strong(strengths[n], plan)
            share = plan.weaker if off < 0 else 1.0
            nodes[n].distance = share * (distance(off, plan) - strengths[at].low) / span


@inlined
def distance(off, plan):  # float, PLAN
    """Return how far a subtree is from its target, up to the plan's cap."""
    return min(abs(off), plan.cap) if plan.cap > 0 else abs(off)


@inlined
def too_strong(strength, plan):  # STRENGTH, PLAN
    """Return the subtree's mean beta less the target of its depth."""
    last = len(plan.targets) - 1
    return strength.total / strength.count - plan.targets[min(strength.depth - 1, last)]
