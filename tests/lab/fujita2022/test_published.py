"""The papers' numbers as we hold them, against what the papers say elsewhere."""

import pytest

from evenmatch_lab.fujita2022.dda_tables import mean_imbalance, paper_rows
from evenmatch_lab.fujita2022.published import DDA_TABLES
from evenmatch_lab.shared.opponents import OPPONENTS, metric_d


@pytest.mark.parametrize("game", DDA_TABLES)
@pytest.mark.parametrize("method", ["alphadda1", "alphadda2", "alphadda3"])
def test_tables_are_whole(game, method):
    table = DDA_TABLES[game][method]
    assert list(table) == list(OPPONENTS)
    assert all(sum(first) == sum(second) == 50 for first, second in table.values())


def test_mean_imbalance():
    known = {"connect4": (0.35, 0.47), "othello6": (0.44, 0.50), "othello": (0.32, 0.40)}
    for game, values in known.items():
        for method, value in zip(("alphadda1", "alphadda2"), values, strict=True):
            assert mean_imbalance(paper_rows(game, method)) == pytest.approx(value, abs=0.006)


def test_sides_add_up_to_the_tables_of_both():
    """Lines of tables 5, 8 and 11, as the paper prints them."""
    for game, method, name, both_sides in (
        ("connect4", "alphadda1", "AlphaZero", (2, 2, 96)),
        ("othello6", "alphadda3", "Minimax2", (63, 6, 31)),
        ("othello", "alphadda2", "MCTS4", (73, 21, 6)),
    ):
        first, second = DDA_TABLES[game][method][name]
        assert tuple(a + b for a, b in zip(first, second, strict=True)) == both_sides


def test_metric_d():
    """Eq. 11 by hand: |3 - 1| + |0 - 4| + |2 - 2| + |0 - 0|."""
    rows = {
        "MCTS1": {"first": [3, 1, 0], "second": [0, 4, 0]},
        "Random": {"first": [2, 2, 0], "second": [0, 0, 4]},
    }
    assert metric_d(rows) == 6
