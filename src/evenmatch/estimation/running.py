"""Estimates of many players at once, from games that come one after another.

What a game says is added up for its player, so memory grows with the players alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.estimator import Estimate, PlayerGame, StrengthEstimator, rating_of
from evenmatch.estimation.outputs import STRENGTH
from evenmatch.network.strength_head import BETA


@dataclass
class Tally:
    """What is known of one player so far."""

    evidence: NDArray[np.float64]  #: the sum of the games', see ``Method.evidence``
    games: int = 0
    moves: int = 0
    beta: float = 0.0  #: the sum over the moves
    ratings: list[int] = field(default_factory=list)  #: told in the games


class RunningEstimates:
    """Adds games to players' tallies and estimates their ratings."""

    def __init__(self, estimator: StrengthEstimator):
        self.estimator = estimator
        self.tallies: dict[str, Tally] = {}

    def add(
        self, games: Sequence[PlayerGame], wanted: Callable[[str], bool] = lambda name: True
    ) -> None:
        """Add games to the tallies of their players, if they have a name that is ``wanted``."""
        names = [name_of(game) for game in games]
        kept = [i for i, name in enumerate(names) if name and wanted(name)]
        if not kept:
            return
        outputs = self.estimator.scorer([games[i] for i in kept])
        evidence = self.estimator.method.evidence(outputs)
        betas = outputs.sums(outputs.columns[STRENGTH][:, [BETA]])[:, 0]
        for at, i in enumerate(kept):
            tally = self.tallies.setdefault(names[i], Tally(np.zeros_like(evidence[at])))
            tally.evidence += evidence[at]
            tally.games += 1
            tally.moves += int(outputs.counts[at])
            tally.beta += float(betas[at])
            rating = rating_of(games[i])
            tally.ratings += [] if rating is None else [rating]

    def estimates(self) -> dict[str, Estimate]:
        """Return what is thought of everybody whose moves could be judged."""
        judged = {name: tally for name, tally in self.tallies.items() if tally.moves}
        if not judged:
            return {}
        summed = np.stack([tally.evidence for tally in judged.values()])
        found = self.estimator.method.decide(summed, self.estimator.ranks)
        deviations = [None] * len(judged) if found.deviations is None else found.deviations.tolist()
        rows = zip(judged.items(), found.ranks, found.ratings, deviations, strict=True)
        return {
            name: Estimate(int(rank), float(rating), tally.beta / tally.moves, tally.moves, off)
            for (name, tally), rank, rating, off in rows
        }


def name_of(game: PlayerGame) -> str:
    """Return the player's name; empty if it is not told (in PGN that is ``?``)."""
    name = game.record.players[0 if game.side == 1 else 1].strip()
    return "" if name == "?" else name
