"""Who goes on from rung to rung, on the smallest grids."""

import pytest

from evenmatch_lab.fujita2022 import grid_search
from evenmatch_lab.fujita2022.grid_search import measure


def quiet(done, total):
    """No progress bar."""


def settings(points, most=None):
    return {"points": points, "opponents": {"it": "random"}, "games": 4, "most": most, "seed": 1}


def test_a_rung_takes_the_best_of_the_one_before():
    done = {"before": {"ranked": [["random", 0.5], ["minimax1:depth=1", 0.7], ["minimax2", 0.9]]}}
    row = measure("connect4", settings(["ignored"], most=2), "before", quiet, done)
    assert {spec for spec, _ in row["ranked"]} == {"random", "minimax1:depth=1"}


def test_the_papers_d_by_hand():
    """AlphaDDA1 on 6x6 Othello, tables 9 and 10: 10 + 29, 16 + 16, 18 + 1, 39 + 8, 46 + 48.

    In very many games it is what it was in the paper's, but for what the 50 of a side stray.
    """
    d = grid_search.paper_d("othello6", "alphadda1", 100_000)
    assert d.interval.low < 2.31 < d.interval.high
    assert d.value == pytest.approx(2.31, abs=0.1)
