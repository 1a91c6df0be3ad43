"""The three phases of a simulation that touch trees: select, expand, backup.

They never call rules of a game: between ``select`` and ``expand`` the driver lets the game
make the leaves' positions and the evaluator judge them.
"""

import numpy as np

from evenmatch.games.bits import fetch, inlined, kernel, next_random, scrambled
from evenmatch.search.forest import (
    FEW,
    OPEN,
    TERMINAL,
    UNSEEN,
    choose_next,
    clear_node,
    fill_choices,
    fill_edges,
    heeds_priors,
    open_choice,
)
from evenmatch.search.plan import Solve
from evenmatch.search.rules import BALANCE, STRENGTH, add_strength, best_edge, root_edge, weigh
from evenmatch.search.solver import prove, settle_root

MOST_SETTLED = 256  # descents into finished games per tree and step: a time limit must be heard
SETTLE = int(Solve.SETTLE)
VIRTUAL_LOSS = 1.0  # what a pending visit counts as, against the side that chose it


@kernel
def plant(forest, trees, states, seeds):  # [n], [n, S], [n]
    """Empty the trees and put new roots into them."""
    for i in range(len(trees)):
        t = trees[i]
        forest.trees[t].nodes = 1
        forest.trees[t].edges = 0
        forest.trees[t].choices = 0
        forest.trees[t].ordered = 0
        forest.trees[t].noisy = 0
        forest.trees[t].weighed = 0
        forest.trees[t].decided_by = UNSEEN
        forest.trees[t].seed = seeds[i]
        clear_node(forest.nodes[t, 0], -1, -1)
        for word in range(states.shape[1]):
            forest.states[t, 0, word] = states[i, word]


@kernel
def select(forest, plans, turns, left, most, leaf_trees, leaf_nodes, states, actions, seeds):
    """Descend each tree that has simulations ``left`` [B] to at most ``most`` leaves.

    Leaf i gets its tree and node, its parent's position ``states`` [L, S] with the action [L]
    that leads on, and a seed [L] for whatever is random in judging it. Descents that end in a
    finished game are backed up at once. Visits are counted here, with a virtual loss on the
    way when ``most`` > 1. ``turns`` [B, n] is the schedule of sequential halving. Returns the
    number of leaves.
    """
    count = 0
    loss = VIRTUAL_LOSS if most > 1 else 0.0
    all_nodes, all_edges, trees = forest.nodes, forest.edges, forest.trees
    all_priors, all_actions = forest.priors, forest.actions
    for t in range(len(left)):
        if left[t] > 0 and plans[t].rule == STRENGTH:
            weigh(all_nodes[t], forest.strengths[t], trees[t].nodes, plans[t])
        if left[t] > 0 and plans[t].solve == SETTLE and trees[t].decided_by >= 0:
            settle_root(forest, t, left[t])
            left[t] = 0
    descend_all(forest, plans, turns, left, loss, leaf_trees)
    for t in range(len(left)):
        if left[t] <= 0:
            continue
        nodes, edges, scores = all_nodes[t], all_edges[t], forest.root_scores[t]
        priors, moves = all_priors[t], all_actions[t]
        pending = settled = 0
        while left[t] > 0 and pending < most and settled < MOST_SETTLED:
            n = trees[t].reached
            if pending + settled > 0:
                n = descend(nodes, edges, priors, moves, plans[t], turns[t], scores, trees, t, loss)
            node = nodes[n]
            if node.status == TERMINAL:
                backup(nodes, edges, n, np.float64(node.value), plans[t], loss)
                left[t] -= 1
                settled += 1
                continue
            if pending > 0 and is_pending(leaf_nodes[count - pending : count], n):
                undo(nodes, edges, n, loss)
                break
            left[t] -= 1
            for word in range(states.shape[1]):
                states[count, word] = forest.states[t, node.parent, word]
            actions[count] = edges[node.parent_edge].action
            trees[t].seed, _ = next_random(trees[t].seed)
            seeds[count] = scrambled(trees[t].seed)
            leaf_trees[count] = t
            leaf_nodes[count] = n
            count += 1
            pending += 1
    return count


@inlined
def is_pending(leaf_nodes, n):  # [k], int
    """Tell whether a node is already among this tree's leaves of this step."""
    for leaf in leaf_nodes:  # noqa: SIM110  numba compiles no generators
        if leaf == n:
            return True
    return False


@inlined
def descend_all(forest, plans, turns, left, loss, live):  # [B] PLAN, [B, n], [B], float, [B]
    """Descend once in each tree with simulations ``left``, to the node ``reached``.

    The trees take their steps in turn, each asking for the memory of its next step: hundreds of
    trees outgrow the caches, and descending one by one is mostly waiting. ``live`` is room for
    the trees still on their way.
    """
    nodes, edges, trees = forest.nodes, forest.edges, forest.trees
    priors, moves = forest.priors, forest.actions
    count = 0
    for t in range(len(left)):
        if left[t] > 0:
            live[count] = t
            count += 1
            trees[t].reached = 0
            fetch(nodes, t, 0)
    while count > 0:
        count = still_open(forest, live, count)
        for i in range(count):
            t = live[i]
            n, scores = np.int64(trees[t].reached), forest.root_scores[t]
            n = step_down(
                nodes[t],
                edges[t],
                priors[t],
                moves[t],
                plans[t],
                turns[t],
                scores,
                trees,
                t,
                loss,
                n,
            )
            trees[t].reached = n
            fetch(nodes, t, n)


@inlined
def still_open(forest, live, count):  # [B], int
    """Keep the trees whose node has edges, and ask for those; the others have descended."""
    kept = 0
    for i in range(count):
        t = live[i]
        node = forest.nodes[t, forest.trees[t].reached]
        if node.status == OPEN:
            fetch_edges(forest.edges, t, node.first_edge, node.edge_count)
            live[kept] = t
            kept += 1
        else:
            node.visits += 1
            fetch(forest.states, t, node.parent)
    return kept


@inlined
def fetch_edges(edges, t, first, count):  # [B, M], int, int, int
    """Ask for a node's edges: two fit a cache line."""
    for e in range(first, first + count, 2):
        fetch(edges, t, e)


@inlined
def descend(nodes, edges, priors, moves, plan, turns, scores, trees, t, loss):
    """Follow the rule from the root to a node without edges, making it if it is new."""
    n = np.int64(0)
    while nodes[n].status == OPEN:
        n = step_down(nodes, edges, priors, moves, plan, turns, scores, trees, t, loss, n)
    nodes[n].visits += 1
    return n


@inlined
def step_down(nodes, edges, priors, moves, plan, turns, scores, trees, t, loss, n):
    """Return the node below ``n`` that the rule leads to, making it if it is new.

    Shapes: nodes [N], edges [M], priors and moves [K], turns [n], scores [E], trees [B].
    """
    if n == 0:
        e = root_edge(nodes, edges, plan, turns, scores, trees, t)
    else:
        e = best_edge(nodes, edges, plan, n)
    if e < 0:
        e = open_choice(nodes, edges, priors, moves, plan, trees, t, n)
    nodes[n].visits += 1
    edge = edges[e]
    edge.visits += 1
    edge.value_sum -= loss
    if edge.child < 0:
        edge.child = trees[t].nodes
        trees[t].nodes += 1
        clear_node(nodes[edge.child], n, e)
    return np.int64(edge.child)


@inlined
def backup(nodes, edges, n, value, plan, loss):  # [N], [M], int, float, PLAN, float
    """Add a leaf's value, for the side to move there, to the edges up to the root."""
    if plan.rule == BALANCE:
        backup_imbalance(nodes, edges, n, value, plan.balance, loss)
        return
    while n != 0:
        value = -value
        edges[nodes[n].parent_edge].value_sum += value + loss
        n = nodes[n].parent


@inlined
def backup_imbalance(nodes, edges, n, value, balance, loss):  # [N], [M], int, three floats
    """W(s, a) -= |v + v_bar| on the own edges, |v - v_bar| on the others; Fujita 2022 eq. 7.

    ``value`` is for the side to move at the leaf, ``balance`` for the side at the root; both
    are needed for the same side, and it does not matter for which.
    """
    depth, above = 0, n
    while above != 0:
        above = nodes[above].parent
        depth += 1
    if depth % 2 == 1:
        value = -value
    while n != 0:
        own = depth % 2 == 1  # the edge to depth 1 is the root's
        off = value + balance if own else value - balance
        edges[nodes[n].parent_edge].value_sum += loss - abs(off)
        n = nodes[n].parent
        depth -= 1


@inlined
def undo(nodes, edges, n, loss):  # [N], [M], int, float
    """Take back the visits of a descent that met a leaf already pending."""
    nodes[n].visits -= 1
    while n != 0:
        edge = edges[nodes[n].parent_edge]
        edge.visits -= 1
        edge.value_sum += loss
        n = nodes[n].parent
        nodes[n].visits -= 1


@kernel
def expand(
    forest, plans, trees, leaves, states, legal, counts, outcomes, logits, values, betas, loss
):
    """Store evaluated leaves, give them edges where due, and back their values up.

    Shapes: trees, leaves, counts, outcomes, values [n]; betas [n], or [0] where no tree's rule
    asks for strength; states [n, S]; legal [n, E]; logits [n, A].
    """
    all_nodes, all_edges = forest.nodes, forest.edges
    fetch_leaves(forest, trees, leaves, counts)
    for i in range(len(trees)):
        t, n = trees[i], leaves[i]
        nodes, edges, node = all_nodes[t], all_edges[t], all_nodes[t, n]
        for word in range(states.shape[1]):
            forest.states[t, n, word] = states[i, word]
        node.value = values[i]
        if counts[i] == 0:
            node.value = outcomes[i]
            node.status = TERMINAL
        elif n == 0 or node.visits >= plans[t].open_at:
            node.status = OPEN
            give_actions(forest, t, n, legal[i], counts[i], logits[i], plans[t])
        if plans[t].rule == STRENGTH and node.visits == 1:
            judged = node.status != TERMINAL
            add_strength(
                nodes, forest.strengths[t], n, betas[i] if judged else 0.0, judged, plans[t]
            )
        backup(nodes, edges, n, np.float64(node.value), plans[t], loss)
        if plans[t].solve and node.status == TERMINAL:
            prove(nodes, edges, forest.trees, t, n)


@inlined
def give_actions(forest, t, n, legal, count, logits, plan):  # Forest, int, int, [E], int, [A], PLAN
    """Give a node its legal actions: edges to a root and where they are few, choices to others."""
    node, tree = forest.nodes[t, n], forest.trees[t]
    priors, moves = forest.priors[t], forest.actions[t]
    node.first_choice = tree.choices
    node.choice_count = count
    fill_choices(priors[tree.choices : tree.choices + count], legal, logits, plan.prior_temperature)
    for k in range(count):
        moves[tree.choices + k] = legal[k]
    if n == 0 or count <= FEW:
        fill_edges(forest.nodes[t], forest.edges[t], priors, moves, forest.trees, t, n)
    else:
        tree.choices += count
        choose_next(node, priors, moves, plan)


@kernel
def open_roots(forest, plans, trees):  # [n]
    """Make edges of all choices of roots; recompute the next choices if the rule changed."""
    for i in range(len(trees)):
        t = trees[i]
        nodes, edges, priors, moves = (
            forest.nodes[t],
            forest.edges[t],
            forest.priors[t],
            forest.actions[t],
        )
        if nodes[0].choice_count > 0:
            fill_edges(nodes, edges, priors, moves, forest.trees, t, 0)
        order = 2 if heeds_priors(plans[t]) else 1
        if forest.trees[t].ordered != order:
            forest.trees[t].ordered = order
            for n in range(forest.trees[t].nodes):
                choose_next(nodes[n], priors, moves, plans[t])


@inlined
def fetch_leaves(forest, trees, leaves, counts):  # [n] each
    """Ask for all memory that adding the leaves will touch; the network pushed it out."""
    for i in range(len(trees)):
        t = trees[i]
        fetch(forest.nodes, t, leaves[i])
        fetch(forest.states, t, leaves[i])
        if counts[i] <= FEW:
            fetch_edges(forest.edges, t, forest.trees[t].edges, counts[i])
        else:
            fetch_choices(forest, t, counts[i])
    for i in range(len(trees)):
        t, n = trees[i], leaves[i]
        while n != 0:
            node = forest.nodes[t, n]
            fetch(forest.edges, t, node.parent_edge)
            n = node.parent


@inlined
def fetch_choices(forest, t, count):  # Forest, int, int
    """Ask for the places of the next choices: 16 priors and 32 actions fit a cache line."""
    first = forest.trees[t].choices
    for k in range(first, first + count, 16):
        fetch(forest.priors, t, k)
    for k in range(first, first + count, 32):
        fetch(forest.actions, t, k)


@kernel
def keep_edges(forest, trees, actions):  # [n], [A]
    """Drop all other edges of roots that have no visited ones; priors add up to 1 again."""
    for i in range(len(trees)):
        t = trees[i]
        root = forest.nodes[t, 0]
        kept, total = root.first_edge, 0.0
        for e in range(root.first_edge, root.first_edge + root.edge_count):
            if actions[forest.edges[t, e].action]:
                forest.edges[t, kept] = forest.edges[t, e]
                total += forest.edges[t, e].prior
                kept += 1
        root.edge_count = kept - root.first_edge
        for e in range(root.first_edge, kept):
            forest.edges[t, e].prior /= total


@kernel
def read_roots(forest, trees, visits, value_sums, priors, scores, legal):  # [n], five of [n, A]
    """Write the roots' statistics, spread over all actions."""
    for i in range(len(trees)):
        t = trees[i]
        root = forest.nodes[t, 0]
        for k in range(root.edge_count):
            edge = forest.edges[t, root.first_edge + k]
            visits[i, edge.action] = edge.visits
            value_sums[i, edge.action] = edge.value_sum
            priors[i, edge.action] = edge.prior
            scores[i, edge.action] = forest.root_scores[t, k]
            legal[i, edge.action] = True
