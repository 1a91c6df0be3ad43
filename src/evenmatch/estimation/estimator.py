"""The strength estimator of Chen et al. 2025: a rank from moves (section 4.2).

A network rates every move. What its ratings of a game amount to is for a method to say
(``methods``); what each rank's games amount to is learned from candidate games.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.methods import Method
from evenmatch.estimation.outputs import STRENGTH, MoveOutputs
from evenmatch.estimation.ranks import Ranks
from evenmatch.network.strength_head import BETA
from evenmatch.records.record import GameRecord


class PlayerGame(NamedTuple):
    """A game as one of its players played it."""

    record: GameRecord
    side: int  #: 1 for the player who moved first, -1 for the other


class Scorer(Protocol):
    """Rates moves."""

    def __call__(self, games: Sequence[PlayerGame]) -> MoveOutputs:
        """Return what it says of the players' own moves."""
        ...


@dataclass(frozen=True)
class Estimate:
    """How strong someone is by their games."""

    rank: int  #: 1 the strongest
    rating: float
    score: float  #: mean beta
    moves: int
    deviation: float | None = None  #: standard deviation of the rating, if the method tells it


class StrengthEstimator:
    """Ranks players by their moves: ``scorer`` rates them, ``method`` sums up, ``ranks`` are asked
    for."""

    def __init__(self, scorer: Scorer, method: Method, ranks: Ranks | None = None):
        self.scorer = scorer
        self.method = method
        self.ranks = ranks or Ranks()

    def fit(self, games: Sequence[PlayerGame]) -> "StrengthEstimator":
        """Learn what each rank's games amount to from candidate games with ratings; return itself.

        Candidates must be other players than those to be asked about. UsageError if a rank has no
        moves.
        """
        known = [rating_of(game) for game in games]
        ratings = np.array([np.nan if r is None else r for r in known])
        labels = self.ranks.of(ratings)
        moves = self.scorer(games)
        self.method.learn(moves, ratings, self.ranks, player_numbers(games))
        self.method.fit(self.method.evidence(moves), labels, self.ranks)
        return self

    def score(self, games: Sequence[PlayerGame]) -> float:
        """Return the mean score beta of the players' own moves in all games; eq. 3."""
        return _mean_beta(self.scorer(games))

    def predict_rank(self, games: Sequence[PlayerGame]) -> Estimate:
        """Return the rank of the one player of these games. UsageError before ``fit``."""
        moves = self.scorer(games)
        score = _mean_beta(moves)
        found = self.method.decide(self.method.evidence(moves).sum(0)[None], self.ranks)
        deviation = None if found.deviations is None else float(found.deviations[0])
        return Estimate(int(found.ranks[0]), float(found.ratings[0]), score, moves.moves, deviation)


def _mean_beta(moves: MoveOutputs) -> float:
    if not moves.moves:
        raise UsageError("no moves to judge; give games in which the player moved")
    return float(moves.columns[STRENGTH][:, BETA].mean(dtype=np.float64))


def player_numbers(games: Sequence[PlayerGame]) -> NDArray[np.int64]:
    """Number the players of games by their names; -1 for those without one."""
    names = [game.record.players[0 if game.side == 1 else 1] for game in games]
    known = {name: number for number, name in enumerate(dict.fromkeys(filter(None, names)))}
    return np.array([known.get(name, -1) for name in names], np.int64)


def rating_of(game: PlayerGame) -> int | None:
    """Return the rating the player had."""
    return game.record.ratings[0 if game.side == 1 else 1]
