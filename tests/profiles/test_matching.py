"""Who plays next, by a level that is made up."""

import pytest
from some_turns import EARLY, player_of

from evenmatch.games import get_game
from evenmatch.opponents.controller import NEW
from evenmatch.opponents.dials import curve_of
from evenmatch.opponents.rating_range import supported_range
from evenmatch.profiles import Profile
from evenmatch.profiles.levels import Level, matched


@pytest.fixture
def profile(tmp_path, monkeypatch):
    """A profile of somebody rated 1500 in whatever they play."""
    profile = Profile(tmp_path)
    level = Level("lichess-rapid", 1500.0, 1400.0, 1600.0, 3, 0.0)
    monkeypatch.setattr(type(profile.levels), "now", lambda *_: level)
    return profile


@pytest.mark.parametrize(("target", "elo"), [(0.75, 1500 - 191), (0.25, 1500 + 191)])
def test_who_wants_to_win_more_meets_somebody_weaker(profile, target, elo):
    """191 Elo is what gives three points of four."""
    assert matched(profile.levels, "Ann", "chess", target).spec == f"pikl:elo={elo}"


def test_an_opponent_has_its_rating_in_games(profile):
    """What is set is not what is played at: the curve that ships has the setting."""
    spec = matched(profile.levels, "Ann", "chess", 0.6535).spec
    assert spec == "pikl:elo=1390"
    controller = player_of(spec, get_game("chess")).controller
    plan = controller.plan(EARLY, NEW)
    curve = curve_of("chess", "pikl")
    assert plan.rating == pytest.approx(curve.setting(1390))
    assert plan.rating != 1390


@pytest.mark.parametrize(
    ("game", "low", "high", "spec"),
    [
        ("chess", 1400, 1600, "even:elo=1500,unsure=51,moves=0.25"),
        ("chess", 1490, 1510, "even:elo=1500,unsure=50,moves=0.25"),
        ("connect4", 1108, 1892, "even:elo=1500,unsure=200,moves=0.15"),
        ("go", 2400, 2792, "even:rank=5k,unsure=100,moves=0.25"),
    ],
)
def test_even_begins_with_what_the_profile_believes(profile, monkeypatch, game, low, high, spec):
    """The mean, and a 95% interval's standard deviation; at Go in hundredths of a rank.

    The level is by three games, so the moves of one more are a quarter of all.
    """
    level = Level("any", (low + high) / 2, low, high, 3, 0.0)
    monkeypatch.setattr(type(profile.levels), "now", lambda *_: level)
    found = matched(profile.levels, "Ann", game)
    assert (found.spec, found.note) == (spec, "")
    config = player_of(spec, get_game(game)).controller.config
    assert config.first == pytest.approx((low + high) / 2, abs=50)
    assert config.unsure == pytest.approx(max((high - low) / 3.92, 50), abs=1)
    assert config.moves == player_of("even", get_game(game)).controller.config.moves / 4


def test_a_word_alone_leaves_all_to_the_moves(profile, monkeypatch):
    level = Level("lichess-rapid", 1500.0, 1108.0, 1892.0, 0, 0.0)
    monkeypatch.setattr(type(profile.levels), "now", lambda *_: level)
    assert matched(profile.levels, "Ann", "chess").spec == "even:elo=1500,unsure=200"


def test_nobody_plays_beyond_what_is_measured(profile, monkeypatch):
    low = Level("lichess-rapid", 30.0, 20.0, 40.0, 3, 0.0)
    monkeypatch.setattr(type(profile.levels), "now", lambda *_: low)
    found = matched(profile.levels, "Ann", "chess", 0.6)
    lowest = f"{supported_range('chess')[0]:g}"
    assert found.spec == f"pikl:elo={lowest}"
    assert found.note, "it says that this is as low as it goes"
    found = matched(profile.levels, "Ann", "chess")
    assert found.spec == f"even:elo={lowest},unsure=50,moves=0.25", "no rating is lower"
    assert found.note == f"Evenmatch cannot play weaker than {lowest}."
