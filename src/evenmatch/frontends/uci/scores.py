"""Scores and lines as chess programs show them.

A tree search plays its most visited move, and a move with fewer visits can have a higher mean.
Chess programs expect the lines of MultiPV in the order of their scores, and the move that is played
in front. So means are compared where they can be: the first line is the one with the highest mean
of those with at least half as many visits as the most visited. If a move with fewer visits has a
higher mean, its line says that it is worth at least as much as the first (``lowerbound``).

A single line is always that of the most visited move.

Proven outcomes need no visits: wins are shown first, the quickest in front, and losses last.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from evenmatch.play.tree import best_actions
from evenmatch.search import RootStats
from evenmatch.search.solver import plies_to_end

SPREAD, STEEPNESS = 90.0, 1.5637541897  # of lc0's formula for centipawns
EVEN_DRAWS = 0.1  # chance of a draw in an even position, where the network has no chances of draws
TRUSTED = 0.5  #: share of the most visits from which a mean is compared with others


@dataclass(frozen=True)
class ValueScore:
    """A value for the side to move in [-1, 1], and the chance of a draw if it is known."""

    value: float
    draw: float | None = None

    def moved(self, value: float) -> "ValueScore":
        """Return the score of another value of the position; draws go with 1 - value^2."""
        if self.draw is None:
            return replace(self, value=value)
        share = (1 - value**2) / max(1 - self.value**2, 1e-3)
        return ValueScore(value, min(self.draw * share, 1.0))

    @property
    def centipawns(self) -> int:
        """The value as lc0 writes it: 90 tan(1.5637541897 Q)."""
        return round(SPREAD * math.tan(STEEPNESS * max(-1.0, min(self.value, 1.0))))

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Win, draw and loss of a thousand."""
        value = max(-1.0, min(self.value, 1.0))
        draw = EVEN_DRAWS * (1 - value**2) if self.draw is None else self.draw
        draw = min(draw, 1 - abs(value))
        wins, draws = round(500 * (1 + value - draw)), round(1000 * draw)
        return wins, min(draws, 1000 - wins), max(1000 - wins - draws, 0)

    def text(self, with_wdl: bool, *, mate: int | None = None, bound: bool = False) -> str:
        """Return what follows ``score``; ``mate`` is the number of moves to a proven mate.

        It is negative where the mover is mated. A ``bound`` is the least that the score may
        be.
        """
        score = self if mate is None else self.moved(1.0 if mate > 0 else -1.0)
        text = f"cp {score.centipawns}" + " lowerbound" * bound
        text = text if mate is None else f"mate {mate}"
        return f"{text} wdl {' '.join(map(str, score.wdl))}" if with_wdl else text


class Shown(NamedTuple):
    """A line as it is shown; the first is the move to play."""

    action: int
    value: float  #: for the side to move, in [-1, 1]
    mate: int | None = None  #: moves to a proven mate, negative of the mover's king
    bound: bool = False  #: the move may be worth more than ``value``


def shown_lines(
    stats: RootStats, most: int, value: float, mates: Callable[[int], bool]
) -> list[Shown]:
    """Return the ``most`` most visited actions of a root in the order of their values.

    ``value`` is the position's by the network alone, which stands for actions without visits; they
    come after those with some, and are worth at most what the line before them is. ``mates`` tells
    whether an action is checkmate, which is known without visits.
    """
    listed = list(best_actions(stats, most))
    visits, means = stats.visits[0], stats.means[0]
    proven = [_proven(stats, action, mates(action)) for action in listed]
    decided = sorted((line for line in proven if line), key=lambda line: -line.value)
    drawn = [line for line in decided if line.value == 0]
    others = [action for action, line in zip(listed, proven, strict=True) if line is None]
    searched = [action for action in others if visits[action]]
    trusted = [a for a in searched if visits[a] >= TRUSTED * visits[searched[0]]]
    highest = max((float(means[action]) for action in trusted), default=-1.0)
    lines = [line for line in decided if line.value > 0]
    shown = [
        Shown(action, min(float(means[action]), highest), bound=bool(means[action] > highest))
        for action in searched
    ]
    lines += sorted(shown + drawn, key=lambda line: (-line.value, line.bound))
    for action in others:
        if not visits[action]:
            lines.append(Shown(action, min(value, lines[-1].value) if lines else value))
    return lines + [line for line in decided if line.value < 0]


def _proven(stats: RootStats, action: int, mates: bool) -> Shown | None:
    """Return the line of an action whose outcome is certain, None of another."""
    if mates:
        return Shown(action, 1.0, mate=1)
    known = np.nan if stats.known is None else float(stats.known[0, action])
    if np.isnan(known):
        return None
    if known == 0:
        return Shown(action, 0.0)
    plies = plies_to_end(known)
    return Shown(action, known, mate=(plies + 1) // 2 if known > 0 else -(plies // 2))
