"""The papers' numbers as we hold them, against what the papers say elsewhere."""

import pytest

from evenmatch_lab.fujita2022.dda_tables import METHODS, paper_rows
from evenmatch_lab.fujita2022.published import DDA_TABLES
from evenmatch_lab.shared.imbalances import mean_imbalance
from evenmatch_lab.shared.opponents import OPPONENTS, metric_d

#: Tables 5, 8 and 11 as the paper prints them, in hundredths: AlphaDDA1, 2 and 3.
BOTH = {
    "connect4": {
        "AlphaZero": ((2, 2, 96), (1, 19, 80), (0, 72, 28)),
        "MCTS1": ((22, 76, 2), (29, 67, 4), (0, 100, 0)),
        "MCTS2": ((46, 54, 0), (55, 42, 3), (1, 98, 1)),
        "MCTS3": ((32, 63, 5), (39, 52, 9), (0, 98, 2)),
        "MCTS4": ((58, 41, 1), (79, 20, 1), (2, 95, 3)),
        "Minimax1": ((69, 30, 1), (73, 27, 0), (0, 99, 1)),
        "Minimax2": ((68, 32, 0), (94, 6, 0), (4, 96, 0)),
        "Random": ((98, 2, 0), (100, 0, 0), (46, 49, 5)),
    },
    "othello6": {
        "AlphaZero": ((23, 62, 15), (19, 80, 1), (0, 100, 0)),
        "MCTS1": ((29, 61, 10), (27, 67, 6), (1, 98, 1)),
        "MCTS2": ((57, 38, 5), (55, 38, 7), (0, 93, 7)),
        "MCTS3": ((40, 54, 6), (52, 44, 4), (2, 98, 0)),
        "MCTS4": ((62, 33, 5), (69, 28, 3), (3, 92, 5)),
        "Minimax1": ((65, 34, 1), (75, 19, 6), (27, 44, 29)),
        "Minimax2": ((96, 4, 0), (95, 5, 0), (63, 6, 31)),
        "Random": ((96, 2, 2), (94, 4, 2), (40, 44, 16)),
    },
    "othello": {
        "AlphaZero": ((56, 44, 0), (47, 50, 3), (0, 100, 0)),
        "MCTS1": ((35, 60, 5), (35, 62, 3), (0, 96, 4)),
        "MCTS2": ((52, 43, 5), (55, 37, 8), (1, 92, 7)),
        "MCTS3": ((36, 56, 8), (46, 45, 9), (1, 98, 1)),
        "MCTS4": ((71, 27, 2), (73, 21, 6), (5, 89, 6)),
        "Minimax1": ((64, 32, 4), (74, 22, 4), (13, 67, 20)),
        "Minimax2": ((59, 39, 2), (82, 17, 1), (13, 87, 0)),
        "Random": ((96, 3, 1), (99, 1, 0), (43, 38, 19)),
    },
}


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


@pytest.mark.parametrize("game", BOTH)
def test_sides_add_up_to_the_tables_of_both(game):
    for name, by_method in BOTH[game].items():
        for method, whole in zip(METHODS, by_method, strict=True):
            first, second = DDA_TABLES[game][method][name]
            assert tuple(a + b for a, b in zip(first, second, strict=True)) == whole


def test_metric_d():
    """Eq. 11 by hand: |3 - 1| + |0 - 4| + |2 - 2| + |0 - 0|."""
    rows = {
        "MCTS1": {"first": [3, 1, 0], "second": [0, 4, 0]},
        "Random": {"first": [2, 2, 0], "second": [0, 0, 4]},
    }
    assert metric_d(rows) == 6
