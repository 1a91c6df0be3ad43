"""Whether ratings are true: the fit and what is said of it, on made-up games."""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from evenmatch.opponents.dials import curve_of
from evenmatch.play.arena import Pairing
from evenmatch.progress import ignore
from evenmatch.ratings import Score, expected_score
from evenmatch_lab.ours import dial, dial_anchors
from evenmatch_lab.ours.dial import (
    by_chance,
    by_game,
    measured,
    meetings,
    neighbours,
    page,
    parts,
    rate,
    score_of,
)

STANDARD = 1200.0
RESULTS = Path(__file__).parents[3] / "docs" / "results" / "dial.json"


def row(true, asked, pairs=400):
    """Results of players of true ratings, as they are expected: pairs won by one side or shared."""
    met, every = {}, [*true, STANDARD]
    for i, j in meetings(asked, STANDARD):
        won = round(pairs * expected_score(every[i] - every[j]))
        met[f"{i} - {j}"] = [pairs - won, 0, 0, 0, won]
    settings = {"players": ["style:s=x"] * len(asked), "seed": 1, "standard": ["mcts", STANDARD]}
    return {"settings": settings, "pairs": met, "distinct": 2 * pairs * len(met)}


def test_those_nearest_to_the_standard_meet_it():
    met = meetings([1000, 1200, 1400, 1600, 1800, 2000], 1610)
    assert met[:-4] == neighbours(6)
    assert met[-4:] == [(2, 6), (3, 6), (4, 6), (5, 6)]


def test_scores_of_pairs():
    """Pairs of games that gave 0, 1/2, 1, 3/2 and 2 points."""
    assert score_of([1, 0, 2, 0, 3]) == Score(wins=8, losses=4, draws=0)
    assert score_of([0, 1, 0, 0, 0]) == Score(wins=0, losses=1, draws=1)


def test_measured_ratings_are_the_true_ones():
    true = [1000.0, 1150.0, 1400.0, 1650.0]
    found = measured(row(true, true))
    assert found == pytest.approx(true, abs=10)


def test_what_chance_alone_shows(monkeypatch):
    """A hundred times as many games, a tenth of the error."""
    monkeypatch.setattr(dial, "CHANCES", 40)
    true = [1000.0, 1200.0, 1400.0]
    few, many = (by_chance(row(true, true, pairs), true) for pairs in (20, 2000))
    assert few / many == pytest.approx(10, rel=0.3)
    assert 20 < few < 60


def test_batches_of_a_game_are_one_table():
    asked = [1000.0, 1200.0, 1400.0]
    few, many = row(asked, asked, 10), row(asked, asked, 30)
    rated = {"chess, ratings": {"error": []}, "othello, ratings": {"error": []}}
    games = {
        "chess, held out, batch 2": few,
        "othello, held out, batch 2": few,
        "chess, fit, batch 3": few,
        "chess, held out, batch 4": many,
    }
    found = by_game(games | rated)
    assert list(found) == ["chess", "othello"]
    assert found["othello"]["pairs"] == few["pairs"]
    for met, counts in found["chess"]["pairs"].items():
        assert sum(counts) == 40
        assert counts == [a + b for a, b in zip(few["pairs"][met], many["pairs"][met], strict=True)]
    assert found["chess"]["distinct"] == few["distinct"] + many["distinct"]


def test_batches_share_the_games_out(monkeypatch):
    """Each two meet in every batch, with both sides, from openings that no other batch has."""
    batches, whole = [], []

    def recorded(specs, pairings, game, *, only, **more):
        batches.append([pairings[n] for n in only])
        whole[:] = pairings
        return []

    monkeypatch.setattr(dial, "play", recorded)
    for key, part in parts(quick=True).items():
        if key.startswith("connect4") and "batch" in key:
            part.run(ignore, {})
    first, second = (Counter(batch) for batch in batches)
    assert first + second == Counter(whole)
    assert set(first.values()) == set(second.values()) == {1}
    assert {one.opening for one in first}.isdisjoint(one.opening for one in second)
    for batch in (first, second):
        assert {Pairing(one.second, one.first, one.opening) for one in batch} == set(batch)
        together = {frozenset((one.first, one.second)) for one in batch}
        assert together == {frozenset(two) for two in meetings([812, 1006, 1201], 1719)}


def test_mean_errors_of_the_curve_and_of_that_before(monkeypatch):
    """The one is true, by the other players are half as far apart as set: off by 100, 0 and 100."""
    monkeypatch.setattr(dial, "CHANCES", 5)
    monkeypatch.setattr(dial, "RESAMPLES", 20)
    true, before = [1100.0, 1200.0, 1300.0], [1000.0, 1200.0, 1400.0]
    batch = row(true, before)
    said = {"set": true, "before": before, "draws": 20, "chances": 5, "seed": 1}
    rated = rate(said, ignore, {"connect4, held out, batch 2": batch})
    error, low, high = rated["error, before"]
    off = np.abs(np.array(rated["measured"]) - before).mean()
    assert error == pytest.approx(off, abs=0.01)
    assert error == pytest.approx(200 / 3, abs=10)
    assert low < error < high
    assert rated["error, set"][0] < 10
    assert rated["step, set"][0] == pytest.approx(100, abs=5)
    assert rated["step, before"][0] == pytest.approx(50, abs=5)
    results = {
        "connect4, held out, batch 2": batch,
        "connect4, ratings": rated | {"settings": said},
    }
    text = "\n".join(page(results))
    assert f"| Connect Four | {error:.0f} ({low:.0f} to {high:.0f}) |" in text
    assert "| x | 1000 | 1100 |" in text


def test_the_offset_of_an_anchor(monkeypatch):
    """Maia wins as a player of the setting 1500 would: its published ratings less that."""
    monkeypatch.setattr(dial_anchors, "RESAMPLES", 20)
    curve, pairs = curve_of("chess", "pikl"), 2000
    elo, results = curve.rating(1500), {}
    for setting in dial_anchors.SETTINGS:
        won = round(pairs * expected_score(elo - curve.rating(setting)))
        results[f"chess, anchor, Maia 1500, s = {setting:g}"] = {
            "pairs": [pairs - won, 0, 0, 0, won]
        }
    text = "\n".join(dial_anchors.page(results))
    found = re.search(r"\| Maia 1500 \| 12000 \| (\d+) \(.*\| rapid \| 1618 \| ([+-]\d+) ", text)
    assert float(found[1]) == pytest.approx(elo, abs=5)
    assert float(found[2]) == pytest.approx(1618 - elo, abs=5)
    assert dial_anchors.page({}) == []


@pytest.mark.parametrize("game_id", ["connect4", "othello6", "othello"])
def test_the_curve_that_ships_is_that_of_its_games(game_id):
    """Within 25 Elo: when it was fitted it could bend at fewer settings."""
    results = json.loads(RESULTS.read_text())["parts"]
    rows = [row for name, row in results.items() if name.startswith(f"{game_id}, fit, ")]
    found, ships = dial.fitted_curve(game_id, rows), curve_of(game_id, "style")
    assert found.games == ships.games
    assert found.settings == ships.settings
    assert np.abs(np.subtract(found.ratings, ships.ratings)).max() < 25
