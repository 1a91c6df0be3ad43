"""Turns at which people may resign: which they are, and what is known at them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.strength.resigning import CUT, MOST, PATIENCE, TURNS, features
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.own_turns import Flags, Floats, OwnTurns

EARLIEST = 2 * PATIENCE  #: plies, before which turns do not count: few games of Lichess are shorter
TIMELY = 80  #: plies, before which people without an increment do not run out of time
LOST = 0.05  #: a chance at which a game is as good as lost


@dataclass(frozen=True)
class Chosen:
    """K turns at which a side may resign."""

    rows: NDArray[np.float64]  #: [K, 5] features
    resigned: Flags  #: [K]
    chances: Floats  #: [K]
    evals: Floats  #: [K] chances by the record's evals; NaN where there is none
    plies: NDArray[np.int64]  #: [K]
    people: NDArray[np.int64]  #: [K]
    ratings: NDArray[np.int64]  #: [K]


def row_features(turns: OwnTurns) -> Floats:
    """Return the features of all rows, [K, 5]."""
    # Before the first turn the game is even.
    latest = [turns.before(n, turns.chances, CUT[1]) for n in range(1, TURNS)]
    return features(turns.ratings[turns.side], np.column_stack([turns.chances, *latest]))


def may_resign(turns: OwnTurns, earliest: int = EARLIEST) -> Flags:
    """Return at which rows [K] a side may resign, or has done so.

    A side that resigns after its own move does so at its next turn, which the game has no more:
    the row is the end, where the opponent is to move.
    """
    ends = turns.last & ~turns.gave_up[turns.side]
    timely = (turns.increments[turns.side] != 0) | (turns.plies < TIMELY)
    return ~turns.over & ~ends & timely & (turns.plies >= earliest)


def choose(turns: OwnTurns, rows: Floats, earliest: int = EARLIEST) -> Chosen:
    """Return the turns at which the game is bad enough."""
    kept = may_resign(turns, earliest) & (turns.chances <= MOST)
    side = turns.side[kept]
    return Chosen(
        rows[kept],
        (turns.last & turns.gave_up[turns.side])[kept],
        turns.chances[kept],
        turns.evals[kept],
        turns.plies[kept],
        turns.people[side],
        turns.ratings[side],
    )


def choose_early(turns: OwnTurns, rows: Floats) -> Chosen:
    """Return the turns before EARLIEST."""
    every = choose(turns, rows, 0)
    early = every.plies < EARLIEST
    return Chosen(*(getattr(every, name)[early] for name in Chosen.__dataclass_fields__))


def share(happened: Flags, people: NDArray[np.int64]) -> list[float]:
    """Return a share and its interval, of rows of people; nothing without rows."""
    if not len(happened):
        return []
    estimate = cluster_mean(happened.astype(float), people)
    return rounded(np.array([estimate.mean, *np.clip(estimate.interval, 0, 1)]))


def rounded(values: NDArray) -> list[float]:
    """Return numbers for JSON."""
    return [round(float(x), 4) for x in values]
