"""Games whose levels are known by calibration: a level beyond the measured ones is reported."""

import math

import pytest

from evenmatch.games.catalog import CATALOG
from evenmatch.opponents.dials import curve_of
from evenmatch.play import session

STYLED = [info.game for info in CATALOG.values() if info.rated == "style"]


@pytest.fixture
def opened(run, monkeypatch):
    """Begin a game in the terminal and resign it, without the network that evaluates it."""
    monkeypatch.setattr(session, "_evaluator_of", lambda game, opponent: None)
    return lambda *words: run("play", *words, lines="resign").stdout


@pytest.mark.parametrize("game", STYLED)
@pytest.mark.parametrize("option", ["--elo=", "--opponent=style:elo="])
def test_the_nearest_measured_level_is_played_and_reported(opened, game, option):
    low, high = curve_of(game, "style").range
    for wanted, level, which in (
        (math.ceil(low) - 100, math.ceil(low), "lowest"),
        (math.floor(high) + 100, math.floor(high), "highest"),
    ):
        text = opened(game, f"{option}{wanted}")
        note = f"{wanted} is not measured; it plays at {level}, the {which} measured level.\n"
        assert text.startswith(note)
        assert f"Evenmatch at {level} (" in text
        assert f"Evenmatch at {wanted} " not in text


@pytest.mark.parametrize("game", STYLED)
def test_nothing_is_reported_of_a_measured_level(opened, game):
    text = opened(game, "--elo=1200")
    assert "Evenmatch at 1200 (" in text
    assert "measured" not in text
