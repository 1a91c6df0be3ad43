"""What results against even tell, of games made up: styles whose Elo is known."""

from pathlib import Path

import numpy as np
import pytest

from evenmatch.opponents.fitted import EVEN_ELO
from evenmatch_lab.ours import even_levels as fitted
from evenmatch_lab.ours.even_levels import STYLES, off, ratings_of_styles, told
from evenmatch_lab.runner import ResultFile

RESULTS = Path(__file__).parents[3] / "docs" / "results"
TRUTH = 800 + 200 * STYLES  #: of styles in these games
PLAYERS = {"a": 900.0, "b": 1200.0, "c": 1500.0, "d": 1800.0, "e": 2100.0}


@pytest.fixture(scope="module")
def rows():
    """Series of 40 games of each player, in styles about as strong; results by eq. 16."""
    rng, found = np.random.default_rng(4), {}
    for name, elo in PLAYERS.items():
        lanes = []
        for _ in range(6):
            styles = np.clip((elo - 800) / 200 + rng.normal(0, 1, 40), 0, 7)
            chances = 1 / (1 + 10 ** ((np.interp(styles, STYLES, TRUTH) - elo) / 400))
            points = rng.random(40) < chances
            lanes.append([[float(a), float(b)] for a, b in zip(styles, points, strict=True)])
        found[name] = {"settings": {"elo": elo, "deviation": 30.0}, "lanes": lanes}
    return found


def test_the_elo_of_styles_is_found(rows):
    found = ratings_of_styles(rows)
    assert (np.diff(found) > 0).all()
    assert np.abs(found - TRUTH).mean() < 60


@pytest.mark.parametrize("game_id", EVEN_ELO)
def test_what_is_used_is_what_was_measured(game_id):
    results = ResultFile.read(RESULTS / "even_levels.json").parts
    rows = fitted.of_game(results, game_id)
    now = list(fitted.opponents(game_id, quick=False))  # levels of the present dial
    assert len(rows) == len(now), "all were met"
    assert [x for x in rows if " at " not in x] == [x for x in now if " at " not in x]
    assert EVEN_ELO[game_id].elo == pytest.approx(ratings_of_styles(rows)[::2], abs=1)


def test_a_level_by_results_alone():
    even = [[3.0, 1.0], [3.0, 0.0]] * 10
    rating, low, high = told(even, TRUTH)
    assert low < 1400 < high
    assert rating == pytest.approx(1400, abs=30)
    assert told([[3.0, 1.0]] * 5, TRUTH)[0] > rating > told([[3.0, 0.0]] * 5, TRUTH)[0]


def test_how_far_off_levels_are(rows):
    few, many = (fitted.all_of(off(rows, games)) for games in (1, 10))
    assert many.error < few.error
    assert many.series == 6 * len(PLAYERS)
    assert 0.7 <= many.holds <= 1
