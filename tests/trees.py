"""The actions of a tree's node, whether they are edges yet or not."""

from typing import NamedTuple

import numpy as np

from evenmatch.search.forest import TAKEN


class Known(NamedTuple):
    """What a tree knows of an action."""

    visits: int
    value_sum: float
    prior: np.float32
    child: int  # -1 if there is none
    edge: int  # -1 if it is a choice


def actions_of(forest, t, n):
    """What is known of each legal action of a node that has been opened, in their order."""
    node, known = forest.nodes[t, n], {}
    for e in range(node["first_edge"], node["first_edge"] + node["edge_count"]):
        edge = forest.edges[t, e]
        known[int(edge["action"])] = Known(
            int(edge["visits"]), float(edge["value_sum"]), edge["prior"], int(edge["child"]), e
        )
    for k in range(node["first_choice"], node["first_choice"] + node["choice_count"]):
        prior, action = forest.priors[t, k], int(forest.actions[t, k])
        assert (prior == TAKEN) == (action in known)
        known.setdefault(action, Known(0, 0.0, prior, -1, -1))
    return dict(sorted(known.items()))
