"""Games as one of their players played them, and their evaluations: recorded, or new ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.records.codec import codec_for
from evenmatch.records.record import MOST_EVAL, NAMELESS, NO_EVAL, GameRecord, chances


class PlayerGame(NamedTuple):
    """A game as one of its players played it."""

    record: GameRecord
    side: int  #: 1 for the player who moved first, -1 for the other

    @property
    def number(self) -> int:
        """The player's index in the record's pairs: 0 if they moved first, otherwise 1."""
        return 0 if self.side == 1 else 1

    @property
    def rating(self) -> int | None:
        """The rating the player had."""
        return self.record.ratings[self.number]

    @property
    def name(self) -> str:
        """The player's name; empty if it is unknown."""
        name = self.record.players[self.number].strip()
        return "" if name in NAMELESS else name

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which of the player's moves that were answered count as theirs, [moves].

        Those that they did not choose alone do not.
        """
        answered = slice(self.number, max(len(self.record.moves) - 1, 0), 2)
        if self.record.aided is None:
            return np.ones(len(self.record.moves[answered]), np.bool_)
        return np.logical_not(self.record.aided[answered])


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


MOST = 2000.0  #: centipawns that evaluations are cut to, by which the shipped estimator was fitted


def winning_chances(centipawns: NDArray) -> NDArray[np.float64]:
    """Return the chance of the side they are for, from 0 to 1."""
    return chances(centipawns, MOST)


def evals_around(
    evals: NDArray[np.int16] | None, second: bool, count: int, start: float
) -> NDArray[np.float32]:
    """Return a side's evaluations before and after its first ``count`` moves, [count, 2].

    ``evals`` [plies] are those after each move, for the first player; the result is for the side
    itself, which is the ``second`` player or not. ``start`` is the first player's before the first
    move. NaN where the record has none.
    """
    if evals is None:
        return np.full((count, 2), np.nan, np.float32)
    known = np.where(evals == NO_EVAL, np.nan, evals.astype(np.float32))
    around = np.stack([np.concatenate([[start], known[:-1]]), known], 1)[second::2]
    return np.asarray((-around if second else around)[:count], np.float32)


def lost_chances(evals: NDArray) -> NDArray[np.float64]:
    """Return what each move lost of the chance to win, [M] of [M, 2], from 0; NaN: not known."""
    before, after = winning_chances(evals).T
    return np.where(np.isnan(before + after), np.nan, np.maximum(before - after, 0.0))
