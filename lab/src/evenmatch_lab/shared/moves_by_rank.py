"""Moves of people of all ranks, drawn from recorded games; of unrated games those of anyone."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.rating_scales import bands_of
from evenmatch.games.catalog import game_info
from evenmatch.workshop.datasets.dataset import Dataset, Sides

SEED = 9
UNRATED = "unrated"  #: the one group of a dataset without ratings


class MovesByRank:
    """Moves of people of all ranks."""

    def __init__(self, folder: Path, most: int):
        """Draw ``most`` moves of each rank from the query players' own."""
        rng, dataset = np.random.default_rng(SEED), Dataset.open(folder)
        self.game, scale = dataset.codec.game, folder.resolve().name
        self.bands = bands_of(scale, game_info(self.game.id))  #: of the ranks
        spans: list[tuple[int, int] | None] = [None]
        if dataset.games["ratings"].any():
            spans = list(self.bands.spans)
        self.groups = len(spans)  #: how many labels there are
        turns = [_turns(dataset, span, most, rng) for span in spans]
        self.labels = np.repeat(np.arange(1, 1 + self.groups), [len(g) for g, _ in turns])
        games, self.plies = (np.concatenate(x) for x in zip(*turns, strict=True))
        self.ratings = dataset.games["ratings"][games, self.plies % 2].astype(float)
        self.opponents = dataset.games["ratings"][games, 1 - self.plies % 2].astype(float)
        self.people = dataset.games["players"][games, self.plies % 2].astype(np.int64)
        self.states, self.moves = dataset.states(games, self.plies)
        self.actions = dataset.codec.actions(self.states, self.moves)


def _turns(
    dataset: Dataset, band: tuple[int, int] | None, most: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw ``most`` turns of query players of a band, of anyone if it is None."""
    chosen = dataset.select(split="query", band=band)
    games, plies = dataset.turns(Sides(chosen.games, chosen.sides))
    kept = rng.permutation(len(games))[:most]
    return games[kept], plies[kept]
