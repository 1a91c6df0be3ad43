import pytest
from some_turns import player_of

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.opponents import dials
from evenmatch.opponents.fitted import CHESS
from evenmatch.opponents.rating_range import at_strength, clamp_spec, measured_range, strength_of
from evenmatch.opponents.table import PLAYERS


def test_only_what_was_fitted_is_played():
    assert measured_range("chess", "pikl") == (min(CHESS.pikl), max(CHESS.pikl))
    assert measured_range("chess", "human") is None
    assert all("elo" in PLAYERS[name].keys for name in ("pikl", "sa", "se", "ace"))


@pytest.mark.parametrize(
    ("spec", "played", "note"),
    [
        ("pikl:elo=1100", "pikl:elo=1100", ""),
        ("pikl", "pikl", ""),
        ("even", "even", ""),
        ("human:elo=600", "human:elo=600", ""),
        ("engine:cmd=x,elo=500", "engine:cmd=x,elo=500", ""),
        ("pikl:elo=600", "pikl:elo=700", "600 is not measured; it plays at 700, the lowest"),
        ("sa:sims=5, elo=2600", "sa:elo=2500,sims=5", "2600 is not measured; it plays at 2500"),
        ("pikl:elo=9", "pikl:elo=9", ""),
        ("ace:elo=1100", "ace:elo=1250", "plays at 1250, the lowest measured level."),
    ],
)
def test_specs_at_the_nearest_measured_level(spec, played, note):
    found, told = clamp_spec("chess", spec)
    assert found == played
    assert note in told
    assert bool(told) == bool(note)


def test_what_its_games_say_counts_where_it_is_asked_for(monkeypatch):
    """The range is that of the curve that ships; without one, and with numbers of one's own, on
    is refused."""
    curve = dials.Curve(
        game="chess", player="pikl", network=dials.DIALS["chess"].network, settings=(700.0, 2500.0),
        ratings=(1200.5, 2200.0), low=(1100.0, 2100.0), high=(1300.0, 2300.0), games=9, made="",
    )  # fmt: skip
    monkeypatch.setattr(dials, "read_curve", lambda path: None if "curves" in str(path) else curve)
    assert measured_range("chess", "pikl") == measured_range("chess", "pikl", False) == (700, 2500)
    assert measured_range("chess", "pikl", True) == (1201, 2200)
    found, told = clamp_spec("chess", "pikl:elo=900,calibrated=on")
    assert found == "pikl:elo=1201,calibrated=on"
    assert "900 is not measured" in told
    with pytest.raises(UsageError, match="leave out lam, t, sims"):
        player_of("pikl:elo=1500,calibrated=on,sims=4", get_game("chess"))
    monkeypatch.setattr(dials, "read_curve", lambda path: None)
    with pytest.raises(UsageError, match="not calibrated on chess"):
        player_of("pikl:elo=1500,calibrated=on", get_game("chess"))


@pytest.mark.parametrize(
    ("game", "spec", "rating", "strength"),
    [
        ("chess", "pikl:elo=1300", 1300, 1389.9),
        ("chess", "pikl:elo=700", 700, 1025.3),
        ("chess", "pikl", 1500, 1553.1),
        ("chess", "pikl:elo=1300,calibrated=off", 1300, 1389.9),
        ("chess", "pikl:elo=1300,calibrated=on", 1300, 1300),
        ("chess", "pikl:elo=1300,sims=4", 1300, 1300),
        ("chess", "human:elo=1300", 1300, 1300),
        ("connect4", "style:elo=1300", 1300, 1300),
        ("go", "pikl:rank=5k", 2600, 2600),
    ],
)
def test_what_a_player_s_rating_is_in_games(game, spec, rating, strength):
    """By the curve that ships, unless the rating was set by it, or is of other numbers."""
    assert strength_of(game, spec, rating) == pytest.approx(strength)


def test_a_player_of_a_strength_is_set_by_its_curve_where_mistakes_set_it():
    assert at_strength("chess", 1400.4) == ("pikl:elo=1400,calibrated=on", "")
    assert at_strength("connect4", 1300) == ("style:elo=1300", "")
    spec, note = at_strength("chess", 400)
    assert spec == "pikl:elo=1026,calibrated=on"
    assert "600 is not measured; it plays at 1026, the lowest" in note


def test_a_curve_that_was_measured_here_sets_ratings_unasked(monkeypatch):
    own = dials.read_curve(dials.shipped_curve_path("chess", "pikl"))
    monkeypatch.setattr(dials, "read_curve", lambda path: own)
    assert strength_of("chess", "pikl:elo=1300", 1300) == 1300
    assert strength_of("chess", "pikl:elo=1300,calibrated=off", 1300) == pytest.approx(1389.9)
