"""Finished games: their rematch, also later, and the level that follows."""

import threading

import pytest
from frontends.web.conftest import OWN, PGN, serving
from frontends.web.visits import is_refused, resigned
from starlette.testclient import WebSocketDenialResponse

from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, Profile
from evenmatch.profiles.levels import Levels


def rematch(visitor, row: int):
    return visitor.post(f"/api/tables/{row}/rematch")


def test_a_rematch_of_a_game_that_was_finished_long_ago(tmp_path):
    with serving(tmp_path) as visitor:
        row = resigned(visitor)
    with serving(tmp_path) as visitor:
        told = visitor.get(f"/api/tables/{row}").json()
        assert told["can"]["rematch"]
        assert not told["live"], "the page opens no socket, which nothing would come by"
        with pytest.raises(WebSocketDenialResponse), visitor.at(row):
            pass
        after = visitor.get(f"/api/tables/{rematch(visitor, row).json()['id']}").json()
    assert (after["side"], after["live"]) == (-told["side"], True)
    assert after["opponent"]["title"] == told["opponent"]["title"]


def test_games_without_a_rematch(visitor):
    path = "/api/me/import?game=chess&player=ann%20other&name=x.pgn"
    visitor.client.post(path, content=PGN, headers=OWN)
    row = visitor.get("/api/tables").json()["tables"][0]["id"]
    assert not visitor.get(f"/api/tables/{row}").json()["can"]["rematch"]
    is_refused(rematch(visitor, row), 400, "that game was played elsewhere; begin a new one")
    is_refused(rematch(visitor, row + 999), 404, "there is no such game")


@pytest.mark.parametrize("opponent", ["engine:cmd=touch started", "alphazero:sims=5000"])
def test_no_rematch_with_who_is_not_offered(tmp_path, opponent):
    """Whoever plays in a terminal may meet programs; the page starts none."""
    profile = Profile(tmp_path)
    saved = Saved(game="connect4", opponent=opponent, side=1, seed=0, actions=(3,), person="Ann")
    one = Finished(saved=saved, outcome=Outcome(-1, "resignation"), begun=0, ended=0)
    profile.games.add([("key", one)])
    profile.close()
    with serving(tmp_path) as visitor:
        (row,) = [game["id"] for game in visitor.get("/api/tables").json()["tables"]]
        answer = rematch(visitor, row)
    assert answer.status_code == 400
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("fails", [False, True], ids=["a level", "a failure"])
def test_it_tells_that_a_level_follows_until_it_is_there(visitor, monkeypatch, fails):
    now, judging = Levels.now, threading.Event()

    def late(levels, *args, **kwargs):
        assert judging.wait(60)
        if fails:
            raise ValueError("a fault of ours")
        return now(levels, *args, **kwargs)

    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        state = seen.move(seen.turn())
        assert not state["judging"]
        monkeypatch.setattr(Levels, "now", late)
        seen.ask("resign", state["seq"])
        over = seen.until(lambda new: new["over"])
        assert (over["judging"], over["level"]) == (True, None)
        judging.set()
        told = seen.until(lambda new: not new["judging"])
        assert told["level"] is None, "a single move tells no level"
        more = "No level yet: 9 more moves of your own are needed."
        assert told["no_level_yet"] == ("" if fails else more)


def test_a_game_without_a_move_of_the_person_is_not_kept(visitor):
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        seen.ask("resign", seen.turn()["seq"])
        assert not seen.until(lambda new: new["over"])["over"]["kept"]
    is_refused(visitor.get(f"/api/tables/{row}/review"), 404, "there is no such game")
    row = resigned(visitor)
    assert visitor.get(f"/api/tables/{row}").json()["over"]["kept"]
    assert visitor.get(f"/api/tables/{row}/review").status_code == 200


def test_no_level_follows_where_none_is_told(visitor):
    """The page *You* knows that none will come."""
    row = visitor.begin("go9", "random")
    with visitor.at(row) as seen:
        state = seen.move(seen.turn())
        seen.ask("resign", state["seq"])
        assert not seen.until(lambda new: new["over"])["judging"]
    (told,) = visitor.me()["games"]
    assert (told["id"], told["scale"], told["level"]) == ("go9", None, None)
