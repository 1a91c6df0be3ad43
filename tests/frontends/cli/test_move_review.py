"""What moves gave up, as `evenmatch me` tells it."""

import json

import numpy as np
import pytest

from evenmatch.app import move_review as my_losses
from evenmatch.app.move_review import MyLosses
from evenmatch.games import get_game
from evenmatch.opponents.networks import load_evaluator
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, Profile, levels
from evenmatch.profiles.levels import Level


def game(plies=40, seed=0):
    """A game of some length; what was lost is told by the test."""
    saved = Saved(game="othello", opponent="random", side=1, seed=seed, actions=(0,) * plies)
    return Finished(saved=saved, outcome=Outcome(1, ""), begun=0, ended=0)


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


def test_people_of_a_level_are_asked(run, tmp_path, monkeypatch):
    """At chess, by the level that the games tell."""
    from records_from_elsewhere import PGN

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


def losing(monkeypatch, *of_games):
    """Games of Othello whose own moves lose what is given."""
    losses = MyLosses([game(seed=k) for k in range(len(of_games))], None)
    lost = [np.full(2 * len(own), np.nan) for own in of_games]
    for plies, own in zip(lost, of_games, strict=True):
        plies[::2] = own
    monkeypatch.setitem(losses.__dict__, "_lost", lost)
    return losses


def test_losses_by_parts_of_the_game(monkeypatch):
    """Means of games' means with Student's t of four degrees of freedom; of five games or more."""
    lost = [0.05, 0.06, 0.07, 0.08, 0.10]
    games = [[x] * 10 + [0.02 + x / 10] * 10 + [0.5] * (k < 4) for k, x in enumerate(lost)]
    opening, middle = losing(monkeypatch, *games).parts()
    assert (opening.name, middle.name, opening.games) == ("opening", "middle", 5)
    assert opening.lost == pytest.approx(0.36 / 5)
    assert opening.margin == pytest.approx(2.7764 * (0.00148 / 4 / 5) ** 0.5, rel=1e-3)
    assert middle.lost == pytest.approx(0.02 + 0.036 / 5)


def test_what_may_be_chance_is_no_loss_of_a_part(monkeypatch):
    assert losing(monkeypatch, *([x] * 10 for x in (-0.1, 0.1, -0.1, 0.1, 0.02))).parts() == []
