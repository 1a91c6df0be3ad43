"""Games that are kept: unfinished, finished, from elsewhere, and as files."""

import json
import threading

import numpy as np
import pytest
from frontends.web.conftest import OWN, PGN, serving
from frontends.web.visits import delete, is_refused, resigned
from starlette.testclient import WebSocketDenialResponse

from evenmatch.games import GAMES
from evenmatch.games.line import Line
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, Profile
from evenmatch.profiles.levels import Levels


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
        assert delete(visitor, f"/api/tables/{row}").status_code == 200
        assert visitor.get("/api/start").json()["tables"] == []


def left_behind(folder, game: str, side: int, actions) -> int:
    """Keep an unfinished game as a server that died had it; return its row."""
    profile = Profile(folder)
    place = profile.games.take(game)
    saved = Saved(game=game, opponent="random", side=side, seed=1, actions=actions, person="Ann")
    place.save(saved)
    place.leave()
    profile.close()
    return place.row


def test_a_game_that_was_over_when_the_server_died_is_finished(tmp_path):
    """Its last move was written, its end was not."""
    row = left_behind(tmp_path, "connect4", 1, (0, 1, 0, 1, 0, 1, 0))  # four in the first column
    with serving(tmp_path) as visitor:
        with visitor.at(row) as seen:
            assert seen.turn()["over"]["result"] == 1
        assert [one["id"] for one in visitor.get("/api/tables").json()["tables"]] == [row]
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
    row = left_behind(tmp_path, "othello6", side, actions)
    with serving(tmp_path) as visitor, visitor.at(row) as seen:
        told = seen.until(lambda new: new["over"])
        assert [one["text"] for one in told["moves"][-2:]] == ["pass", line.text(line.ply - 1)]
        assert told["note"] == told["opponent"]["note"] == ""


def test_everything_is_deleted(visitor):
    """The capitals and the blanks of the name do not matter."""
    visitor.begin("connect4", "random")
    assert delete(visitor, "/api/me", name="Bob").status_code == 400
    assert delete(visitor, "/api/me", name=" aNN ").status_code == 200
    assert visitor.get("/api/start").json()["tables"] == []


# -- finished games --------------------------------------------------------------------------------


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
    assert visitor.get(f"/api/tables/{row}").status_code == 200, "it is still open"
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


# -- files -----------------------------------------------------------------------------------------


def record(visitor, row: int):
    return visitor.get(f"/api/tables/{row}/record")


def test_an_unfinished_game_of_chess_is_pgn_without_a_result(visitor):
    row = visitor.begin("chess", "random")
    assert record(visitor, row).text.endswith("\n*\n\n")  # no move yet
    with visitor.at(row) as seen:
        state = seen.move(seen.turn(), "e4")
        answer = record(visitor, row)
        assert answer.headers["content-type"].startswith("application/x-chess-pgn")
        assert f'filename="chess-{row}.pgn"' in answer.headers["content-disposition"]
        assert f"1. e4 {state['moves'][1]['text']} *" in answer.text
        assert '[Result "*"]' in answer.text
        seen.ask("resign", state["seq"])
        seen.until(lambda new: new["over"])
    assert '[Result "0-1"]' in record(visitor, row).text


def test_an_unfinished_game_of_go_is_sgf_without_a_result(visitor):
    row = visitor.begin("go9", "random", komi=5.5)
    with visitor.at(row) as seen:
        seen.move(seen.turn(), "E5")
        text = record(visitor, row).text
    assert ";B[ee]" in text
    assert "KM[5.5]" in text
    assert "RE[" not in text


def test_an_unfinished_game_without_a_notation_is_json(visitor):
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        seen.move(seen.turn(), "4")
        told = json.loads(record(visitor, row).text)
    assert (told["result"], told["moves"][0], told["ending"]) == (None, "4", "")
    assert told["ended"] is None


def test_a_file_of_games_is_rated(visitor):
    answer = visitor.client.post("/api/ratings?game=chess&name=x.pgn", content=PGN, headers=OWN)
    events = visitor.get(f"/api/ratings/{answer.json()['id']}/events").text.split("\n\n")
    named = [event.split("\n")[0].removeprefix("event: ") for event in events if event]
    assert named[0] == "progress"
    assert named[-1] == "end"
    told = [event.split("data: ")[1] for event in events if event.startswith("event: row")]
    rows = list(map(json.loads, told))
    assert {row["player"]: row["games"] for row in rows} == {"Ann Other": 2, "Bob": 1, "Cid": 1}
    assert all(row["low"] < row["rating"] < row["high"] for row in rows)


def test_games_from_elsewhere_are_taken_in(visitor):
    path = "/api/me/import?game=chess&player=ann%20other&name=x.pgn"
    answer = visitor.client.post(path, content=PGN, headers=OWN)
    assert "Added 2 games." in answer.json()["text"]
    assert "you have already" in visitor.client.post(path, content=PGN, headers=OWN).json()["text"]
    told = visitor.me()
    assert len(told["finished"]) == 2
    assert told["games"][0]["level"]["games"] == 2
    assert told["exports"] == ["pgn", "json"]
    assert {one["played"] for one in told["finished"]} == {"2022-05"}
    assert visitor.get("/api/me/export?form=pgn").text.count("[White ") == 2
    wrong = visitor.client.post(path.replace("ann%20other", "Zoe"), content=PGN, headers=OWN)
    assert wrong.status_code == 400
    assert wrong.json()["error"].endswith("; check the name that you typed")


def test_files_of_games_that_are_not_offered_are_refused(tmp_path):
    with serving(tmp_path, games=("connect4",)) as visitor:
        for path in ("/api/me/import?game=chess&player=Bob", "/api/ratings?game=chess"):
            answer = visitor.client.post(path, content=PGN, headers=OWN)
            assert answer.status_code == 400
            assert "not played here" in answer.json()["error"]
