import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import StateError
from evenmatch.games import get_game
from evenmatch.opponents import dials, parse_spec
from evenmatch.opponents.dials import DIALS, Curve, curve_of, increasing, read_curve

CURVE = Curve(
    game="connect4",
    player="style",
    network="n",
    settings=(0.0, 1.0, 3.0),
    ratings=(800.0, 1000.0, 1800.0),
    low=(750.0, 950.0, 1700.0),
    high=(850.0, 1050.0, 1900.0),
    games=100,
    made="2026-11-25",
)


def test_a_curve_both_ways():
    assert CURVE.setting(900) == 0.5
    assert CURVE.setting(1400) == 2.0
    assert CURVE.rating(2.0) == 1400
    assert (CURVE.setting(100), CURVE.setting(9000)) == (0.0, 3.0), "no further than measured"
    assert CURVE.range == (800, 1800)


def test_a_curve_in_a_file(tmp_path):
    CURVE.save(tmp_path / "a" / "curve.json")
    assert read_curve(tmp_path / "a" / "curve.json") == CURVE
    assert read_curve(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    "change",
    [
        {"ratings": [800, 1000]},
        {"ratings": [800, 700, 1800]},
        {"settings": [0, 1, "x"]},
        {"ratings": [800, float("nan"), 1800]},
        {"more": 1},
        {"version": 99},
        {"settings": [], "ratings": [], "low": [], "high": []},
    ],
)
def test_a_damaged_curve_is_told(tmp_path, change):
    path = tmp_path / "curve.json"
    CURVE.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match="delete it, or measure again by `evenmatch calibrate`"):
        read_curve(path)


def test_the_table_of_the_docs_is_of_the_curves_that_ship():
    page = (Path(__file__).parents[2] / "docs/how-to/calibrate.md").read_text()
    shipped = {
        (game, dial.player): curve
        for game, dial in DIALS.items()
        if (curve := dials.read_curve(dials.shipped_curve_path(game, dial.player)))
    }
    assert shipped.keys() == {
        ("chess", "pikl"), ("connect4", "style"), ("othello6", "style"), ("othello", "style")
    }  # fmt: skip
    for (game, player), curve in shipped.items():
        widest = max((high - low) / 2 for low, high in zip(curve.low, curve.high, strict=True))
        low, high = curve.range
        spec = player + ":calibrated=on" * DIALS[game].people
        row = f"| `{spec}` | {low:.0f} to {high:.0f} | {widest:.0f} | {curve.games:,} |"
        assert f"| {get_game(game).title} {row}" in page
        assert curve.network == DIALS[game].network


def test_text_that_is_no_curve(tmp_path):
    (tmp_path / "curve.json").write_text("[1]")
    with pytest.raises(StateError, match="damaged"):
        read_curve(tmp_path / "curve.json")


def test_which_curve_is_used(tmp_path, monkeypatch):
    """The one measured here, of this network; else the one that ships."""
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    shipped = tmp_path / "shipped.json"
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: shipped)
    assert curve_of("connect4", "style", own=True) is None
    theirs = replace(CURVE, network=DIALS["connect4"].network)
    theirs.save(shipped)
    assert curve_of("connect4", "style", own=True) == theirs
    own = replace(theirs, games=7)
    own.save(dials.own_curve_path("connect4", "style"))
    assert curve_of("connect4", "style", own=True) == own
    assert curve_of("connect4", "style") == theirs
    CURVE.save(dials.own_curve_path("connect4", "style"))  # of another network
    assert curve_of("connect4", "style", own=True) == theirs
    assert curve_of("connect4", "softmax") is None
    assert curve_of("nothing", "style") is None


def test_people_s_mistakes_come_before_games_that_were_not_played_here(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    shipped = tmp_path / "shipped.json"
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: shipped)
    theirs = replace(CURVE, game="chess", player="pikl", network=DIALS["chess"].network)
    theirs.save(shipped)
    assert curve_of("chess", "pikl") is None
    assert curve_of("chess", "pikl", calibrated=True) == theirs
    own = replace(theirs, games=7)
    own.save(dials.own_curve_path("chess", "pikl"))
    assert curve_of("chess", "pikl", own=True) == own
    assert curve_of("chess", "pikl", calibrated=True, own=True) == own
    assert curve_of("chess", "pikl") is None


@given(st.lists(st.floats(-3000, 3000), min_size=2, max_size=12))
def test_increasing(ratings):
    """As by the min-max formula (Robertson, Wright and Dykstra 1988, theorem 1.4.4).

    It increases by the least step, leaves a curve that does so unchanged, and keeps the mean.
    """
    found, count = increasing(ratings), len(ratings)
    steps = dials.LEAST_STEP * np.arange(count)
    rest = np.array(ratings) - steps
    fitted = [
        max(min(rest[a : b + 1].mean() for b in range(i, count)) for a in range(i + 1))
        for i in range(count)
    ]
    assert found == pytest.approx(fitted + steps, abs=1e-6)
    assert (increasing([ratings, ratings[::-1]])[0] == found).all()
    assert (np.diff(found) >= dials.LEAST_STEP - 1e-9).all()
    assert found.mean() == pytest.approx(np.mean(ratings))
    assert increasing(found) == pytest.approx(found)


@pytest.mark.parametrize("game", DIALS)
def test_dials_are_of_players(game):
    dial = DIALS[game]
    for setting in dial.settings:
        name, values = parse_spec(dial.spec(setting))
        assert name == dial.player
        assert values[dial.key] == setting
    assert list(dial.settings) == sorted(set(dial.settings))
    assert dial.fixed is None or dial.fixed in dial.settings
