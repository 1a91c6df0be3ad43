"""How far ratings estimated from a person's own games are off: what a user of the estimator meets.

Figure 6 mixes the games of many people of one rank. Here every estimate is of one query player,
with peculiarities that more games do not average out. Compared with the mean of the ratings that
the games had.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation import Method, MoveFeatures, Ranks
from evenmatch.workshop.datasets.dataset import Dataset, Sides
from evenmatch.workshop.fitting.fitting import LEAST_TWICE
from evenmatch.workshop.fitting.samples import SEED, turn_of_each, with_moves
from evenmatch_lab.pages import table

NUMBERS = (1, 2, 5, 10, 20)  # games of a person
PEOPLE = 60  # at most, of each rank
PEOPLE_OF_SCALE = {"kgs": 5}  # of nine narrow ranks, whose players have many games


def choose(dataset: Dataset, split: str, ranks: Ranks, most: int = PEOPLE) -> Sides:
    """Draw ``most`` people of each rank who have two games or more, and up to 20 games of each.

    Where hardly anyone has two games, those who have one are drawn too.
    """
    rng, every = np.random.default_rng(SEED), with_moves(dataset, dataset.select(split=split))
    players = dataset.games["players"][every.games, every.sides]
    ratings = dataset.games["ratings"][every.games, every.sides].astype(float)
    known = ratings > 0
    _, of, counts = np.unique(players, return_inverse=True, return_counts=True)
    rated = np.bincount(of, known)
    middle = np.bincount(of, ratings) / np.maximum(rated, 1)
    labels = np.where(rated == counts, ranks.of(middle), 0)
    twice = (labels > 0) & (counts > 1)
    if twice.sum() >= LEAST_TWICE:
        labels[~twice] = 0
    of_rank = [np.nonzero(labels == rank)[0] for rank in range(1, 1 + ranks.count)]
    people = np.concatenate([rng.permutation(people_of_rank)[:most] for people_of_rank in of_rank])
    shuffled = rng.permutation(len(of))
    sides = shuffled[np.isin(of[shuffled], people)]
    kept = np.sort(sides[turn_of_each(of[sides]) < NUMBERS[-1]])
    return Sides(every.games[kept], every.sides[kept])


def measure(
    method: Method, moves: MoveFeatures, ratings: NDArray, players: NDArray
) -> list[dict[str, Any]]:
    """Return the errors by number of games, each of the people who have as many or more."""
    evidence = method.evidence(moves)
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(players))
    turns = np.empty(len(players), np.int64)
    turns[order] = turn_of_each(players[order])
    rows = []
    for number in NUMBERS:
        people, counts = np.unique(players, return_counts=True)
        chosen = np.isin(players, people[counts >= number]) & (turns < number)
        who, of = np.unique(players[chosen], return_inverse=True)
        if len(who) < 2:  # one person tells no interval
            break
        summed = np.zeros((len(who), evidence.shape[1]))
        np.add.at(summed, of, evidence[chosen])
        truth = np.bincount(of, ratings[chosen]) / number
        rows.append({"games": number, **_errors(method, summed, truth, rng)})
    return rows


def _errors(
    method: Method, evidence: NDArray, truth: NDArray, rng: np.random.Generator
) -> dict[str, Any]:
    """Return mean and bias of the errors, and how many intervals hold the truth."""
    verdicts = method.decide(evidence, one_player=True)
    off = verdicts.ratings - truth
    drawn = rng.integers(0, len(off), (1000, len(off)))
    low, high = np.quantile(np.abs(off)[drawn].mean(1), (0.025, 0.975))
    held = None
    if verdicts.intervals is not None:
        low_end, high_end = verdicts.intervals.T
        held = round(float(((low_end <= truth) & (truth <= high_end)).mean()), 3)
    return {
        "people": len(off),
        "error": [round(float(x), 1) for x in (np.abs(off).mean(), low, high)],
        "bias": round(float(off.mean()), 1),
        "held": held,
    }


def lines(rows: dict[str, list[dict[str, Any]]], unit: str = "Elo") -> list[str]:
    """Write the table; ``rows`` by method, in ``unit``. Nothing if nobody has two games."""
    if not any(rows.values()):
        return []
    first = next(iter(rows.values()))
    cells = [["people", *(row["people"] for row in first)]]
    for name, found in rows.items():
        errors = (row["error"] for row in found)
        cells.append([name, *(f"{x:.0f} ({low:.0f}-{high:.0f})" for x, low, high in errors)])
        if found[0]["held"] is not None:
            cells.append(["... held", *(f"{row['held']:.0%}" for row in found)])
    caption = f"One person's games: mean absolute error of the rating, {unit} (95%):"
    return ["", caption, "", table(["method", *(f"{row['games']} games" for row in first)], cells)]
