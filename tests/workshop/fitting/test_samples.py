"""Games drawn to learn ranks from, of a dataset of random ones."""

import numpy as np
import pytest

from evenmatch.estimation import Ranks
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.fitting.samples import (
    LEAST_MOVES,
    choose,
    known_of,
    most_sides,
    turn_of_each,
    with_moves,
)


@pytest.fixture
def dataset(games_of_all_ranks):
    return Dataset.open(games_of_all_ranks)


def test_turns_of_labels():
    assert turn_of_each(np.array([5, 7, 5, 5, 7, 1])).tolist() == [0, 0, 1, 2, 1, 0]


def test_a_scale_of_many_narrow_ranks_has_fewer_sides_of_each():
    usual, fewer = most_sides("go"), most_sides("go", "kgs")
    assert usual == most_sides("go", "ogs")
    assert all(fewer[split] < usual[split] for split in usual)


def test_candidates_and_queries_are_other_people(dataset):
    ranks, of = Ranks(), {}
    for split in most_sides("chess"):
        sides, labels = choose(dataset, split, ranks, 100)
        ratings, players = known_of(dataset, sides)
        of[split] = set(players.tolist())
        assert len(sides.games) == len(labels) > 20
        assert (ranks.of(ratings) == labels).all()
    assert all(of.values())
    assert not of["tune"] & of["candidate"]
    assert not (of["tune"] | of["candidate"]) & of["query"]


def test_games_with_hardly_a_move_are_left_out(dataset):
    every = dataset.select(split="query")
    kept = with_moves(dataset, every)
    plies = dataset.games["plies"]
    dataset.games = dataset.games.copy()
    dataset.games["plies"][kept.games[0]] = 2 * LEAST_MOVES - 1
    fewer = with_moves(dataset, every)
    assert plies[kept.games[0]] > 2 * LEAST_MOVES
    assert len(fewer.games) == len(kept.games) - (kept.games == kept.games[0]).sum()
