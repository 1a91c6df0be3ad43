"""How often intervals of levels hold the truth, of rows made up."""

import numpy as np
import pytest

from evenmatch.arena import Pairing, Played
from evenmatch_lab.ours.board_levels import finding, finished, holds, page

TOLD = [[[1500, 1400, 1600], [1520, 1450, 1590]], [[1400, 1300, 1480], [1450, 1395, 1505]]]


@pytest.fixture
def results():
    settings = {"rounds": 2, "games": 2}
    return {
        "MCTS3 truth": {"elo": 1500.0, "ends": [1450.0, 1550.0]},
        "MCTS3 against MCTS2": {"settings": settings, "told": TOLD, "distinct": 4},
    }


def test_an_interval_holds_the_truth_or_not():
    assert holds(TOLD, 1, 1500).tolist() == [True, False]
    assert holds(TOLD, 2, 1500).tolist() == [True, True]
    assert holds(TOLD, 2, 1392).tolist() == [False, False]


def test_the_page(results):
    text = "\n".join(page(results))
    assert "| MCTS3 | 1500 (1450 to 1550) | MCTS2 | 50.0% (9.5% to 90.5%) | 1485 ± 62 |" in text
    assert finding(results, 2)[0].startswith(
        "- After 2 games the interval holds the truth in 100% of 2 rounds"
    )


def test_where_it_holds_too_little(results):
    results["MCTS3 truth"]["elo"] = 1700.0
    assert "It is shown to hold too little for: MCTS3 against MCTS2." in finding(results, 2)[0]


@pytest.mark.parametrize("first", [0, 1])
def test_a_game_is_the_first_entrants(first):
    game = finished(Played(Pairing(first, 1 - first), 1.0, (3, 3)), "a", "style:elo=1500", 7)
    assert (game.saved.side, game.outcome.result) == ((1, 1) if first == 0 else (-1, -1))
    assert game.outcome.level == 1500
    other = finished(Played(Pairing(0, 1), 0.0, (3,)), "a", "mcts:sims=100", 7)
    assert np.isclose(other.outcome.level, 1535)
