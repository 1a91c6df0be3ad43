"""The forest: B trees side by side in plain arrays of records; growing and emptying them.

Shapes: B trees, N nodes of a tree, M edges of a tree, S words of a state, E the most legal
actions of a position. Nodes and edges are numbered within their tree; node 0 is the root. A
node's edges, one per legal action, lie side by side, so that choosing among them touches few
cache lines: with hundreds of trees, memory latency is most of what a simulation costs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FRESH, OPEN, TERMINAL = 0, 1, 2  # status of a node: no edges yet, has edges, game over

NODE = np.dtype(
    [
        ("visits", np.int32),  # N(s), the node's own evaluation included
        ("value", np.float32),  # its last evaluation, or the outcome, for the side to move
        ("parent", np.int32),  # -1 at the root; a parent's number is below its children's
        ("parent_edge", np.int32),  # the parent's edge that leads here
        ("first_edge", np.int32),
        ("edge_count", np.int32),  # 0 unless OPEN
        ("status", np.int32),  # FRESH, OPEN or TERMINAL
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
        ("edges", np.int32),  # in use
        ("reached", np.int32),  # the node its descent has come to
        ("noisy", np.int32),  # 1 once noise has been mixed into the root's priors
        ("weighed", np.int32),  # 1 if the strengths of all its nodes are kept, 2: of own actions
    ],
    align=True,
)


class Forest(NamedTuple):
    """The arrays of B trees."""

    nodes: NDArray  # [B, N] NODE
    edges: NDArray  # [B, M] EDGE
    states: NDArray[np.uint64]  # [B, N, S]
    trees: NDArray  # [B] TREE
    strengths: NDArray  # [B, N] STRENGTH, touched by the rule STRENGTH alone
    root_scores: NDArray[np.float64]  # [B, E] log prior + Gumbel noise of the root's edges

    @property
    def capacity(self) -> int:
        """N, the nodes each tree has room for."""
        return self.nodes.shape[1]


EDGES_EXPECTED = 16  #: edges of a node that there is room for at first
GROWTH = 4 / 3  #: memory of a forest that has just grown, to what is used: on average


def allocate(
    trees: int, nodes: int, state_words: int, max_legal: int, edges: int | None = None
) -> Forest:
    """Return an empty forest with room for ``nodes`` nodes in each of ``trees`` trees.

    There is room for ``edges`` edges in each, at first for EDGES_EXPECTED of every node. The search
    asks for more as they are used: nodes times most legal actions would be far too many, of 19x19
    Go 0.9 GB for 256 trees of 400 nodes.
    """
    room = nodes * min(EDGES_EXPECTED, max_legal) + max_legal if edges is None else edges
    forest = Forest(
        nodes=np.empty((trees, nodes), NODE),
        edges=np.empty((trees, room), EDGE),
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
    larger = allocate(trees, nodes, state_words, forest.root_scores.shape[1], 0)
    used = int(forest.trees["nodes"].max(initial=0))
    larger.nodes[:, :used] = forest.nodes[:, :used]
    larger.states[:, :used] = forest.states[:, :used]
    if forest.trees["weighed"].any():
        larger.strengths[:, :used] = forest.strengths[:, :used]
    larger.trees[:] = forest.trees
    larger.root_scores[:] = forest.root_scores
    return larger._replace(edges=forest.edges)


def with_edges(forest: Forest, edges: int) -> Forest:
    """Return the forest with room for ``edges`` edges in each tree."""
    larger = np.empty((len(forest.trees), edges), EDGE)
    used = int(forest.trees["edges"].max(initial=0))
    larger[:, :used] = forest.edges[:, :used]
    return forest._replace(edges=larger)


def with_trees(forest: Forest, trees: int) -> Forest:
    """Return the forest with room for ``trees`` trees; the new ones are empty."""
    count, nodes, state_words = forest.states.shape
    edges, max_legal = forest.edges.shape[1], forest.root_scores.shape[1]
    larger = allocate(trees, nodes, state_words, max_legal, edges)
    for old, new in zip(forest, larger, strict=True):
        new[:count] = old
    return larger


def node_bytes(state_words: int, edges: float) -> int:
    """Return the memory of a node that has so many edges, with its share of the room to grow."""
    own = NODE.itemsize + STRENGTH.itemsize + 8 * state_words
    return round(GROWTH * (own + edges * EDGE.itemsize))


def seeds_from(seed: int, count: int) -> NDArray[np.uint64]:
    """Return ``count`` well-mixed non-zero tree seeds drawn from one number."""
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return np.where(words == 0, np.uint64(1), words)
