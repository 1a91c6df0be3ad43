"""Recorded games to learn and estimate ranks from: some of every rank, few of one player."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.move_features import (
    BLOCK,
    EVALS,
    MADE,
    AnsweredMoves,
    MoveFeatures,
    NetworkScorer,
    joined,
    stacked,
)
from evenmatch.estimation.player_games import evals_around
from evenmatch.games.catalog import game_info
from evenmatch.progress import Progress, ignore
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset, Sides

SEED = 8
#: Sides per rank, by split, by architecture of the networks: to evaluate a position of 19x19 Go
#: takes some twenty times as long as one of chess.
MOST_SIDES = {
    "resnet": {"tune": 4000, "candidate": 2000, "query": 2000},
    "katago": {"tune": 150, "candidate": 150, "query": 100},
}
#: Sides per rank and split on a scale of many narrow ranks, which would otherwise take hours.
MOST_OF_SCALE = {"kgs": 30}
MOST_GAMES = 10  #: of one player in a rank and split
#: Own moves; shorter games contain no evidence, and the authors' have over 10 of both sides.
LEAST_MOVES = 5


class Rated(NamedTuple):
    """G sides of games of one split, and what a network says of their moves."""

    sides: Sides
    labels: NDArray[np.int64]  #: [G] ranks
    ratings: NDArray[np.float64]  #: [G]
    players: NDArray[np.int64]  #: [G]
    moves: MoveFeatures


Score = Callable[[Dataset, Sides, Progress], MoveFeatures]
"""What rates the own moves of sides of a dataset; the progress is of moves done and due."""
Evals = Callable[[int], NDArray[np.int16] | None]


def rate(
    score: Score,
    dataset: Dataset,
    ranks: Ranks,
    most: Mapping[str, int],
    progress: Progress,
) -> dict[str, Rated]:
    """Let a network rate the moves of ``most`` games of each rank, by split."""
    rated = {}
    for at, (split, count) in enumerate(most.items()):

        def report(done: int, due: int, at: int = at) -> None:
            progress(at * due + done, len(most) * due)

        sides, labels = choose(dataset, split, ranks, count)
        moves = score(dataset, sides, report)
        rated[split] = Rated(sides, labels, *known_of(dataset, sides), moves)
    return rated


def score_sides(
    scorer: NetworkScorer,
    dataset: Dataset,
    chosen: Sides,
    progress: Progress = ignore,
    most: int | None = None,
) -> MoveFeatures:
    """Rate the own moves of sides of a dataset; ``progress`` hears of moves done and due.

    They are all, or the first so many as ``most``.
    """
    counts = answered(dataset.games["plies"][chosen.games], chosen.sides)
    if most is not None:
        counts = np.minimum(counts, most)
    games = np.repeat(chosen.games, counts)
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    plies = 2 * number + np.repeat(chosen.sides, counts)
    parts = []
    for at in range(0, max(len(games), 1), BLOCK):
        of, when = games[at : at + BLOCK], plies[at : at + BLOCK]
        before, actions = dataset.turns_at(of, when)
        after = dataset.states(of, when + 1).states
        parts.append(scorer.rate(AnsweredMoves(before, actions, after))[0])
        progress(min(at + BLOCK, len(games)), len(games))
    evals = evals_of(dataset, chosen, counts, dataset.evals)
    recorded = {EVALS: evals, MADE: np.zeros((len(evals), 1), np.float32)}
    return MoveFeatures(joined(parts) | recorded, counts)


def evals_of(
    dataset: Dataset, chosen: Sides, counts: NDArray[np.int64], of_game: Evals
) -> NDArray[np.float32]:
    """Return the column EVALS of the first moves of sides, so many of each as ``counts`` [G].

    ``of_game`` returns the evaluations of a game by its number, as `Dataset.evals` does.
    """
    start = dataset.codec.start_eval
    return stacked(
        [
            evals_around(of_game(int(game)), bool(side), count, start)
            for game, side, count in zip(chosen.games, chosen.sides, counts, strict=True)
        ]
    )


def answered(plies: NDArray, sides: NDArray) -> NDArray[np.int64]:
    """Return how many own moves of a side (0 moves first) have a reply, in games of ``plies``."""
    return np.maximum(plies.astype(np.int64) - sides, 0) // 2


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
