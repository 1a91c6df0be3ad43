"""Points that players at ranks lose beside people: which parts there are, and the page."""

import numpy as np
import pytest
from random_go_games import random_go_dataset

from evenmatch.errors import UsageError
from evenmatch_lab.ours import rank_points


def results(more, people=100):
    """A player who loses so much more than people, give or take 0.1, in four positions each."""
    theirs = np.tile([0.0, 1, 2, 3], people)
    gives = np.repeat(np.tile([-0.1, 0.1], people // 2), 4)
    settings = {"judge": {"visits": 50}, "of one": 10}
    return {
        "ogs 5k: people": {
            "settings": settings,
            "losses": theirs.tolist(),
            "movers": np.repeat(np.arange(people), 4).tolist(),
        },
        "ogs 5k: pikl": {
            "settings": settings, "losses": (theirs + more + gives).tolist(), "alike": 100,
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (0.0, "+0.00 ± 0.02: equivalent within 0.5 points"),
        (0.4, "+0.40 ± 0.02: equivalent within 0.5 points"),
        (0.6, "+0.60 ± 0.02: different"),
        (-0.6, "-0.60 ± 0.02: different"),
    ],
)
def test_verdicts_go_by_the_bound(more, words):
    text = "\n".join(rank_points.page(results(more)))
    assert f"| pikl | {words} |" in text
    assert "| people | 1.50 ± 0.00 |" in text
    assert "ogs 5k: 400 positions of 100 people" in text
    assert "(25%)" in text


def test_few_people_leave_it_undecided():
    few = results(0.0, people=2)
    few["ogs 5k: pikl"]["losses"] = [5.0, -5, 3, 2, 6, 1, 0, 4]
    text = "\n".join(rank_points.page(few))
    assert "undecided" in text


def test_a_plot_is_drawn(tmp_path):
    rank_points.plot(results(0.1), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000


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
