"""What a tree shows of itself: its best lines, and how deep it is."""

import numpy as np

from evenmatch.games.bits import allocating
from evenmatch.search.forest import TERMINAL, Forest


def best_line(forest: Forest, t: int, first: int) -> list[int]:
    """Return the actions of tree ``t`` from ``first`` at the root on, each time the most visited.

    Where an outcome is proven it is the action that proves it; a line ends where a table or a look
    ahead knows the rest. Empty if the root has no such action.
    """
    nodes, edges = forest.nodes[t], forest.edges[t]
    line: list[int] = []
    n = 0
    while n >= 0 and nodes[n]["edge_count"]:
        begin = int(nodes[n]["first_edge"])
        own = edges[begin : begin + int(nodes[n]["edge_count"])]
        chosen = _best_of(own, nodes) if line else _edge_of(own, first)
        if chosen is None:
            break
        line.append(int(chosen["action"]))
        n = int(chosen["child"])
    return line


def _best_of(edges: np.ndarray, nodes: np.ndarray) -> np.void | None:
    """Return the edge that proves what its node is worth, else the most visited, if any is."""
    below = nodes[edges["child"]]
    known = (edges["child"] >= 0) & (below["status"] == TERMINAL)
    if known.all() or (known & (below["value"] < 0)).any():
        return edges[np.where(known, below["value"], 2).argmin()]
    best = edges[edges["visits"].argmax()]
    return best if best["visits"] else None


def _edge_of(edges: np.ndarray, action: int) -> np.void | None:
    edges_of = edges[edges["action"] == action]
    return edges_of[0] if len(edges_of) else None


def depths(forest: Forest, t: int) -> tuple[float, int]:
    """Return the mean and the greatest depth of a tree's nodes below the root."""
    used = int(forest.trees[t]["nodes"])
    if used < 2:
        return 0.0, 0
    return _depths(forest.nodes[t, :used])


@allocating
def _depths(nodes):  # [n] NODE
    depth = np.zeros(len(nodes), np.int32)
    for n in range(1, len(nodes)):  # parents come before their children
        depth[n] = depth[nodes[n].parent] + 1
    return depth[1:].mean(), depth.max()
