"""The comparisons of the rules of Go, in small, and what they say of games that are wrong."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import go_beside
import go_recorded
import go_rules
from go_positions import KNOWN, boards_of, legal_boards, numbers_of, reachable_boards

from evenmatch.games.go import Go
from evenmatch.records.go.game_text import SgfGame

RESULTS = Path(__file__).parents[2] / "docs" / "results"


@pytest.mark.parametrize("size", [2, 3])
def test_legal_positions(size):
    assert legal_boards(size) == reachable_boards(size) == KNOWN[size]


def test_numbers_of_boards():
    boards = boards_of(numbers := np.arange(0, 3**9, 7), 9)
    assert (numbers_of(boards, 9) == numbers).all()
    assert not (boards[:, 0] & boards[:, 1]).any()


@pytest.mark.parametrize(("size", "positions"), [(4, 1500), (9, 1500), (19, 300)])
def test_equal_to_openspiel(size, positions):
    pytest.importorskip("pyspiel", reason="OpenSpiel absent: pip install evenmatch[test]")
    found = go_beside.beside_openspiel(size, positions, seed=size)
    assert found["positions"] >= positions
    assert found["differ"] == []


@pytest.mark.skipif(not go_beside.gnugo_version(), reason="GNU Go absent")
def test_equal_to_gnugo_and_a_difference_is_found(monkeypatch):
    """A ko on 5x5: two positions with a ban; then captures are told wrong by one."""
    game = Go(5)
    words = ["B5", "C5", "A4", "D4", "B3", "C3", "C4", "B4", "E1", "E2", "C4"]
    line = go_beside.Line(5, [game.read_action(game.initial()[0], word) for word in words])
    (row,) = go_beside.beside_gnugo([line])
    assert (row["positions"], row["captured"], row["differ"]) == (12, 2, [])
    assert row["banned"] > 0
    monkeypatch.setattr(Go, "captures", lambda self, states: np.array([[9, 0]]))
    (row,) = go_beside.beside_gnugo([line])
    assert len(row["differ"]) == 3


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("C3 C3", "a stone is there"),
        ("B5 E1 A4 A5", "suicide"),
        ("B5 C5 A4 D4 B3 C3 C4 B4 C4", "ko"),
        ("C3", "nothing, by the plain board"),
    ],
)
def test_what_is_wrong_with_a_move(moves, why):
    game = Go(5)
    actions = [game.read_action(game.initial()[0], word) for word in moves.split()]
    told = tuple((1 if ply % 2 == 0 else -1, action) for ply, action in enumerate(actions))
    assert go_recorded.fault_of(SgfGame(size=5, moves=told))["wrong"] == why


def test_results_as_numbers():
    texts = ("B+3.5", "w+12", "W+R", "B+", "0", "")
    assert [go_recorded.lead_of(text) for text in texts] == [3.5, -12.0, None, None, None, None]


def test_the_page_is_that_of_its_file():
    found = json.loads((RESULTS / "go_rules.json").read_text())
    assert (RESULTS / "go_rules.md").read_text() == go_rules.page(found)
    assert set(found["parts"]) == set(go_rules.PARTS)
