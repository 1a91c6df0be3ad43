import pytest

from evenmatch.players.measured import as_measured, measured_range
from evenmatch.players.table import PLAYERS
from evenmatch.strength.levels import CHESS


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
    found, told = as_measured("chess", spec)
    assert found == played
    assert note in told
    assert bool(told) == bool(note)
