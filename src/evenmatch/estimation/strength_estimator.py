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
from evenmatch.estimation.methods import NO_MOVES, Method
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.network.card import BETA
from evenmatch.ratings.ranks import Ranks
from evenmatch.records.record import NAMELESS, GameRecord


class PlayerGame(NamedTuple):
    """A game as one of its players played it."""

    record: GameRecord
    side: int  #: 1 for the player who moved first, -1 for the other

    @property
    def number(self) -> int:
        """The player's place in the record's pairs: 0 for who moved first, else 1."""
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


class Scorer(Protocol):
    """Rates moves."""

    def __call__(self, games: Sequence[PlayerGame]) -> MoveFeatures:
        """Return what it says of the players' own moves."""
        ...


@dataclass(frozen=True)
class Estimate:
    """How strong someone is by their games."""

    rank: int  #: 1 the strongest
    rating: float
    score: float  #: mean beta
    moves: int
    interval: tuple[float, float] | None = None  #: holds the rating with 95%, if the method says so


class StrengthEstimator:
    """Ranks players by their moves: ``scorer`` rates them, ``method`` says what that amounts to."""

    def __init__(self, scorer: Scorer, method: Method):
        self.scorer = scorer
        self.method = method

    @property
    def ranks(self) -> Ranks:
        """The ranks that are estimated."""
        return self.method.ranks

    def fit(self, games: Sequence[PlayerGame]) -> "StrengthEstimator":
        """Learn what each rank's games amount to from candidate games with ratings; return itself.

        Candidates must be other players than those to be asked about. UsageError if a rank has no
        moves.
        """
        ratings = np.array([np.nan if game.rating is None else game.rating for game in games])
        moves = self.scorer(games)
        self.method.learn(moves, ratings, player_numbers(games))
        self.method.fit(self.method.evidence(moves), self.ranks.of(ratings))
        return self

    def score(self, games: Sequence[PlayerGame]) -> float:
        """Return the mean score beta of the players' own moves in all games; eq. 3."""
        return _mean_beta(self.scorer(games))

    def predict_rank(self, games: Sequence[PlayerGame]) -> Estimate:
        """Return the rank of the one player of these games. UsageError before ``fit``."""
        moves = self.scorer(games)
        score = _mean_beta(moves)
        speeds = [game.record.speed for game in games]
        evidence = self.method.at_speeds(self.method.evidence(moves), speeds).sum(0)[None]
        (estimate,) = estimates(self.method, evidence, [score], [moves.moves])
        return estimate


def estimates(
    method: Method, evidence: NDArray, scores: Sequence[float], moves: Sequence[int]
) -> list[Estimate]:
    """Return the verdicts on n people, whose evidence [n, D] is added up, as estimates."""
    verdicts = method.decide(evidence, one_player=True)
    ends: list[tuple[float, float] | None] = [None] * len(scores)
    if verdicts.intervals is not None:
        ends = [(low, high) for low, high in verdicts.intervals.tolist()]
    rows = zip(verdicts.ranks.tolist(), verdicts.ratings.tolist(), scores, moves, ends, strict=True)
    return [Estimate(*row) for row in rows]


def _mean_beta(moves: MoveFeatures) -> float:
    if not moves.moves:
        raise UsageError(NO_MOVES)
    return float(moves.columns[STRENGTH][:, BETA].mean(dtype=np.float64))


def player_numbers(games: Sequence[PlayerGame]) -> NDArray[np.int64]:
    """Number the players of games by their names; -1 for those without one."""
    names = [game.name for game in games]
    known = {name: number for number, name in enumerate(dict.fromkeys(filter(None, names)))}
    return np.array([known.get(name, -1) for name in names], np.int64)
