"""Which lines a search shows, in which order, and with what scores.

A tree search plays its most visited move, and a move with fewer visits can have a higher mean.
Chess programs expect the lines of MultiPV in the order of their scores, and the move that is played
in front. So means are compared where they can be: the first line is the one with the highest mean
of those with at least half as many visits as the most visited. If a move with fewer visits has a
higher mean, its line says that it is worth at least as much as the first (``lowerbound``).

A single line is always that of the most visited move.
"""

from collections.abc import Callable
from typing import NamedTuple

from evenmatch.search import RootStats
from evenmatch.sessions.tree import best_actions

TRUSTED = 0.5  #: share of the most visits from which a mean is compared with others


class Shown(NamedTuple):
    """A line as it is shown; the first is the move to play."""

    action: int
    value: float  #: for the side to move, in [-1, 1]
    mates: bool = False  #: the move is checkmate
    bound: bool = False  #: the move may be worth more than ``value``


def shown_lines(
    stats: RootStats, most: int, value: float, mates: Callable[[int], bool]
) -> list[Shown]:
    """Return the ``most`` most visited actions of a root in the order of their values.

    ``value`` is the position's by the network alone, which stands for actions without visits; they
    come last, and are worth at most what the line before them is. ``mates`` tells whether an action
    is checkmate, which is known without visits.
    """
    listed = list(best_actions(stats, most))
    visits, means = stats.visits[0], stats.means[0]
    mating = {action for action in listed if mates(action)}
    searched = [action for action in listed if visits[action] and action not in mating]
    trusted = [a for a in searched if visits[a] >= TRUSTED * visits[searched[0]]]
    highest = max((float(means[action]) for action in trusted), default=-1.0)
    lines = [Shown(action, 1.0, mates=True) for action in listed if action in mating]
    shown = [
        Shown(action, min(float(means[action]), highest), bound=bool(means[action] > highest))
        for action in searched
    ]
    lines += sorted(shown, key=lambda line: (-line.value, line.bound))
    for action in listed:
        if not visits[action] and action not in mating:
            lines.append(Shown(action, min(value, lines[-1].value) if lines else value))
    return lines
