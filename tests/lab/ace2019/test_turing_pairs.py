"""How the pairs that ship are made: of whose games, and from which results."""

from types import SimpleNamespace

import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch_lab.ace2019 import turing, turing_pairs
from evenmatch_lab.shared.agents import CLASSES


@pytest.fixture
def short(monkeypatch):
    """Games that are shown as far as random ones go."""
    monkeypatch.setattr(turing, "SEEN", 12)
    monkeypatch.setattr(turing_pairs, "PLIES", 25)


@pytest.fixture
def dataset(tmp_path, short):
    return of_people_rated(tmp_path, 1200, 1299)


def of_people_rated(folder, *ratings):
    """Return a dataset of games of two people with such ratings."""
    random_dataset(folder, games=90, shares=(34, 0, 33, 33), bands=(ratings,))
    return Dataset.open(folder / "dataset")


def test_games_of_people_are_of_two_of_the_class(dataset):
    games = turing_pairs.people_games(dataset, 1200, 5)
    assert len(set(games)) == 5
    assert {len(moves) for moves in games} == {25}
    assert games == turing_pairs.people_games(dataset, 1200, 5)


def test_games_that_went_on_after_a_draw_are_left_out(dataset, monkeypatch):
    def over(states, game):
        return np.arange(len(states)) < len(states) - 1

    monkeypatch.setattr(turing_pairs, "still_open", over)
    with pytest.raises(UsageError, match="are needed"):
        turing_pairs.people_games(dataset, 1200, 5)


def test_short_games_of_players_are_left_out_and_long_ones_cut(short):
    texts = [" ".join(["e2e4"] * plies) for plies in (24, 25, 49)]
    assert [len(moves) for moves in turing_pairs.long_games(texts)] == [25, 25]


def test_pairs_of_every_class_and_player_in_no_order(monkeypatch):
    monkeypatch.setattr(turing_pairs, "PLIES", 2)
    monkeypatch.setattr(turing_pairs, "EACH", 2)
    monkeypatch.setattr(
        turing_pairs,
        "people_games",
        lambda dataset, lowest, most: [("p", f"{lowest} {k}") for k in range(most)],
    )
    rows = {
        turing_pairs.part_of("rapid", label, player): {
            "settings": {"agent": f"{player}:elo={lowest + 50}"},
            "games": [f"{player} {label}{k}" for k in range(3)],
        }
        for label, lowest in CLASSES.items()
        for player in turing_pairs.PLAYERS
    }
    made = turing_pairs.pairs(SimpleNamespace(), "rapid", rows)
    assert made == turing_pairs.pairs(SimpleNamespace(), "rapid", rows)
    assert len(made) == len({pair.people for pair in made}) == len(CLASSES) * 4 * 2
    labels = [pair.label for pair in made]
    assert labels != sorted(labels, key=list(CLASSES).index)
    for pair in made:
        player, elo = pair.player.split(":elo=")
        assert pair.program.moves[0] == player
        assert pair.program.moves[1].startswith(pair.label)
        assert pair.people.moves[1].startswith(str(pair.lowest))
        assert int(elo) == pair.lowest + 50
