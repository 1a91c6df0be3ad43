import re

import numpy as np
import pytest

from evenmatch.errors import SpecError, UsageError
from evenmatch.games import get_game
from evenmatch.players import make_player
from evenmatch.search import Plan
from evenmatch.strength import dials
from evenmatch.strength.controller import Root, View, check_controller
from evenmatch.strength.dials import DIALS, Curve
from evenmatch.strength.styles import STRONGEST, Styled, between, tempered

VIEW = View(4, 1, np.zeros(1, np.float32))
ROOT = Root(
    visits=np.array([10, 30, 0, 60]),
    means=np.zeros(4),
    priors=np.array([0.1, 0.2, 0.0, 0.7], np.float32),
    legal=np.array([True, True, False, True]),
    value=0.0,
    best=3,
)


def shares(style: float, draws: int = 20_000) -> np.ndarray:
    rng, player = np.random.default_rng(1), Styled(style, Plan(simulations=8))
    return np.bincount([player.choose(ROOT, rng) for _ in range(draws)], minlength=4) / draws


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


def test_tempered():
    assert tempered(np.array([0.2, 0.0, 0.8]), 2) == pytest.approx([1 / 3, 0, 2 / 3])
    assert tempered(np.array([0.2, 0.0, 0.8]), 1) == pytest.approx([0.2, 0, 0.8])


def test_a_style_without_a_search_asks_the_network_alone():
    assert Styled(0, Plan(simulations=400)).plan(VIEW).simulations == 1
    assert Styled(1, Plan(simulations=400)).plan(VIEW).simulations == 400


def test_seam():
    for style in (0, 2.5, STRONGEST):
        check_controller(lambda style=style: Styled(style, Plan(simulations=8)))


@pytest.mark.parametrize("spec", ["style:s=-1", "style:s=8", "style:s=nan"])
def test_a_style_that_is_none(spec):
    with pytest.raises(UsageError, match="s="):
        make_player(spec, get_game("connect4"))


@pytest.mark.parametrize("more", ["s=3", "sims=10", "net=x.onnx"])
def test_a_rating_is_that_of_the_player_that_was_measured(more):
    with pytest.raises(UsageError, match="leave out s, sims and net"):
        make_player(f"style:elo=1500,{more}", get_game("connect4"))


def test_a_rating_comes_from_the_curve(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")
    game = get_game("connect4")
    with pytest.raises(UsageError, match="`evenmatch calibrate connect4` does that"):
        make_player("style:elo=1500", game)
    curve = Curve(
        game="connect4", player="style", network=DIALS["connect4"].network, settings=(0.0, 7.0),
        ratings=(1000.0, 2000.0), low=(900.0, 1900.0), high=(1100.0, 2100.0), games=1, made="",
    )  # fmt: skip
    curve.save(dials.own_curve_path("connect4", "style"))
    player = make_player("style:elo=1500", game)
    assert player.make_controller().style == between(3.5)
    with pytest.raises((UsageError, SpecError), match="elo=nan is no rating"):
        make_player("style:elo=nan", game)


def test_ends_of_the_dial_are_told_so_that_they_can_be_asked_for():
    game = get_game("othello6")
    with pytest.raises(UsageError) as refused:
        make_player("style:elo=9000", game)
    lowest, highest = re.search(r"outside \[(\d+), (\d+)\]", str(refused.value)).groups()
    for elo in (lowest, highest):
        assert make_player(f"style:elo={elo}", game)
    for elo in (int(lowest) - 1, int(highest) + 1):
        with pytest.raises(UsageError, match="is outside"):
            make_player(f"style:elo={elo}", game)
