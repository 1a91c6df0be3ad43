"""Tree reuse: after a move the child becomes the root and its subtree stays."""

import numpy as np

from evenmatch.games.bits import allocating
from evenmatch.search.forest import UNSEEN


@allocating
def reroot(forest, trees, actions, kept):  # [n], [n], [n]
    """Make the child after each action the root and drop the rest; say where that worked."""
    for i in range(len(trees)):
        t = trees[i]
        root = forest.nodes[t, 0]
        kept[i] = False
        for e in range(root.first_edge, root.first_edge + root.edge_count):
            edge = forest.edges[t, e]
            if edge.action == actions[i] and edge.child > 0:
                keep_subtree(forest, t, edge.child)
                kept[i] = True
                break


@allocating
def keep_subtree(forest, t, root):
    """Move the nodes below ``root`` to the front, in their old order."""
    total = forest.trees[t].nodes
    nodes, states, strengths = forest.nodes[t], forest.states[t], forest.strengths[t]
    old_edges = forest.edges[t, : forest.trees[t].edges].copy()
    old_priors = forest.priors[t, : forest.trees[t].choices].copy()
    old_actions = forest.actions[t, : forest.trees[t].choices].copy()
    edges, priors, actions = forest.edges[t], forest.priors[t], forest.actions[t]
    renamed = np.full(total, -1, np.int32)
    used_nodes, used_edges, used_choices = 0, 0, 0
    for n in range(root, total):  # parents come before their children
        if n != root and renamed[nodes[n].parent] < 0:
            continue
        new = used_nodes
        renamed[n] = new
        used_nodes += 1
        parent = -1 if n == root else renamed[nodes[n].parent]
        nodes[new] = nodes[n]
        states[new] = states[n]
        strengths[new] = strengths[n]
        nodes[new].parent = parent
        nodes[new].parent_edge = -1
        first = nodes[new].first_edge
        nodes[new].first_edge = used_edges
        for k in range(nodes[new].edge_count):
            edges[used_edges + k] = old_edges[first + k]
        used_edges += nodes[new].edge_count
        nodes[new].edge_room = nodes[new].edge_count
        first = nodes[new].first_choice
        for k in range(nodes[new].choice_count):
            priors[used_choices + k] = old_priors[first + k]
            actions[used_choices + k] = old_actions[first + k]
        nodes[new].first_choice = used_choices
        used_choices += nodes[new].choice_count
    forest.trees[t].noisy = 0
    forest.trees[t].decided_by = UNSEEN
    forest.trees[t].nodes = used_nodes
    forest.trees[t].edges = used_edges
    forest.trees[t].choices = used_choices
    for e in range(used_edges):
        if edges[e].child >= 0:
            edges[e].child = renamed[edges[e].child]
            nodes[edges[e].child].parent_edge = e
