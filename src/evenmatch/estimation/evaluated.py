"""Evaluations for games that were recorded without them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.strength_estimator import PlayerGame
from evenmatch.records.codec import codec_for
from evenmatch.records.record import MOST_EVAL, NO_EVAL, GameRecord

Evaluate = Callable[[Sequence[NDArray[np.uint64]]], list[NDArray[np.float64]]]
"""Tells of the states of games, [n, S] each, what they are worth to the first player, [n] each, in
centipawns."""


def lacks_evals(record: GameRecord) -> bool:
    """Return whether fewer than half of a game's moves have an evaluation."""
    known = 0 if record.evals is None else int((record.evals != NO_EVAL).sum())
    return 2 * known < len(record.moves)


def evaluated(games: Sequence[PlayerGame], evaluate: Evaluate) -> list[PlayerGame]:
    """Return the games with evaluations: their own, or those by ``evaluate`` where they lack them.

    A game that is there for both sides is evaluated once.
    """
    records = {id(one.record): one.record for one in games}
    lacking = [record for record in records.values() if lacks_evals(record)]
    if not lacking:
        return list(games)
    states = [codec_for(record.game).played(record.moves, record.start)[1:] for record in lacking]
    known = {
        id(record): replace(record, evals=as_recorded(worth), evals_made=True)
        for record, worth in zip(lacking, evaluate(states), strict=True)
    }
    return [one._replace(record=known.get(id(one.record), one.record)) for one in games]


def as_recorded(worth: NDArray[np.float64]) -> NDArray[np.int16]:
    """Return centipawns as records have them; see `GameRecord.evals`."""
    return np.clip(np.rint(worth), -MOST_EVAL, MOST_EVAL).astype(np.int16)
