"""The forest: B trees side by side in plain arrays of records; how they grow and are emptied.

Shapes: B trees, N nodes of a tree, M edges of a tree, K choices of a tree, S words of a state, E
the most legal actions of a position. All are numbered within their tree; node 0 is the root.

A legal action of a node is a *choice*, an action with its prior, until it is first visited. Then it
becomes an *edge*. Most actions are never visited, so that a node costs six bytes per action instead
of the 24 of an edge, and choosing among its edges touches few cache lines: of all that was not
visited only the best, ``next_choice``, can be chosen. With hundreds of trees, memory latency is
most of what a simulation costs. A root is different, and a node with few actions: all of them are
edges, in their order. After a move the child can become the root (``reroot``).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.bits import allocating, inlined
from evenmatch.search.plan import Rule

FRESH, OPEN, TERMINAL = 0, 1, 2  # status of a node: no edges yet, has edges, outcome known
UNDECIDED, UNSEEN = -1, -2  # in the place of the edge that decides a root

NODE = np.dtype(
    [
        ("visits", np.int32),  # N(s), the node's own evaluation included
        ("value", np.float32),  # its last evaluation, or the outcome, for the side to move
        ("parent", np.int32),  # -1 at the root; a parent's number is below its children's
        ("parent_edge", np.int32),  # the parent's edge that leads here
        ("first_edge", np.int32),  # its edges lie side by side
        ("edge_count", np.int16),
        ("edge_room", np.int16),  # for so many edges there, before they have to move
        ("first_choice", np.int32),  # its choices too, in the order of their actions
        ("choice_count", np.int16),  # 0 once all have become edges at once
        ("next_choice", np.int16),  # the one of them to become an edge next, -1 if all have, ...
        ("next_prior", np.float32),  # ... its prior ...
        ("next_action", np.int16),  # ... and its action
        ("status", np.int16),  # FRESH, OPEN or TERMINAL
        ("distance", np.float32),  # normalised, of its subtree's strength to the wanted one
    ],
    align=True,
)
STRENGTH = np.dtype(
    [
        ("total", np.float64),  # beta summed over the subtree's judged nodes, its own included
        ("low", np.float64),  # the least distance among its children, and ...
        ("high", np.float64),  # ... the greatest, as of the last weighing
        ("count", np.int32),  # how many nodes are summed
        ("depth", np.int32),  # of the node below the root, as of the last weighing
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("value_sum", np.float64),  # W(s, a), for the side that moves along the edge
        ("visits", np.int32),  # N(s, a)
        ("prior", np.float32),  # P(s, a)
        ("child", np.int32),  # -1 until visited
        ("action", np.int32),
    ],
    align=True,
)
TREE = np.dtype(
    [
        ("seed", np.uint64),  # the tree's own random numbers
        ("nodes", np.int32),  # in use
        ("edges", np.int32),  # in use, or left behind by edges that moved
        ("choices", np.int32),  # in use
        ("reached", np.int32),  # the node its descent has come to
        ("ordered", np.int32),  # how next choices were found: 1 by number, 2 by prior, 0 not yet
        ("noisy", np.int32),  # 1 once noise has been mixed into the root's priors
        ("weighed", np.int32),  # 1 if the strengths of all its nodes are kept, 2: of own actions
        ("decided_by", np.int32),  # the root's edge that decides it, once its outcome is known
    ],
    align=True,
)


class Forest(NamedTuple):
    """The arrays of B trees."""

    nodes: NDArray  # [B, N] NODE
    edges: NDArray  # [B, M] EDGE
    priors: NDArray[np.float32]  # [B, K] of the choices; TAKEN of those that have become edges
    actions: NDArray[np.int16]  # [B, K] of the choices
    states: NDArray[np.uint64]  # [B, N, S]
    trees: NDArray  # [B] TREE
    strengths: NDArray  # [B, N] STRENGTH, touched by the rule STRENGTH alone
    root_scores: NDArray[np.float64]  # [B, E] log prior + Gumbel noise of the root's edges

    @property
    def capacity(self) -> int:
        """N, the nodes each tree has room for."""
        return self.nodes.shape[1]


TAKEN = -1.0  #: in the place of a prior: the choice has become an edge
FEW = 16  #: a node with so many legal actions has edges from the first, no choices
EDGES_EXPECTED = 3  #: edges for each node that there is room for at first, where it has choices
CHOICES_EXPECTED = 16  #: and choices
SLACK = 17 / 16  #: room for choices that is made, to what nodes like those so far will need


def allocate(
    trees: int,
    nodes: int,
    state_words: int,
    max_legal: int,
    edges: int | None = None,
    choices: int | None = None,
) -> Forest:
    """Return an empty forest with room for ``nodes`` nodes in each of ``trees`` trees.

    There is room for ``edges`` edges and ``choices`` choices in each. The search asks for more as
    they are used: nodes times most legal actions would be far too many.
    """
    if edges is None:
        edges = nodes * (EDGES_EXPECTED if max_legal > 4 * FEW else min(FEW, max_legal))
        edges += 4 * max_legal
    if choices is None:
        choices = nodes * (CHOICES_EXPECTED if max_legal > FEW else 0) + max_legal
    forest = Forest(
        nodes=np.empty((trees, nodes), NODE),
        edges=np.empty((trees, edges), EDGE),
        priors=np.empty((trees, choices), np.float32),
        actions=np.empty((trees, choices), np.int16),
        states=np.empty((trees, nodes, state_words), np.uint64),
        strengths=np.empty((trees, nodes), STRENGTH),
        trees=np.zeros(trees, TREE),
        root_scores=np.zeros((trees, max_legal)),
    )
    forest.trees["seed"] = np.arange(1, trees + 1)
    return forest


def enlarge(forest: Forest, nodes: int) -> Forest:
    """Return a copy of the forest with room for ``nodes`` nodes in each tree."""
    trees, _, state_words = forest.states.shape
    larger = allocate(trees, nodes, state_words, forest.root_scores.shape[1], 0, 0)
    used = int(forest.trees["nodes"].max(initial=0))
    larger.nodes[:, :used] = forest.nodes[:, :used]
    larger.states[:, :used] = forest.states[:, :used]
    if forest.trees["weighed"].any():
        larger.strengths[:, :used] = forest.strengths[:, :used]
    larger.trees[:] = forest.trees
    larger.root_scores[:] = forest.root_scores
    return larger._replace(edges=forest.edges, priors=forest.priors, actions=forest.actions)


def with_edges(forest: Forest, edges: int) -> Forest:
    """Return the forest with room for ``edges`` edges in each tree."""
    return forest._replace(edges=_longer(forest.edges, edges, forest.trees["edges"]))


def with_choices(forest: Forest, choices: int) -> Forest:
    """Return the forest with room for ``choices`` choices in each tree."""
    used = forest.trees["choices"]
    forest = forest._replace(priors=_longer(forest.priors, choices, used))
    return forest._replace(actions=_longer(forest.actions, choices, used))


def _longer(rows: NDArray, length: int, used: NDArray[np.int32]) -> NDArray:
    """Return rows [B, M] of another length; the first ``used`` [B] of each are copied."""
    longer = np.empty((len(rows), length), rows.dtype)
    most = int(used.max(initial=0))
    longer[:, :most] = rows[:, :most]
    return longer


def with_trees(forest: Forest, trees: int) -> Forest:
    """Return the forest with room for ``trees`` trees; the new ones are empty."""
    count, nodes, state_words = forest.states.shape
    edges, choices = forest.edges.shape[1], forest.priors.shape[1]
    larger = allocate(trees, nodes, state_words, forest.root_scores.shape[1], edges, choices)
    for name in Forest._fields:
        getattr(larger, name)[:count] = getattr(forest, name)
    return larger


def node_bytes(state_words: int, choices: float) -> int:
    """Return the memory of a node that has so many legal actions, with its share of the slack."""
    own = NODE.itemsize + STRENGTH.itemsize + 8 * state_words
    choice = np.dtype(np.float32).itemsize + np.dtype(np.int16).itemsize
    return round(SLACK * (own + EDGES_EXPECTED * EDGE.itemsize + choices * choice))


def seeds_from(seed: int, count: int) -> NDArray[np.uint64]:
    """Return ``count`` well-mixed non-zero tree seeds drawn from one number."""
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return np.where(words == 0, np.uint64(1), words)


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


UCT, BALANCE = int(Rule.UCT), int(Rule.BALANCE)
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
