"""Moves of people of all ranks, drawn from recorded games."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation import Ranks
from evenmatch.games.chess.actions import actions_of_moves
from evenmatch.records.dataset import Dataset, Sides

SEED = 9


class MovesByRank:
    """Moves of people of all ranks."""

    def __init__(self, folder: Path, most: int):
        """Draw ``most`` moves of each rank from the query players' own."""
        rng, dataset = np.random.default_rng(SEED), Dataset.open(folder)
        self.ranks = Ranks()
        turns = [self._turns(dataset, rank, most, rng) for rank in range(1, 1 + self.ranks.count)]
        self.labels = np.repeat(np.arange(1, 1 + self.ranks.count), [len(g) for g, _ in turns])
        games, self.plies = (np.concatenate(x) for x in zip(*turns, strict=True))
        self.ratings = dataset.games["ratings"][games, self.plies % 2].astype(float)
        self.people = dataset.games["players"][games, self.plies % 2].astype(np.int64)
        self.states, self.moves = dataset.states(games, self.plies)
        self.actions = actions_of_moves(self.states, self.moves)

    def _turns(
        self, dataset: Dataset, rank: int, most: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        low = self.ranks.highest - rank * self.ranks.width
        chosen = dataset.select(split="query", band=(low, low + self.ranks.width))
        games, plies = dataset.turns(Sides(chosen.games, chosen.sides))
        kept = rng.permutation(len(games))[:most]
        return games[kept], plies[kept]
