import pytest
from some_turns import player_of

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.opponents import dials
from evenmatch.opponents.fitted import CHESS
from evenmatch.opponents.rating_range import (
    clamp_spec,
    measured_range,
    rating_of,
    spec_of_strength,
    supported_range,
)
from evenmatch.opponents.table import PLAYERS

CURVE = dials.Curve(
    game="chess", player="pikl", network=dials.DIALS["chess"].network, settings=(100.0, 2900.0),
    ratings=(499.5, 2500.5), low=(400.0, 2400.0), high=(600.0, 2600.0), games=9, made="",
)  # fmt: skip


def curve(path):
    """Read the one that ships, as if it were this."""
    return None if "curves" in str(path) else CURVE


def test_a_range_is_that_of_games(monkeypatch):
    """Of players without a dial it is that of the people they were fitted to."""
    monkeypatch.setattr(dials, "read_curve", curve)
    assert measured_range("chess", "pikl") == supported_range("chess") == (500, 2500)
    assert measured_range("chess", "sa") == (min(CHESS.sa), max(CHESS.sa))
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
        ("pikl:s=600", "pikl:s=600", ""),
        ("pikl:elo=2790", "pikl:elo=2500", "2790 is not measured; it plays at 2500, the highest"),
        ("pikl:elo=1100,sims=4", "pikl:elo=1100,sims=4", ""),
        ("sa:sims=5, elo=2600", "sa:elo=2500,sims=5", "2600 is not measured; it plays at 2500"),
        ("pikl:elo=9", "pikl:elo=9", ""),
        ("ace:elo=1100", "ace:elo=1250", "plays at 1250, the lowest measured level."),
    ],
)
def test_specs_at_the_nearest_measured_level(spec, played, note, monkeypatch):
    monkeypatch.setattr(dials, "read_curve", curve)
    found, told = clamp_spec("chess", spec)
    assert found == played
    assert note in told
    assert bool(told) == bool(note)


def test_a_rating_is_a_strength_in_games(monkeypatch):
    """The curve has the setting that plays at it; numbers of one's own are of people's ratings."""
    monkeypatch.setattr(dials, "read_curve", curve)
    chess = get_game("chess")
    for spec, people in (
        ("pikl:elo=1500", CURVE.setting(1500)),
        ("pikl:s=900", 900),
        ("pikl:elo=900,sims=4", 900),
        ("pikl:s=300", 600),
    ):
        assert player_of(spec, chess).controller.plan(None, None).rating == pytest.approx(people)
    with pytest.raises(UsageError, match=r"elo=499 is outside \[500, 2500\]"):
        player_of("pikl:elo=499", chess)
    with pytest.raises(UsageError, match=r"s=99 is outside \[100, 3100\]"):
        player_of("pikl:s=99", chess)
    with pytest.raises(UsageError, match="leave out s or elo"):
        player_of("pikl:s=900,elo=900", chess)
    monkeypatch.setattr(dials, "read_curve", lambda path: None)
    with pytest.raises(UsageError, match="not calibrated on chess; `evenmatch calibrate chess`"):
        player_of("pikl:elo=1500", chess)


@pytest.mark.parametrize(
    ("game", "spec", "rating"),
    [
        ("chess", "pikl:elo=1300", 1300),
        ("chess", "pikl", 1500),
        ("chess", "pikl:s=1500", CURVE.rating(1500)),
        ("chess", "pikl:s=1500,sims=4", None),
        ("chess", "pikl:elo=1500,sims=4", None),
        ("chess", "pikl:s=3100", None),
        ("chess", "pikl:s=1500,net=people.onnx", None),
        ("chess", "pikl:elo=1300,net=people.onnx", 1300),
        ("chess", "human:elo=1300", 1300),
        ("go", "pikl:rank=5k", 2600),
        ("connect4", "style:elo=1300", 1300),
    ],
)
def test_the_rating_of_a_spec(game, spec, rating, monkeypatch):
    monkeypatch.setattr(dials, "read_curve", curve)
    assert rating_of(game, spec) == rating


def test_a_player_of_a_strength(monkeypatch):
    monkeypatch.setattr(dials, "read_curve", curve)
    assert spec_of_strength("chess", 1400.4) == ("pikl:elo=1400", "")
    spec, note = spec_of_strength("chess", 400)
    assert spec == "pikl:elo=500"
    assert "400 is not measured; it plays at 500, the lowest" in note
    spec, note = spec_of_strength("chess", 9000)
    assert spec == "pikl:elo=2500"
    assert "it plays at 2500, the highest" in note
    assert spec_of_strength("go", 2600) == ("pikl:rank=5k", "")
