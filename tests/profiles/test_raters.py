"""Levels in games without rated people: by a calibrated dial."""

from dataclasses import replace

import numpy as np
import pytest

from evenmatch.app.game_words import against
from evenmatch.estimation.level import result_says, spread
from evenmatch.games import get_game
from evenmatch.opponents import dials
from evenmatch.opponents.dials import DIALS, Curve
from evenmatch.play.played_game import End
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session
from evenmatch.profiles import Finished, Outcome
from evenmatch.profiles.raters import LADDER, rater_of, scale_of

MOVES = (3, 3, 3, 3, 4, 2, 5, 6)


def game(opponent="random", side=1, result=1, level=None, seed=1, **how):
    saved = Saved(game="connect4", opponent=opponent, side=side, seed=seed, actions=MOVES)
    return Finished(
        saved=replace(saved, **how), outcome=Outcome(result, "", level), begun=0.0, ended=0.0
    )


@pytest.fixture
def curve(tmp_path, monkeypatch):
    """A curve that was measured here, of three styles."""
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    made = Curve(
        game="connect4", player="style", network=DIALS["connect4"].network,
        settings=(0.0, 3.0, 7.0), ratings=(800.0, 1500.0, 2000.0), low=(700.0, 1400.0, 1900.0),
        high=(900.0, 1600.0, 2100.0), games=1, made="2026-11-25",
    )  # fmt: skip
    made.save(dials.own_curve_path("connect4", "style"))
    return made


@pytest.fixture
def no_curve(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")


def test_without_a_curve_there_are_no_levels(no_curve):
    assert scale_of("connect4") is None
    assert rater_of("connect4") is None
    assert scale_of("chess") == "lichess-rapid"


def test_own_moves_with_a_choice_are_judged(curve):
    rater = rater_of("connect4")
    assert rater.scale == LADDER
    [(first, _), (second, _), (helped, _)] = rater.rated(
        [game(), game(side=-1), game(marks=("", "", "hint") + ("",) * 5)]
    )
    assert (first, second, helped) == (4, 4, 3)


def test_what_is_kept_does_not_depend_on_the_curve(curve):
    """So a calibration that goes on needs no judging anew."""
    rater = rater_of("connect4")
    [(_, says)] = rater.rated([game()])
    replace(curve, ratings=(900.0, 1600.0, 2100.0)).save(dials.own_curve_path("connect4", "style"))
    other = rater_of("connect4")
    assert other.key == rater.key
    at = np.interp([800, 1500], rater.grid, rater.on_grid(says))
    assert np.interp([900, 1600], other.grid, other.on_grid(says)) == pytest.approx(at)


def test_moves_and_results_tell_a_level(profile, curve):
    """A win against a known player and a loss to a rated one count.

    One against `even` does not where its level is not known.
    """
    games = [
        game("mcts:sims=300", seed=1),
        game("style:elo=1500", level=1500.0, result=-1, seed=2),
        game("even", seed=3),
    ]
    profile.games.add((f"{one.saved.seed}", one) for one in games)
    with profile.together() as connection:
        connection.execute("UPDATE game SET imported = NULL")
    found = profile.levels.history("You", "connect4")
    assert [one.games for one in found] == [1, 2, 3]
    assert found[-1].scale == LADDER
    rater = rater_of("connect4")
    [(_, says), *_] = rater.rated(games[:1])
    moves = spread(rater.grid, rater.on_grid(says), rater.unlike)
    won = result_says(rater.grid, 1719, 1)
    both = np.exp(moves + won - (moves + won).max())
    assert found[0].rating == pytest.approx(both @ rater.grid / both.sum())


def test_what_even_came_to_is_kept_of_a_game_that_is_played(profile, curve):
    """The mean level of its moves, and its name alone is shown."""
    session = Session(get_game("connect4"), "even", 1, 1, "You", store=profile.memories)
    place = profile.games.take("connect4")
    while not session.over and session.ply < 6:
        session.move(session.legal[0])
        session.reply()
    session.end = End.YOU_RESIGNED
    place.finish(session)
    (kept,) = profile.games.finished("You", "connect4")
    low, high = dials.dial_range("connect4")
    assert low <= kept.outcome.level <= high
    assert against(kept) == "Evenmatch"
