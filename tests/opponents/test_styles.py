import re

import numpy as np
import pytest
from some_turns import EARLY, drawn_often, player_of

from evenmatch.errors import SpecError, UsageError
from evenmatch.games import get_game
from evenmatch.opponents import dials
from evenmatch.opponents.controller import NEW, Root, check_controller
from evenmatch.opponents.dials import DIALS, Curve
from evenmatch.opponents.styled import Styled
from evenmatch.search import Plan
from evenmatch.search.styles import STRONGEST, between, tempered

ROOT = Root(
    visits=np.array([10, 30, 0, 60]),
    means=np.zeros(4),
    priors=np.array([0.1, 0.2, 0.0, 0.7], np.float32),
    legal=np.array([True, True, False, True]),
    value=0.0,
    best=3,
)


def shares(style: float, draws: int = 20_000) -> np.ndarray:
    return drawn_often(Styled(style, Plan(simulations=8)), ROOT, draws)


def test_the_weakest_style_is_random():
    """Three moves alike; each share is within 4 standard deviations, false alarm 0.02%."""
    assert shares(0) == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3], abs=4 * 0.0034)


def test_the_strongest_style_plays_the_most_visited_move():
    assert shares(STRONGEST, 200).tolist() == [0, 0, 0, 1]


def test_a_style_between_by_hand():
    """Style 3: temperature 1, half of a search with z = 1: the mean of priors and visits."""
    style = between(3)
    assert (style.temperature, style.search, style.z) == (pytest.approx(1.0), 0.5, 1.0)
    assert shares(3) == pytest.approx([0.1, 0.25, 0, 0.65], abs=4 * 0.0035)


def test_styles_between_styles():
    low, high, middle = between(2), between(3), between(2.5)
    assert middle.temperature == pytest.approx((low.temperature * high.temperature) ** 0.5)
    assert middle.search == pytest.approx((low.search + high.search) / 2)


def test_tempered():
    assert tempered(np.array([0.2, 0.0, 0.8]), 2) == pytest.approx([1 / 3, 0, 2 / 3])
    assert tempered(np.array([0.2, 0.0, 0.8]), 1) == pytest.approx([0.2, 0, 0.8])


def test_a_style_without_a_search_asks_the_network_alone():
    assert Styled(0, Plan(simulations=400)).plan(EARLY, NEW).simulations == 1
    assert Styled(1, Plan(simulations=400)).plan(EARLY, NEW).simulations == 400


def test_seam():
    for style in (0, 2.5, STRONGEST):
        check_controller(lambda style=style: Styled(style, Plan(simulations=8)))


@pytest.mark.parametrize("spec", ["style:s=-1", "style:s=8", "style:s=nan"])
def test_a_style_that_is_none(spec):
    with pytest.raises(UsageError, match="s="):
        player_of(spec, get_game("connect4"))


@pytest.mark.parametrize("more", ["s=3", "sims=10", "net=x.onnx"])
def test_a_rating_is_that_of_the_player_that_was_measured(more):
    with pytest.raises(UsageError, match="leave out s, sims and net"):
        player_of(f"style:elo=1500,{more}", get_game("connect4"))


def test_a_rating_comes_from_the_curve(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")
    game = get_game("connect4")
    with pytest.raises(UsageError, match="`evenmatch calibrate connect4` does that"):
        player_of("style:elo=1500", game)
    curve = Curve(
        game="connect4", player="style", network=DIALS["connect4"].network, settings=(0.0, 7.0),
        ratings=(1000.0, 2000.0), low=(900.0, 1900.0), high=(1100.0, 2100.0), games=1, made="",
    )  # fmt: skip
    curve.save(dials.own_curve_path("connect4", "style"))
    player = player_of("style:elo=1500", game, own=True)
    assert player.controller.style == between(3.5)
    with pytest.raises((UsageError, SpecError), match="elo=nan is not a rating"):
        player_of("style:elo=nan", game)


def test_ends_of_the_dial_are_told_so_that_they_can_be_asked_for():
    game = get_game("othello6")
    with pytest.raises(UsageError) as refused:
        player_of("style:elo=9000", game)
    lowest, highest = re.search(r"outside \[(\d+), (\d+)\]", str(refused.value)).groups()
    for elo in (lowest, highest):
        assert player_of(f"style:elo={elo}", game)
    for elo in (int(lowest) - 1, int(highest) + 1):
        with pytest.raises(UsageError, match="is outside"):
            player_of(f"style:elo={elo}", game)
