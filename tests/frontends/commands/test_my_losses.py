"""What moves gave up, as `evenmatch me` tells it."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from evenmatch.app import move_review as my_losses
from evenmatch.app.move_review import MyLosses
from evenmatch.errors import StateError
from evenmatch.frontends import progress_bars
from evenmatch.frontends.web.my_page import reviewed
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG
from evenmatch.opponents.networks import load_evaluator
from evenmatch.play.saved import YOU, Saved
from evenmatch.profiles import Finished, Outcome, Profile, levels
from evenmatch.profiles.games import Games
from evenmatch.profiles.levels import Level


def game(plies=40, seed=0):
    """A game of some length; what was lost is told by the test."""
    saved = Saved(game="othello", opponent="random", side=1, seed=seed, actions=(0,) * plies)
    return Finished(saved=saved, outcome=Outcome(1, ""), begun=0, ended=0)


@pytest.fixture
def losing(monkeypatch):
    """Games whose own moves lose what is said."""

    def made(*of_games):
        one = MyLosses([game(seed=k) for k in range(len(of_games))], None)
        lost = []
        for own in of_games:
            plies = np.full(2 * len(own), np.nan)
            plies[::2] = own
            lost.append(plies)
        one.__dict__["_lost"] = lost
        return one

    return made


def test_parts_of_the_game(losing):
    """Means of games' means with Student's t; a part needs five games."""
    openings = [0.05, 0.06, 0.07, 0.08, 0.09]
    games = [[x] * 10 + [0.02 + x / 10] * 10 + ([0.5] if k < 4 else []) for k, x in
             enumerate(openings)]  # fmt: skip
    opening, middle = losing(*games).parts()
    assert opening.lost == pytest.approx(np.mean(openings))
    assert opening.margin == pytest.approx(2.7764 * np.std(openings, ddof=1) / np.sqrt(5), rel=1e-4)
    assert (opening.name, middle.name, opening.games) == ("opening", "middle", 5)


def test_a_short_game_has_an_end_too(monkeypatch):
    """What is early depends on the game."""
    begins = {game_id: info.phases for game_id, info in CATALOG.items()}
    assert begins["connect4"] == (5, 12)
    assert begins["go"] == (25, 75)
    for game_id, (middle, end) in begins.items():
        assert 0 < middle < end < get_game(game_id).max_plies / 2


def test_what_is_lost_was_there(monkeypatch):
    """One network judges the curve and finds candidates, though another knows people.

    What is told is what the search confirms, and nothing besides.
    """
    seen = []

    def confirmed(judge, game, states, actions, lost, plan, progress):
        seen.append(lost)
        return {2: 0.25}

    monkeypatch.setattr(my_losses, "confirmed", confirmed)
    saved = Saved(game="go", opponent="random", side=1, seed=0, actions=(0, 72, 18, 288, 3, 300))
    played = Finished(saved=saved, outcome=Outcome(-1, ""), begun=0, ended=0)
    losses = MyLosses([played], Level("ogs", 2600, 2000, 3200, 1, 0))
    (told,) = losses.latest
    assert (told.ply, told.lost) == (2, 0.25)
    assert told.likely
    values = load_evaluator(get_game("go")).evaluate(played.line.states).values
    chances = (1 + values * np.array([1, -1, 1, -1, 1, -1, 1])) / 2  # of Black
    assert seen[0][::2] == pytest.approx((chances[:-1] - chances[1:])[::2], abs=1e-4)


def test_mistakes_are_searched_for_once(run, monkeypatch):
    """They are kept with the game, until the search or whose moves they are is another."""
    asked = []

    def confirmed(*args):
        asked.append(args)
        return {2: 0.25}

    monkeypatch.setattr(my_losses, "confirmed", confirmed)
    run("play", "connect4", "-o", "random", "-s", "2", lines="1 1 2 resign")
    shown = [json.loads(run("me", "--json").stdout)["games"][0]["losses"] for _ in range(3)]
    assert len(asked) == 1
    assert [[one["ply"] for one in losses["latest"]] for losses in shown] == [[2]] * 3
    monkeypatch.setattr(my_losses, "VERSION", my_losses.VERSION + 1)
    run("me")
    assert len(asked) == 2
    run("me", "delete", "--yes")
    assert not Profile()._database.rows("SELECT * FROM review")


def test_the_page_searches_without_a_bar_in_its_terminal(run, monkeypatch):
    """`me` alone draws one."""
    drawn = []
    monkeypatch.setattr(
        progress_bars.Line, "__init__", lambda self, title, *columns: drawn.append(title)
    )
    for name in ("__enter__", "__exit__", "show"):
        monkeypatch.setattr(progress_bars.Line, name, lambda self, *args, **fields: self)

    def confirmed(judge, game, states, actions, lost, plan, progress):
        progress(1, 3)
        return {2: 0.25}

    monkeypatch.setattr(my_losses, "confirmed", confirmed)
    run("play", "connect4", "-o", "random", "-s", "2", lines="1 1 2 resign")
    profile = Profile()
    (played,) = profile.games.finished(YOU, "connect4")
    assert [loss["ply"] for loss in reviewed(profile, YOU, played)["losses"]] == [3]
    assert "searching your moves" not in drawn
    monkeypatch.setattr(my_losses, "VERSION", my_losses.VERSION + 1)
    run("me")
    assert "searching your moves" in drawn


def test_mistakes_are_told_where_they_cannot_be_kept(run, monkeypatch):
    run("play", "connect4", "-o", "random", "-s", "2", lines="1 1 2 resign")
    monkeypatch.setattr(my_losses, "confirmed", lambda *args: {2: 0.25})

    def full(*args):
        raise StateError("no room")

    monkeypatch.setattr(Games, "keep_mistakes", full)
    assert "25%" in run("me").stdout


def test_moves_that_were_not_chosen_alone_do_not_count(monkeypatch):
    """Nor do they shift the others."""
    one = replace(game(4), saved=replace(game(4).saved, marks=("given", "", "", "")))
    losses = MyLosses([one], None)
    vars(one)["line"] = SimpleNamespace(states=None)
    monkeypatch.setattr(my_losses, "lost_by", lambda *args: np.array([0.5, np.nan, 0.1, np.nan]))
    losses.__dict__["chances"] = [None]
    assert np.isnan(losses._lost[0][0])
    assert losses._lost[0][2] == 0.1


def test_what_may_be_chance_is_left_out(losing):
    assert losing(*([x] * 10 for x in (-0.1, 0.1, -0.1, 0.1, 0.02))).parts() == []


def test_people_of_a_level_are_asked(run, tmp_path, monkeypatch):
    """At chess, by the level that the games tell."""
    from test_me import PGN

    monkeypatch.setattr(levels, "LEAST_MOVES", 5)
    monkeypatch.setattr(my_losses, "confirmed", lambda *args: {4: 0.2})
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "0-1"))
    run("me", "import", str(path), "--player", "Ann")
    said = run("me", "-g", "chess").stdout
    assert "Your moves that gave up most in the latest game" in said
    assert "at your level" in said
    losses = json.loads(run("me", "-g", "chess", "--json").stdout)["games"][0]["losses"]
    worst = losses["latest"][0]
    assert (worst["ply"], worst["lost"]) == (4, 0.2)
    assert 0 < worst["played"] < 1
    assert len(worst["likely"]) == 3
    assert losses["parts"] == []


def test_without_rated_people_only_losses_are_told(run, monkeypatch):
    monkeypatch.setattr(my_losses, "confirmed", lambda *args: {2: 0.25})
    run("play", "connect4", "-o", "random", "-s", "2", lines="1 1 2 resign")
    said = run("me").stdout
    assert "Your moves that gave up most" in said
    assert "at your level" not in said


@pytest.mark.parametrize(("level", "asked"), [(393.3, 600), (1500, 1500), (3333, 2800)])
def test_who_is_weaker_than_the_network_knows_is_asked_about_as_its_weakest(level, asked):
    saved = Saved(game="chess", opponent="pikl", side=1, seed=0, actions=())
    losses = MyLosses(
        [Finished(saved=saved, outcome=Outcome(-1, ""), begun=0, ended=0)],
        Level("lichess-rapid", level, level - 200, level + 200, 6, 0),
    )
    assert losses._asked().rating == asked
