import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.opponents import Networks, dials, parse_spec
from evenmatch.opponents.dials import DIALS, Curve, curve_of, dial_range, read_curve, strength_dial
from evenmatch.opponents.fitted import CHESS, row_at
from evenmatch.search.styles import between

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
        row = f"| `{player}` | {low:.0f} to {high:.0f} | {widest:.0f} | {curve.games:,} |"
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


def test_a_dial_at_a_strength():
    """It plays by the setting that the curve has, as near as it can beyond its ends."""
    game = get_game("connect4")
    curve = replace(CURVE, settings=(0.0, 3.0, 7.0))
    dial = strength_dial(game, Networks(game), curve)
    assert (dial.low, dial.high) == curve.range
    assert dial.at(900).style == between(1.5)
    assert dial.at(100).style == between(0)
    assert dial.at(9000).style == between(7)
    with pytest.raises(UsageError, match="`evenmatch calibrate` makes one"):
        strength_dial(game, Networks(game), None)


def test_a_dial_of_people():
    game = get_game("chess")
    curve = Curve(
        game="chess", player="pikl", network="n", settings=(100.0, 1500.0, 3100.0),
        ratings=(300.0, 1500.0, 2700.0), low=(0.0,) * 3, high=(0.0,) * 3, games=0, made="",
    )  # fmt: skip
    dial = strength_dial(game, Networks(game), curve)
    weak, middle, strong = (dial.at(rating) for rating in (300, 1500, 2700))
    assert weak.slips > middle.slips == strong.slips == 0
    assert weak.temperature > middle.temperature > strong.temperature


def test_the_numbers_of_the_chess_dial_go_one_way():
    """The lower, the less the search decides; more simulations above, random moves below."""
    rows = [row_at(CHESS.pikl, setting) for setting in range(100, 3101, 50)]
    assert (np.diff([row.lam for row in rows]) < 0).all()
    assert (np.diff([round(row.simulations) for row in rows]) >= 0).all()
    assert (np.diff([row.slips for row in rows]) <= 0).all()
    assert rows[-1].slips == 0


@pytest.mark.parametrize("game", ["chess", "connect4", "othello6", "othello"])
def test_ranges_that_ship(game):
    low, high = dial_range(game)
    assert high - low > 800
    assert dial_range("go9") is None


@pytest.mark.parametrize("game", DIALS)
def test_dials_are_of_players(game):
    dial = DIALS[game]
    for setting in dial.settings:
        name, values = parse_spec(dial.spec(setting))
        assert name == dial.player
        assert values["s"] == setting
    assert list(dial.settings) == sorted(set(dial.settings))
    assert dial.fixed is None or dial.fixed in dial.settings
