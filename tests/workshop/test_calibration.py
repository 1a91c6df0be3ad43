"""Calibration of a dial whose true ratings are known, for its games are drawn from them."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.opponents.dials import DIALS
from evenmatch.opponents.rating_range import Anchor
from evenmatch.ratings.score import Score, expected_score
from evenmatch.workshop import calibration
from evenmatch.workshop.calibration import Calibration

DIAL = replace(DIALS["connect4"], settings=tuple(map(float, range(8))), knots=(1.0, 2.0, 3.0, 5.0))
TRUE = {DIAL.spec(x): 800 + 1200 * (x / 7) ** 0.7 for x in DIAL.settings}
ANCHORS = (Anchor("MCTS1", "mcts1", 1700, 1.0), Anchor("Random", "random", 720, 80.0))
TRUE |= {"mcts1": 1700.0, "random": 700.0}


@pytest.fixture(autouse=True)
def games(monkeypatch):
    """Games are coin tosses with the true chances; who met is noted. Bands are of fewer draws."""
    monkeypatch.setattr(calibration, "DRAWS", 500)
    met = []

    def play_match(a, b, game, count, *, seed, openings, by):
        met.append((a, b))
        rng = np.random.default_rng(seed)
        wins = int(rng.binomial(count, expected_score(TRUE[a] - TRUE[b])))
        return SimpleNamespace(score=Score(wins=wins, losses=count - wins, draws=0))

    monkeypatch.setattr(calibration, "play_match", play_match)
    monkeypatch.setattr(calibration.time, "perf_counter", iter(range(10**6)).__next__)
    return met


def begin(path, anchors=ANCHORS, seed=1):
    return Calibration(DIAL, anchors, path / "tally.json", seed)


def never(_):
    return False


def test_it_finds_the_true_ratings(tmp_path):
    """Within three of the claimed standard deviations: false alarm 8 x 0.3% = 2%, seed fixed.

    The ends are 1,200 Elo apart, so that four or five links of a chain add up their errors.
    """
    one = begin(tmp_path)
    standings = list(one.steps(100, never))
    curve = one.curve()
    half = (np.array(curve.high) - np.array(curve.low)) / 2
    truth = np.array([TRUE[DIAL.spec(x)] for x in DIAL.settings])
    assert (half <= 100).all()
    assert (np.abs(np.array(curve.ratings) - truth) < 1.5 * half).all()
    assert np.all(np.diff(curve.ratings) > 0)
    assert standings[-1].games < 2000
    assert standings[0].games == 0


def test_those_far_apart_do_not_meet(tmp_path, games, monkeypatch):
    """However cheap their games are. Ratings are off by 400 at most, and the ends 1,200 apart."""
    one = begin(tmp_path)
    costs = np.ones((len(one.entrants), len(one.entrants)))
    costs[0, 7] = costs[7, 0] = 1e-3
    monkeypatch.setattr(Calibration, "_costs", lambda self: costs)
    for _ in range(60):
        one.play(*one.next_pair())
    assert {DIAL.spec(0), DIAL.spec(7)} not in list(map(set, games))


def test_intervals_cover_a_truth_that_is_far_from_the_guess(tmp_path):
    """All settings 400 above it: of 5 x 8 intervals of 95% about 38; below 33 has under 0.1%."""
    dial = replace(DIAL, ratings=(400, 1600))
    truth = np.array([TRUE[DIAL.spec(x)] for x in DIAL.settings])
    inside = 0
    for seed in range(5):
        one = Calibration(dial, ANCHORS, tmp_path / f"{seed}.json", seed)
        list(one.steps(90, never))
        curve = one.curve()
        inside += ((np.array(curve.low) <= truth) & (truth <= np.array(curve.high))).sum()
    assert inside >= 33


def test_chosen_pairings_teach_more_than_pairings_in_turn(tmp_path):
    """At as many games, the widest band is narrower."""
    chosen, in_turn = begin(tmp_path), Calibration(DIAL, ANCHORS, tmp_path / "other.json", 1)
    for _ in range(40):
        chosen.play(*chosen.next_pair())
    pairs = [(i, j) for i in range(10) for j in range(i)]
    for k in range(40):
        in_turn.play(*pairs[k * 7 % len(pairs)])
    assert chosen.standing.games == in_turn.standing.games
    assert chosen.standing.widest < 0.9 * in_turn.standing.widest


def test_it_goes_on_where_it_was_left(tmp_path):
    """In two goes as in one: the same games, the same curve."""
    whole = Calibration(DIAL, ANCHORS, tmp_path / "whole.json", 1)
    for _ in range(6):
        whole.play(*whole.next_pair())
    first = begin(tmp_path)
    for _ in range(3):
        first.play(*first.next_pair())
    second = begin(tmp_path)
    assert second.standing == first.standing
    for _ in range(3):
        second.play(*second.next_pair())
    assert second.points.tolist() == whole.points.tolist()
    assert second.curve().ratings == whole.curve().ratings


def test_games_with_an_anchor_that_is_gone_are_kept(tmp_path):
    with_it = begin(tmp_path)
    at = len(DIAL.settings) + 1  # Random
    with_it.play(0, at)
    without = begin(tmp_path, ANCHORS[:1])
    assert without.standing.games == 0
    without.play(0, 1)
    again = begin(tmp_path)
    assert again.games[0, at] == calibration.BATCH
    assert again.games[0, 1] == calibration.BATCH


def test_a_slow_anchor_is_met_less(tmp_path, games):
    one = begin(tmp_path)
    count = len(one.entrants)
    one.points[:] = 1 - np.eye(count)  # every two have met twice
    one.seconds[:] = 2 * (1 - np.eye(count))
    one.seconds[-2] = one.seconds[:, -2] = 2000.0
    assert "mcts1" not in {one.entrants[i].spec for i in one.next_pair()}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"met": [[1]]}',
        '{"met": 3, "batches": 1}',
        '{"met": [["random", "mcts:sims=300", NaN, 1, 1]], "batches": 1}',
        '{"met": [["random", "mcts:sims=300", -50, 1, 1]], "batches": 1}',
    ],
)
def test_a_damaged_tally_is_told(tmp_path, text):
    (tmp_path / "tally.json").write_text(text)
    with pytest.raises(StateError, match=r"damaged; add --again .* or choose another --out"):
        begin(tmp_path)


@pytest.mark.parametrize("what", ["game", "network", "seed", "settings", "format"])
def test_a_tally_of_something_else_is_told(tmp_path, what):
    one = begin(tmp_path)
    one.play(0, 1)
    kept = json.loads((tmp_path / "tally.json").read_text())
    (tmp_path / "tally.json").write_text(json.dumps(kept | {what: "another"}))
    with pytest.raises(StateError, match=f"of another {what}; add --again .* or choose another"):
        begin(tmp_path)


def test_a_fixed_setting_is_its_own_rating(tmp_path):
    """At chess the scale is the dial's own; an anchor's rating is what its games say."""
    dial = replace(DIAL, fixed=4.0, ratings=(0, 7))
    one = Calibration(dial, ANCHORS, tmp_path / "tally.json", 1)
    for _ in range(30):
        one.play(*one.next_pair())
    ratings = one.rated()
    assert ratings.mean[4] == pytest.approx(4, abs=0.1)
    offset = TRUE[DIAL.spec(4)] - 4
    assert ratings.mean[8] == pytest.approx(1700 - offset, abs=3 * ratings.deviations[8])
