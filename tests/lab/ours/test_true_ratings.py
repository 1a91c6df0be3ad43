"""Whether ratings are true: the fit and what is said of it, on made-up games."""

from collections import Counter

import numpy as np
import pytest

from evenmatch.play.arena import Pairing
from evenmatch.progress import ignore
from evenmatch.ratings import Score, expected_score
from evenmatch_lab.ours import true_ratings
from evenmatch_lab.ours.true_ratings import (
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


def row(true, asked, pairs=400):
    """Results of players of true ratings, as they are expected: pairs won by one side or shared."""
    met, every = {}, [*true, STANDARD]
    for i, j in meetings(asked, STANDARD):
        won = round(pairs * expected_score(every[i] - every[j]))
        met[f"{i} - {j}"] = [pairs - won, 0, 0, 0, won]
    settings = {"asked": asked, "seed": 1, "standard": ["mcts", STANDARD]}
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
    monkeypatch.setattr(true_ratings, "CHANCES", 40)
    few, many = (
        by_chance(row([1000.0, 1200.0, 1400.0], [1000.0, 1200.0, 1400.0], pairs))
        for pairs in (20, 2000)
    )
    assert few / many == pytest.approx(10, rel=0.3)
    assert 20 < few < 60


def test_batches_of_a_game_are_one_table():
    asked = [1000.0, 1200.0, 1400.0]
    few, many = row(asked, asked, 10), row(asked, asked, 30)
    rated = {"chess, ratings": {"error": []}, "othello, ratings": {"error": []}}
    games = {"chess, batch 1": few, "othello, batch 1": few, "chess, batch 2": many}
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

    monkeypatch.setattr(true_ratings, "play", recorded)
    for key, part in parts(quick=True).items():
        if key.startswith("connect4, batch"):
            part.run(ignore, {})
    first, second = (Counter(batch) for batch in batches)
    assert first + second == Counter(whole)
    assert set(first.values()) == set(second.values()) == {1}
    assert {one.opening for one in first}.isdisjoint(one.opening for one in second)
    for batch in (first, second):
        assert {Pairing(one.second, one.first, one.opening) for one in batch} == set(batch)
        together = {frozenset((one.first, one.second)) for one in batch}
        assert together == {frozenset(two) for two in meetings([0.0, 1.0, 2.0], 1.0)}


def test_mean_errors_and_the_verdict(monkeypatch):
    """Players that are half as far apart as asked: off by 100, 0 and 100 Elo."""
    monkeypatch.setattr(true_ratings, "CHANCES", 5)
    monkeypatch.setattr(true_ratings, "RESAMPLES", 20)
    asked = [1000.0, 1200.0, 1400.0]
    batch = row([1100.0, 1200.0, 1300.0], asked)
    rated = rate(ignore, {"connect4, batch 1": batch, "connect4, batch 2": batch})
    error, low, high = rated["error"]
    assert error == pytest.approx(np.abs(np.array(rated["measured"]) - asked).mean(), abs=0.01)
    assert error == pytest.approx(200 / 3, abs=10)
    assert true_ratings.AIM < low < error < high
    assert rated["by_chance"] < 20
    text = "\n".join(page({"connect4, batch 1": batch, "connect4, ratings": rated}))
    assert f"| Connect Four | {error:.0f} ({low:.0f} to {high:.0f}) |" in text
    assert "| no | 0 of 2 |" in text
