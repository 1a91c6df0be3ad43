"""Intervals of Elo from tournaments, where players are beaten now and then, or always."""

import json
from pathlib import Path

import numpy as np
import pytest

from evenmatch.opponents.rating_range import ANCHORS
from evenmatch.ratings import Pentanomial, Score
from evenmatch_lab.fujita2022.elo_table import ends, rate

ROOT = Path(__file__).parents[3]
NAMES = ("a", "b", "c")
WON, LOST = Score(wins=1), Score(losses=1)


def tournaments(chances, count=50):
    """Draw tournaments in which the first named of a pair wins a game with its chance."""
    rng = np.random.default_rng(3)
    rounds = []
    for _ in range(count):
        games = {}
        for (a, b), chance in chances.items():
            games[a, b] = WON if rng.random() < chance else LOST
            games[b, a] = LOST if rng.random() < chance else WON
        rounds.append(games)
    return rounds


def test_intervals_hold_the_elo_and_are_as_wide_as_games_say():
    """a wins 3 of 4 from b: 100 games bound such a gap by about 75 Elo to either side."""
    row = rate(NAMES, tournaments({("a", "b"): 0.75, ("a", "c"): 0.8, ("b", "c"): 0.6}), 60)
    for elo, low, high in (*row["likelihood"].values(), row["gap"], row["sequential_gap"]):
        assert low < elo < high
    assert 60 < row["gap"][2] - row["gap"][1] < 300
    assert row["pairs"]["a - b"] == [
        sum(word.count(letter) for word in row["rounds"]["a - b"].split()) for letter in "WLD"
    ]


def test_a_player_that_lost_all_is_bounded_above_only():
    """Draws of tournaments are all alike then, and would bound it to a few Elo."""
    row = rate(NAMES, tournaments({("a", "b"): 0.75, ("a", "c"): 1.0, ("b", "c"): 1.0}), 60)
    elo, low, high = row["likelihood"]["c"]
    assert low is None
    assert high > elo + 100
    assert None not in row["likelihood"]["a"]


def test_a_gap_of_two_of_whom_one_won_all_has_no_upper_end():
    """a beats b always, and c nearly: the gap is bounded by their pairs, below."""
    row = rate(NAMES, tournaments({("a", "b"): 1.0, ("a", "c"): 0.95, ("b", "c"): 0.5}), 60)
    low = Pentanomial((0, 0, 0, 0, 50)).elo_interval().low
    assert row["gap"][1:] == [pytest.approx(low, abs=0.06), None]


def test_an_end_is_open_where_enough_draws_are():
    """Of 100 draws 5 are unbounded above: more than the 2.5 that an interval leaves out."""
    finite = [(float(x), float(x)) for x in range(95)]
    inf = float("inf")
    assert ends([*finite, *[(inf, inf)] * 5], 40.0) == [40.0, 2.0, None]
    assert ends([*finite, *[(94.0, 94.0)] * 4, (inf, inf)], 40.0) == [40.0, 2.0, 94.0]


@pytest.mark.parametrize("game", ["connect4", "othello6", "othello"])
def test_anchors_of_calibrations_have_the_elo_of_the_table(game):
    """Those of ``evenmatch calibrate`` are the likelihood's, rounded."""
    table = json.loads((ROOT / "docs" / "results" / "elo_table.json").read_text())
    known = table["parts"][game]["likelihood"]
    for anchor in ANCHORS[game]:
        if anchor.rating is not None:
            assert anchor.rating == round(known[anchor.name][0]), anchor.name
    assert sum(anchor.rating is not None for anchor in ANCHORS[game]) == 4
