"""Games that are kept: they outlive the server, are their owner's alone, and can be deleted."""

import numpy as np
from frontends.web.conftest import OWN, serving

from evenmatch.games import GAMES
from evenmatch.games.line import Line
from evenmatch.play.saved import Saved
from evenmatch.profiles import Profile


def test_games_go_on_after_a_restart(tmp_path):
    with serving(tmp_path) as visitor:
        row = visitor.begin("othello6", "random", side="second")
        with visitor.at(row) as seen:
            before = seen.move(seen.turn())
    with serving(tmp_path) as visitor:
        assert [one["id"] for one in visitor.get("/api/start").json()["tables"]] == [row]
        with visitor.at(row) as seen:
            state = seen.turn()
            assert state["moves"] == before["moves"]
            assert state["seq"] > before["seq"]
            assert len(seen.move(state)["moves"]) > len(before["moves"])
        deleted = visitor.client.delete(f"/api/tables/{row}", headers=OWN)
        assert deleted.status_code == 200
        assert visitor.get("/api/start").json()["tables"] == []


def test_a_game_that_was_over_when_the_server_died_is_finished(tmp_path):
    """Its last move was written, its end was not."""
    profile = Profile(tmp_path)
    place = profile.games.take("connect4")
    moves = (0, 1, 0, 1, 0, 1, 0)  # four in the first column
    place.save(
        Saved(game="connect4", opponent="random", side=1, seed=1, actions=moves, person="Ann")
    )
    place.leave()
    profile.close()
    with serving(tmp_path) as visitor:
        with visitor.at(place.row) as seen:
            assert seen.turn()["over"]["result"] == 1
        assert [one["id"] for one in visitor.get("/api/tables").json()["tables"]] == [place.row]
        assert visitor.get("/api/start").json()["tables"] == []


def line_that_ends_after_a_pass() -> Line:
    """Return a game of random moves in which a side passes, and the other's only move is last."""
    for seed in range(1000):
        rng, line = np.random.default_rng(seed), Line(GAMES["othello6"])
        while line.legal:
            line.push(int(rng.choice(line.legal)))
        if line.text(line.ply - 2) == "pass" and len(line.first(line.ply - 1).legal) == 1:
            return line
    raise AssertionError("no such game")


def test_a_pass_is_not_told_once_the_game_is_over(tmp_path):
    line = line_that_ends_after_a_pass()
    actions, side = tuple(line.actions[:-2]), line.first(line.ply - 2).side
    profile = Profile(tmp_path)
    place = profile.games.take("othello6")
    place.save(
        Saved(game="othello6", opponent="random", side=side, seed=1, actions=actions, person="Ann")
    )
    place.leave()
    profile.close()
    with serving(tmp_path) as visitor, visitor.at(place.row) as seen:
        told = seen.until(lambda new: new["over"])
        assert [one["text"] for one in told["moves"][-2:]] == ["pass", line.text(line.ply - 1)]
        assert told["note"] == told["opponent"]["note"] == ""


def test_everything_is_deleted(visitor):
    visitor.begin("connect4", "random")
    request = visitor.client.build_request("DELETE", "/api/me", json={"name": "Bob"}, headers=OWN)
    assert visitor.client.send(request).status_code == 400
    named = {"name": " aNN "}  # the capitals and the blanks of a name do not matter
    request = visitor.client.build_request("DELETE", "/api/me", json=named, headers=OWN)
    assert visitor.client.send(request).status_code == 200
    assert visitor.get("/api/start").json()["tables"] == []
