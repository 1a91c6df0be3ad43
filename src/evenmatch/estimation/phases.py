"""How strong somebody is in the opening, the middle game and the ending, each by its moves alone.

Each phase has an estimator of its own, which learned from the moves of that phase: moves of an
opening that many know lose little, whoever plays them.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from evenmatch.estimation.methods import Floats
from evenmatch.estimation.move_features import PLACE, MoveFeatures
from evenmatch.estimation.running import ScalesScorer
from evenmatch.estimation.strength_estimator import PlayerGame
from evenmatch.ratings.belief import Belief

PHASES = ("opening", "middle", "ending")
NOTHING = 0.75  #: of the interval before any moves: one as wide says nothing


def phases_of(moves: MoveFeatures, begins: tuple[int, int]) -> list[MoveFeatures]:
    """Return the moves of each phase, which know their places in the whole game.

    The middle game and the ending begin with the own moves ``begins``, from 0.
    """
    places = moves.places
    whole = np.stack([places, places + moves.left], 1).astype(np.float32)
    placed = moves._replace(columns=moves.columns | {PLACE: whole})
    edges = (0, *begins, np.inf)
    return [placed.only((places >= one) & (places < end)) for one, end in pairwise(edges)]


class PhasesScorer:
    """Rates moves on one rating scale: whole games in front, then each phase."""

    def __init__(self, scorer: ScalesScorer, begins: tuple[int, int]):
        self._scorer, self._begins = scorer, begins

    def on_each_scale(
        self, games: Sequence[PlayerGame], every: Sequence[int] = ()
    ) -> list[MoveFeatures]:
        """Return what is said of the players' own moves, as a whole and in each phase."""
        (whole,) = self._scorer.on_each_scale(games, every)
        return [whole, *phases_of(whole, self._begins)]


def says_something(interval: tuple[float, float], grid: Floats) -> bool:
    """Return whether an interval is much narrower than that before any moves."""
    low, high = Belief(grid).interval()
    return interval[1] - interval[0] < NOTHING * float(high - low)
