"""How nodes begin, and legal actions become edges: first choices, then edges one by one."""

import math

import numpy as np

from evenmatch.games.bits import inlined
from evenmatch.search.forest import FRESH, TAKEN
from evenmatch.search.plan import Rule

UCT, BALANCE, LEVEL = int(Rule.UCT), int(Rule.BALANCE), int(Rule.LEVEL)
ROOM = 8  # for the edges of a node at first; doubled when they do not fit


@inlined
def fill_choices(priors, legal, logits, temperature):  # [k], [E], [A], float
    """Write the priors of a node's legal actions, softmax(logits / temperature)."""
    highest = logits[legal[0]]
    for k in range(1, len(priors)):
        highest = max(highest, logits[legal[k]])
    total = 0.0
    for k in range(len(priors)):
        weight = math.exp((np.float64(logits[legal[k]]) - highest) / temperature)
        priors[k] = weight
        total += weight
    for k in range(len(priors)):
        priors[k] /= total


@inlined
def heeds_priors(plan):  # PLAN
    """Tell whether the rule prefers a choice with a higher prior."""
    if plan.rule == LEVEL:
        return True
    return plan.rule != UCT and plan.rule != BALANCE and plan.c_puct > 0


@inlined
def choose_next(node, priors, moves, plan):  # NODE, [K], [K], PLAN
    """Find which choice can become an edge next: of those left the first with the highest prior.

    Where the rule ignores priors it is simply the first. Among choices without visits no rule
    prefers another.
    """
    by_prior = heeds_priors(plan)
    node.next_choice = -1
    highest = np.float32(TAKEN)
    for k in range(node.choice_count):
        prior = priors[node.first_choice + k]
        if prior > highest:
            node.next_choice = k
            highest = prior
            if not by_prior:
                break
    if node.next_choice >= 0:
        node.next_action = moves[node.first_choice + node.next_choice]
        node.next_prior = highest


@inlined
def open_choice(nodes, edges, priors, moves, plan, trees, t, n):
    """Make an edge of a node's next choice, and find the one after it; return the edge.

    Shapes: nodes [N], edges [M], priors and moves [K], trees [B].
    """
    node = nodes[n]
    if node.edge_count == node.edge_room:
        room = min(max(ROOM, 2 * np.int64(node.edge_room)), np.int64(node.choice_count))
        move_edges(nodes, edges, trees, t, n, room)
    e = node.first_edge + node.edge_count
    node.edge_count += 1
    new_edge(edges[e], node.next_action, node.next_prior)
    priors[node.first_choice + node.next_choice] = TAKEN
    choose_next(node, priors, moves, plan)
    return e


@inlined
def new_edge(edge, action, prior):  # EDGE, int, float
    """Make an edge without visits."""
    edge.value_sum = 0
    edge.visits = 0
    edge.prior = prior
    edge.child = -1
    edge.action = action


@inlined
def move_edges(nodes, edges, trees, t, n, room):  # [N], [M], [B], int, int, int
    """Move a node's edges to where there is room for so many; its children follow."""
    node = nodes[n]
    new = trees[t].edges
    trees[t].edges += room
    for k in range(node.edge_count):
        edges[new + k] = edges[node.first_edge + k]
        if edges[new + k].child >= 0:
            nodes[edges[new + k].child].parent_edge = new + k
    node.first_edge = new
    node.edge_room = room


@inlined
def fill_edges(nodes, edges, priors, moves, trees, t, n):  # as open_choice, int
    """Make edges of all choices of a node, in their order; its edges keep what they know."""
    node = nodes[n]
    old = node.first_edge
    first = trees[t].edges
    trees[t].edges += node.choice_count
    for i in range(node.choice_count):
        e, k = first + i, node.first_choice + i
        if priors[k] == TAKEN:
            at = old
            while edges[at].action != moves[k]:
                at += 1
            edges[e] = edges[at]
            if edges[e].child >= 0:
                nodes[edges[e].child].parent_edge = e
        else:
            new_edge(edges[e], moves[k], priors[k])
    node.first_edge = first
    node.edge_count = node.edge_room = node.choice_count
    node.choice_count = 0
    node.next_choice = -1


@inlined
def clear_node(node, parent, parent_edge):
    """Make a node fresh."""
    node.visits = 0
    node.value = 0
    node.parent = parent
    node.parent_edge = parent_edge
    node.first_edge = 0
    node.edge_count = 0
    node.edge_room = 0
    node.first_choice = 0
    node.choice_count = 0
    node.next_choice = -1
    node.next_action = 0
    node.next_prior = 0
    node.status = FRESH
    node.distance = 0
