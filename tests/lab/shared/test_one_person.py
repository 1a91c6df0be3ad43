import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.estimation import Method, MoveFeatures, Ranks, Verdicts
from evenmatch_lab.shared import one_person

RANKS = Ranks(lowest=1000, width=200, count=4)


def test_people_come_with_their_games(tmp_path):
    pairs = ((1050, 1250), (1450, 1650))
    dataset = random_dataset(tmp_path, games=300, shares=(0, 0, 0, 1), bands=pairs, each=3)
    chosen = one_person.choose(dataset, "query", RANKS, most=2)
    players = dataset.games["players"][chosen.games, chosen.sides]
    people, counts = np.unique(players, return_counts=True)
    assert len(people) == 2 * RANKS.count
    assert counts.tolist() == [3] * len(people)


class Told(Method):
    """Knows each game's rating but for a person's own error, which is in the evidence."""

    def evidence(self, moves):
        return np.column_stack([moves.columns["strength"][:, 0], np.ones(len(moves.counts))])

    def decide(self, evidence, one_player=False):
        ratings = evidence[:, 0] / evidence[:, 1]
        return Verdicts(RANKS.of(ratings), ratings, np.stack([ratings - 196, ratings + 196], 1))


def test_errors_are_of_persons():
    """50 people of 6 games each; the estimates of half of them are 300 too high."""
    people = np.repeat(np.arange(50), 6)
    truth = np.repeat(np.linspace(1050, 1750, 50), 6)
    said = truth + 300 * (people % 2)
    moves = MoveFeatures({"strength": said[:, None]}, np.ones(300, int))
    rows = one_person.measure(Told(), moves, truth, people)
    assert [row["games"] for row in rows] == [1, 2, 5]
    for row in rows:
        assert row["people"] == 50
        assert row["error"][0] == row["bias"] == pytest.approx(150)
        assert row["held"] == 0.5
        assert row["error"][1] < 150 < row["error"][2]
    table = "\n".join(one_person.lines({"told": rows}))
    assert "| told | 150 (" in table
    assert "| ... held | 50% | 50% | 50% |" in table
