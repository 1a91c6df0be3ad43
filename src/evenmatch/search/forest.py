"""The forest: B trees side by side in plain arrays of records; growing and emptying them.

Shapes: B trees, N nodes of a tree, M edges of a tree, K choices of a tree, S words of a state, E
the most legal actions of a position. All are numbered within their tree; node 0 is the root.

A legal action of a node is a *choice*, an action with its prior, until it is first visited. Then it
becomes an *edge*. Most actions are never visited, so that a node costs six bytes an action instead
of the 24 of an edge, and choosing among its edges touches few cache lines: of all that was not
visited only the best, ``next_choice``, can be chosen. With hundreds of trees, memory latency is
most of what a simulation costs. A root is different, and a node with few actions: all of them are
edges, in their order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
