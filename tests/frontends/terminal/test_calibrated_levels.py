"""Games whose levels are known by calibration: what is played beyond the measured ones is told."""

import math

import pytest

from evenmatch.games.catalog import CATALOG
from evenmatch.opponents.dials import curve_of

STYLED = [info.game for info in CATALOG.values() if info.rated == "style"]


def is_told(run, game: str, options: tuple[str, ...], level: int, which: str) -> None:
    """Check that the level that is played is told and shown, and the one asked for is not."""
    asked = options[-1].rpartition("=")[2]
    told = run("play", game, *options, lines="resign").stdout
    note = f"{asked} is not measured; it plays at {level}, the {which} measured level.\n"
    assert told.startswith(note), told
    assert f"Evenmatch at {level} (" in told
    assert f"Evenmatch at {asked} " not in told


@pytest.mark.parametrize("game", STYLED)
def test_a_level_below_the_measured_ones(run, game):
    lowest = math.ceil(curve_of(game, "style").range[0])
    is_told(run, game, ("--elo", str(lowest - 100)), lowest, "lowest")
    is_told(run, game, ("-o", f"style:elo={lowest - 100}"), lowest, "lowest")


@pytest.mark.parametrize("game", STYLED)
def test_a_level_above_the_measured_ones(run, game):
    highest = math.floor(curve_of(game, "style").range[1])
    is_told(run, game, ("--elo", str(highest + 100)), highest, "highest")


@pytest.mark.parametrize("game", STYLED)
def test_nothing_is_told_of_a_measured_level(run, game):
    told = run("play", game, "--elo", "1200", lines="resign").stdout
    assert "Evenmatch at 1200 (" in told
    assert "measured" not in told
