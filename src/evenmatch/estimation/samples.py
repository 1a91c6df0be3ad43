"""Recorded games to learn and estimate ranks from: some of every rank, few of one player."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.move_features import MoveFeatures
from evenmatch.estimation.scorer import answered
from evenmatch.games.catalog import game_info
from evenmatch.progress import Progress
from evenmatch.ratings.ranks import Ranks
from evenmatch.records.dataset import Dataset, Sides

SEED = 8
#: Of each rank, by split, by the architecture of the networks: to judge a position of 19x19 Go
#: takes some twenty times as long as one of chess.
MOST_SIDES = {
    "resnet": {"tune": 4000, "candidate": 2000, "query": 2000},
    "katago": {"tune": 150, "candidate": 150, "query": 100},
}
#: Of each rank and split on a scale of many narrow ranks, whose sides would else take hours.
MOST_OF_SCALE = {"kgs": 30}
MOST_GAMES = 10  #: of one player in a rank and split
#: Own ones; shorter games tell nothing, and the authors' have over 10 of both sides.
LEAST_MOVES = 5


class Rated(NamedTuple):
    """G sides of games of one split, and what a network says of their moves."""

    sides: Sides
    labels: NDArray[np.int64]  #: [G] ranks
    ratings: NDArray[np.float64]  #: [G]
    players: NDArray[np.int64]  #: [G]
    moves: MoveFeatures


class Scorer(Protocol):
    """What rates moves, such as `NetworkScorer`."""

    def of_dataset(self, dataset: Dataset, chosen: Sides, progress: Progress) -> MoveFeatures:
        """Rate the own moves of sides of a dataset; ``progress`` hears of moves done and due."""
        ...


def rate(
    scorer: Scorer,
    dataset: Dataset,
    ranks: Ranks,
    most: Mapping[str, int],
    progress: Progress,
) -> dict[str, Rated]:
    """Let a network rate the moves of ``most`` games of each rank, by split."""
    rated = {}
    for at, (split, count) in enumerate(most.items()):

        def told(done: int, due: int, at: int = at) -> None:
            progress(at * due + done, len(most) * due)

        sides, labels = choose(dataset, split, ranks, count)
        moves = scorer.of_dataset(dataset, sides, told)
        rated[split] = Rated(sides, labels, *known_of(dataset, sides), moves)
    return rated


def most_sides(game_id: str, scale: str = "") -> dict[str, int]:
    """Return how many sides of each rank of a scale are rated, by split."""
    usual = MOST_SIDES[game_info(game_id).architecture]
    return {split: MOST_OF_SCALE.get(scale, most) for split, most in usual.items()}


def choose(
    dataset: Dataset, split: str, ranks: Ranks, most: int
) -> tuple[Sides, NDArray[np.int64]]:
    """Draw so many sides of each rank, few of one player; return them and their ranks [G]."""
    rng = np.random.default_rng(SEED)
    every = with_moves(dataset, dataset.select(split=split))
    ratings, players = known_of(dataset, every)
    labels = ranks.of(ratings)
    drawn = []
    for rank in range(1, 1 + ranks.count):
        mixed = rng.permutation(np.nonzero(labels == rank)[0])
        drawn.append(mixed[turn_of_each(players[mixed]) < MOST_GAMES][:most])
    at = np.sort(np.concatenate(drawn))
    return Sides(every.games[at], every.sides[at]), labels[at]


def known_of(dataset: Dataset, sides: Sides) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the ratings [G] and players [G] of sides."""
    rows, at = dataset.games[sides.games], (np.arange(len(sides.games)), sides.sides)
    return rows["ratings"][at].astype(float), rows["players"][at].astype(np.int64)


def with_moves(dataset: Dataset, sides: Sides) -> Sides:
    """Return the sides with ``LEAST_MOVES`` that were answered, or more."""
    fits = answered(dataset.games["plies"][sides.games], sides.sides) >= LEAST_MOVES
    return Sides(sides.games[fits], sides.sides[fits])


def turn_of_each(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each label [n] has come up before, [n]."""
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    first = np.searchsorted(ordered, ordered)
    turns = np.empty(len(labels), np.int64)
    turns[order] = np.arange(len(labels)) - first
    return turns
