"""Points that players at ranks lose beside people: which parts there are, and the page."""

import numpy as np
import pytest
from random_go_games import random_go_dataset

from evenmatch.errors import UsageError
from evenmatch_lab.ours import rank_points


def test_players_are_judged_where_people_are(tmp_path):
    """Full strength alone, which needs no network of people, on a 9x9 board."""
    dataset = random_go_dataset(tmp_path / "ogs", ranks=("15k", "14k"), shares=(0, 0, 0, 1))
    parts = rank_points.parts(True, [dataset.folder], [])
    base, full = parts["ogs 15k: people"], parts["ogs 15k: alphazero"]
    assert full.needs == ("ogs 15k: people",)
    done = {"ogs 15k: people": base.run(lambda *_: None, {})}
    row = full.run(lambda *_: None, done)
    assert len(row["losses"]) == len(done["ogs 15k: people"]["losses"]) == 6
    assert 0 <= row["alike"] <= 6
    assert np.mean(row["losses"]) < np.mean(done["ogs 15k: people"]["losses"]), "random moves"


def test_five_ranks_are_judged(tmp_path):
    assert sum(map(len, rank_points.RATINGS.values())) == 5
    other = random_go_dataset(tmp_path / "else").folder
    with pytest.raises(UsageError, match="of none of the servers ogs and kgs"):
        rank_points.parts(True, [other], [])
