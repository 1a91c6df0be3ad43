"""Players at ranks of Go: which games are due, and what the page says of made-up ones."""

from dataclasses import replace

import pytest
from random_networks import random_network

from evenmatch.opponents.fitted import CHESS, LEVELS
from evenmatch.opponents.pikl import PiklParams
from evenmatch.ratings import Pentanomial
from evenmatch_lab.ours import rank_games

GNU, OURS = "GNU Go 10", rank_games.OURS


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A random network of people, and numbers of two ranks."""
    net = str(random_network(tmp_path / "n.onnx", ("ogs", "kgs"), game="go9"))
    monkeypatch.setattr(rank_games, "people_path", lambda _: net)
    fitted = replace(
        CHESS, pikl={1100: PiklParams(2, 1, 9), 3900: PiklParams(1, 1, 9)}, sa={1100: 0, 3900: 2}
    )
    monkeypatch.setitem(LEVELS, "go9", fitted)


def part(rating, won, pairs=50):
    """A part of pairs won or lost as a whole."""
    counts = [pairs - won, 0, 0, 0, won]
    row = {"first": [won, pairs - won, 0], "second": [won, pairs - won, 0]}
    settings = {"rating": rating, "game": "go9", "openings": 4, "seed": 1}
    return {"settings": settings, "row": row | {"pairs": counts, "distinct": 2 * pairs}}


def test_games_that_were_played_again_are_added():
    results = {f"{OURS} 9d": part(3900, 30, 50), f"{OURS} 9d again": part(3900, 60, 75)}
    assert rank_games.by_opponent(results)[OURS] == {3900: Pentanomial((35, 0, 0, 0, 90))}


def test_a_rank_that_won_all_moves_the_line_too():
    """18 of 40 at 15k, all at 9d: half is scored a little above 15k; one rank gives no line."""
    rows = {1600: Pentanomial((11, 0, 0, 0, 9)), 3900: Pentanomial((0, 0, 0, 0, 20))}
    rating = rank_games.half_scored(rows, {r: pairs.fraction for r, pairs in rows.items()})
    assert 1600 < rating < 1800
    assert rank_games.half_scored({1600: rows[1600]}, {1600: 0.45}) is None
