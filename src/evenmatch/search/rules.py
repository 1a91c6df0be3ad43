"""Selection rules: which edge of a node a simulation follows.

Each rule is one compiled formula; ``best_edge`` branches on the tree's plan. Values are for
the side to move at the node.

SE-MCTS (Chen et al. 2025, section 3.3) also needs delta^, the distance of each subtree's strength
from the target strength. The beta of a node rates the action that led to it; the beta of a subtree
is the mean over its judged nodes, actions of both sides alike. The target depends on the number of
actions played before (their section 4.3), hence on the depth.
"""

import math

import numpy as np

from evenmatch.games.bits import inlined, next_random, random_below
from evenmatch.search.plan import Rule, Scaling, Solve, Unvisited
from evenmatch.search.solver import is_known, known_mean

UCT, BALANCE = int(Rule.UCT), int(Rule.BALANCE)
STRENGTH = int(Rule.STRENGTH)
ANALYSE = int(Solve.ANALYSE)
REDUCTION = int(Unvisited.REDUCTION)
EPSILON = 1e-7  # epsilon of Fujita 2022 eq. 12
C_VISIT, C_SCALE = 50.0, 1.0  # of Danihelka et al. 2022, eq. 8, for board games


@inlined
def puct_score(mean, prior, visits, root_of_parent_visits, c_puct):
    """Q(s, a) + C_puct P(s, a) sqrt(N(s)) / (1 + N(s, a)); Fujita 2022 eq. 8."""
    return mean + c_puct * prior * root_of_parent_visits / (1 + visits)


@inlined
def uct_score(mean, visits, log_of_parent_visits, c):
    """q_c / N_c + C sqrt(ln(N_p + 1) / (N_c + epsilon)); Fujita 2022 eq. 12."""
    return mean + c * math.sqrt(log_of_parent_visits / (visits + EPSILON))


@inlined
def balance_score(mean, visits, log_of_parent_visits, c):
    """W(s, a) / n(s, a) + C sqrt(2 ln(N(s) + 1) / (n(s, a) + 1)); Fujita 2022 eq. 6.

    The paper prints W(s, a) / N(s), which would not be a mean; the authors' code divides by n.
    """
    return mean + c * math.sqrt(2.0 * log_of_parent_visits / (visits + 1))


@inlined
def strength_score(mean, prior, visits, root_of_parent_visits, c_puct, c_1, distance):
    """Q(s, a) + c (P(s, a) - c_1 delta^(s, a)) sqrt(N(s)) / (1 + N(s, a)); Chen et al. 2025 eq. 6.

    ``distance`` is delta^, normalised; that of an action without visits is 0. N(s) counts the
    visit that opened the node, which the paper's sum over b of N(s, b) does not.
    """
    return mean + c_puct * (prior - c_1 * distance) * root_of_parent_visits / (1 + visits)


@inlined
def gumbel_score(score, mean, most_visits):
    """g(a) + logits(a) + sigma(q(a)), q rescaled to [0, 1]; Danihelka et al. 2022 eq. 8."""
    return score + (C_VISIT + most_visits) * C_SCALE * (mean + 1.0) / 2.0


@inlined
def unvisited_mean(node, edges, plan):  # NODE, [M] EDGE, PLAN
    """Return what an action without visits counts as, after ``Unvisited``."""
    if plan.unvisited != REDUCTION:
        return plan.unvisited_value
    own, total, seen = node.visits, 0.0, 0.0
    for e in range(node.first_edge, node.first_edge + node.edge_count):
        if edges[e].visits > 0:
            own -= edges[e].visits
            total += edges[e].value_sum
            seen += edges[e].prior
    total += own * np.float64(node.value)  # the node was judged itself before it had edges
    return total / node.visits - plan.unvisited_value * math.sqrt(seen)


@inlined
def edge_score(nodes, edge, unvisited, plan, spread):  # [N], EDGE, float, PLAN, float
    """Return an edge's score under the tree's rule."""
    mean = edge.value_sum / edge.visits if edge.visits > 0 else unvisited
    if plan.solve and is_known(nodes, edge):
        mean = known_mean(nodes, edge)
    if plan.rule == UCT:
        return uct_score(mean, edge.visits, spread, plan.c_puct)
    if plan.rule == BALANCE:
        return balance_score(mean, edge.visits, spread, plan.c_puct)
    if plan.rule == STRENGTH:
        distance = nodes[edge.child].distance if edge.child >= 0 else np.float32(0)
        return strength_score(
            mean, edge.prior, edge.visits, spread, plan.c_puct, plan.c_1, distance
        )
    return puct_score(mean, edge.prior, edge.visits, spread, plan.c_puct)


@inlined
def choice_score(mean, prior, plan, spread):  # three floats and a PLAN
    """Return the score under the tree's rule of an action without visits."""
    if plan.rule == UCT:
        return uct_score(mean, 0, spread, plan.c_puct)
    if plan.rule == BALANCE:
        return balance_score(mean, 0, spread, plan.c_puct)
    return puct_score(mean, prior, 0, spread, plan.c_puct)


@inlined
def best_edge(nodes, edges, plan, n):  # [N] NODE, [M] EDGE, PLAN, int
    """Return the edge with the highest score under the tree's rule, -1 for the next choice.

    Ties go to the action with the lowest number: the first, where no choices are left out.
    """
    node = nodes[n]
    unvisited = unvisited_mean(node, edges, plan)
    logs = plan.rule == UCT or plan.rule == BALANCE
    spread = math.log(node.visits + 1.0) if logs else math.sqrt(node.visits)
    first, last = node.first_edge, node.first_edge + node.edge_count
    best, best_score = first if node.next_choice < 0 else -1, -np.inf
    if node.choice_count == 0:
        only_open = plan.solve == ANALYSE and n == 0  # a root has edges alone
        for e in range(first, last):
            if only_open and is_known(nodes, edges[e]):
                continue
            score = edge_score(nodes, edges[e], unvisited, plan, spread)
            if score > best_score:
                best, best_score = e, score
        return best
    action = node.next_action
    if node.next_choice >= 0:
        best_score = choice_score(unvisited, node.next_prior, plan, spread)
    for e in range(first, last):
        score = edge_score(nodes, edges[e], unvisited, plan, spread)
        if score > best_score or (score == best_score and edges[e].action < action):
            best, best_score, action = e, score, edges[e].action
    return best


@inlined
def gumbel_edge(root, edges, scores, turn):  # NODE, [M] EDGE, [E], int
    """Return the root edge that sequential halving tries next, ``turn`` visits being due."""
    first = root.first_edge
    most = 0
    for e in range(first, first + root.edge_count):
        most = max(most, edges[e].visits)
    best, best_score = first, -np.inf
    for e in range(first, first + root.edge_count):
        if edges[e].visits != turn:
            continue
        score = scores[e - first]
        if turn > 0:
            score = gumbel_score(score, edges[e].value_sum / turn, most)
        if score > best_score:
            best, best_score = e, score
    return best


@inlined
def root_edge(nodes, edges, plan, turns, scores, trees, t):  # [N], [M], PLAN, [n], [E], [B], int
    """Return the edge the next simulation takes at the root: rules that hold only there."""
    root = nodes[0]
    if plan.considered > 0:
        return gumbel_edge(root, edges, scores, turns[min(root.visits - 1, len(turns) - 1)])
    if plan.random_root > 0:
        seed, bits = next_random(trees[t].seed)
        seed, pick = random_below(seed, root.edge_count)
        trees[t].seed = seed
        if bits / 4294967296.0 < plan.random_root:
            return root.first_edge + pick
    return best_edge(nodes, edges, plan, np.int64(0))


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
