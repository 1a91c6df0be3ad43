"""Games over the socket: moves, hints, scores and clocks."""

import json
import re
import threading

import pytest
from frontends.web.visits import delete, is_refused
from starlette.websockets import WebSocketDisconnect

from evenmatch.frontends.web.auth import PUT_AWAY
from evenmatch.profiles import KeptGame, Profile


def test_a_game_to_its_end(visitor, tmp_path):
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        state = seen.turn()
        while not state["over"]:
            assert state["cells"].count(0) == 42 - len(state["moves"])
            state = seen.move(state)
    assert state["over"]["text"].endswith(".")
    listed = visitor.get("/api/tables").json()["tables"]
    assert [one["id"] for one in listed] == [row]
    assert listed[0]["over"]["result"] == state["over"]["result"]
    again = visitor.get(f"/api/tables/{row}").json()
    assert (again["moves"], again["cells"]) == (state["moves"], state["cells"])
    assert len(again["boards"]) == len(state["moves"]) + 1
    assert again["boards"][-1] == state["cells"]
    profile = Profile(tmp_path)
    (kept,) = profile.games.finished("Ann", "connect4")
    assert kept.outcome.result == state["over"]["result"]
    profile.close()
    record = visitor.get(f"/api/tables/{row}/record")
    assert json.loads(record.text)["moves"] == [move["text"] for move in state["moves"]]
    review = visitor.get(f"/api/tables/{row}/review").json()
    assert len(review["chances"]) == len(state["moves"]) + 1
    page = visitor.get("/api/me").json()
    assert [game["id"] for game in page["games"]] == ["connect4"]
    assert page["games"][0]["scores"][0]["games"] == 1


def test_a_move_that_is_sent_twice_is_played_once(visitor):
    """By two tabs: who asks of an older state gets the present one."""
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as one, visitor.at(row) as other:
        state, same = one.turn(), other.turn()
        assert state["seq"] == same["seq"]
        after = one.move(state, "1")
        other.ask("move", same["seq"], move="1")
        seen = other.until(lambda new: new["seq"] == after["seq"])
        assert seen["moves"] == after["moves"]
        assert len(after["moves"]) == 2


def test_what_is_refused_changes_nothing(visitor):
    row = visitor.begin("chess", "random")
    with visitor.at(row) as seen:
        state = seen.turn()
        for do, more, error in (
            ("move", {"move": "Ke4"}, "Ke4"),
            ("agree", {}, "there is no score to agree on"),
            ("undo", {}, "there is no move of yours to take back"),
            ("fly", {}, "a game has no such action"),
            ("move", {"move": "e4" * 2500}, "a move has at most 20 letters; type a shorter one"),
            ("move", {}, "None"),
        ):
            seen.ask(do, state["seq"], **more)
            assert error in seen.refusal()
            state = seen.turn()
            assert state["moves"] == []
        for garbage in ("", "[]", "{", '"x"', "\x00"):
            seen.socket.send_text(garbage)
        seen.ask("look", 0)
        assert seen.turn()["moves"] == []


def test_who_watches_a_game_that_is_deleted_is_told_no_more(visitor):
    row = visitor.begin("connect4", "random")
    with visitor.at(row) as seen:
        seen.turn()
        assert delete(visitor, f"/api/tables/{row}").status_code == 200
        with pytest.raises(WebSocketDisconnect) as gone:
            seen.until(lambda state: False)
    assert gone.value.code == PUT_AWAY


def test_a_game_may_be_looked_at_while_the_opponent_thinks(visitor):
    row = visitor.begin("connect4", "mcts", keys={"sims": "200"})
    with visitor.at(row) as seen:
        state = seen.turn()
        while not state["over"]:
            seen.ask("move", state["seq"], move=state["legal"][0]["move"])
            for _ in range(10):
                told = visitor.get(f"/api/tables/{row}").json()
                assert len(told["boards"]) == len(told["moves"]) + 1
                assert told["boards"][-1] == told["cells"]
            state = seen.until(
                lambda new, old=state: new["seq"] > old["seq"] and (new["yours"] or new["over"])
            )


def test_undo_hint_and_resigning(visitor):
    row = visitor.begin("connect4", "random", keys={})
    with visitor.at(row) as seen:
        state = seen.move(seen.turn(), "4")
        seen.ask("undo", state["seq"])
        state = seen.until(lambda new: new["seq"] > state["seq"])
        assert state["moves"] == []
        seen.ask("hint", state["seq"])
        state = seen.until(lambda new: new["hint"])
        assert state["hint"]["move"] in {one["move"] for one in state["legal"]}
        seen.ask("resign", 0)  # whatever was seen last
        over = seen.until(lambda new: new["over"])
        assert over["over"]["result"] == -1


def test_a_rematch_swaps_the_sides(visitor):
    row = visitor.begin("connect4", "random", clock={"minutes": 5, "increment": 2})
    with visitor.at(row) as seen:
        assert not seen.turn()["can"]["rematch"]
        path = f"/api/tables/{row}/rematch"
        is_refused(visitor.post(path), 400, "the game is not over; resign it first")
        seen.ask("resign", 0)
        assert seen.until(lambda new: new["over"])["can"]["rematch"]
    after = visitor.get(f"/api/tables/{visitor.post(path).json()['id']}").json()
    assert (after["side"], after["clock"]["increment"]) == (-1, 2)


def test_a_game_of_go_is_agreed_on_or_played_on(visitor):
    row = visitor.begin("go9", "random", komi=0.5, handicap=2, side="second")
    with visitor.at(row) as seen:
        state = seen.turn()
        assert state["cells"].count(1) == 2
        for _ in range(200):
            seen.ask("pass", state["seq"])
            state = seen.turn_or_score(state)
            if state["score"]:
                break
        assert state["score"]["settle"]
        seen.ask("play_on", state["seq"])
        state = seen.turn_or_score(state)
        for _ in range(200):
            if state["score"]:
                break
            seen.ask("pass", state["seq"])
            state = seen.turn_or_score(state)
        seen.ask("agree", state["seq"])
        over = seen.until(lambda new: new["over"])
        assert over["score"]["text"][0] in "BW0"


def test_the_clock_is_that_of_the_moves_that_are_told(visitor, monkeypatch):
    """Who looks while the opponent's move is being kept sees neither it nor its clock."""
    save, reached, held = KeptGame.save, threading.Event(), threading.Event()

    def late(kept, saved):
        save(kept, saved)
        if len(saved.actions) % 2 == 0:
            reached.set()
            held.wait(60)

    row = visitor.begin("connect4", "random", clock={"minutes": 5, "increment": 2})
    with visitor.at(row) as seen:
        state = seen.turn()
        monkeypatch.setattr(KeptGame, "save", late)
        seen.ask("move", state["seq"], move=state["legal"][0]["move"])
        assert reached.wait(60)
        with visitor.at(row) as other:
            told = other.until(lambda new: True)
        held.set()
        after = seen.turn()
    assert (len(told["moves"]), told["clock"]["running"]) == (1, -1)
    assert told["clock"]["left"]["-1"] <= 300
    assert (len(after["moves"]), after["clock"]["running"]) == (2, 1)


def test_time_runs_out(visitor):
    row = visitor.begin("connect4", "random", clock={"minutes": 0.005, "increment": 0})
    with visitor.at(row) as seen:
        over = seen.until(lambda new: new["over"])
        assert over["over"]["ending"] == "time forfeit"


def test_an_opponent_of_a_level_is_called_by_the_programs_name(visitor):
    """Its method is told beside."""
    asked = {"game": "chess", "opponent": {"level": "1500"}, "side": "first"}
    row = visitor.post("/api/tables", **asked).json()["id"]
    with visitor.at(row) as seen:
        state = seen.move(seen.turn(), "e4")
        assert state["opponent"]["title"] == "Evenmatch at 1500"
        assert state["opponent"]["method"].startswith("pikl: ")
        seen.ask("resign", state["seq"])
        over = seen.until(lambda new: new["over"])["over"]
    assert over["text"] == "You resigned: Evenmatch at 1500 wins."
    assert visitor.get("/api/tables").json()["tables"][0]["opponent"] == "Evenmatch at 1500"
    assert visitor.get(f"/api/tables/{row}").json()["opponent"]["method"].startswith("pikl: ")


def test_a_game_without_levels_has_an_opponent_at_ones_level_too(visitor):
    asked = {"game": "go9", "side": "first", "opponent": {"mine": True}}
    row = visitor.post("/api/tables", **asked).json()["id"]
    with visitor.at(row) as seen:
        assert seen.turn()["opponent"]["title"] == "Evenmatch, at about your level"


def test_the_default_opponent_says_who_it_is_and_how_its_level_moved(visitor, tmp_path):
    """After one move there is no level and no mistake; the next opponent begins with the belief."""
    row = visitor.post("/api/tables", game="chess", side="first").json()["id"]
    with visitor.at(row) as seen:
        state = seen.turn()
        assert state["opponent"]["title"] == "Evenmatch, at about your level"
        assert state["opponent"]["now"].startswith("Evenmatch has not moved yet")
        state = seen.move(state, "e4")
        assert re.fullmatch(r"Evenmatch plays at about \d+0 now\.", state["opponent"]["now"])
        seen.ask("resign", state["seq"])
        state = seen.until(lambda new: new["over"])
        told = r"It took you for \d+0 by this game, and played at about \d+0"
        assert re.match(told, state["over"]["story"])
        assert state["opponent"]["now"] == ""
        state = seen.until(lambda new: not new["judging"])
        missing = "No level yet: 9 more moves of your own are needed."
        assert (state["level"], state["no_level_yet"]) == (None, missing)
    (chess,) = visitor.me()["games"]
    assert (chess["level"], chess["no_level_yet"], chess["history"]) == (None, missing, [])
    assert all(game["level"] is None for game in visitor.get("/api/start").json()["games"])
    assert visitor.get(f"/api/tables/{row}/review").json()["losses"] == []
    after = visitor.post(f"/api/tables/{row}/rematch").json()["id"]
    (game,) = Profile(tmp_path).games.unfinished(row=after)
    assert re.fullmatch(r"even:elo=1\d{3},unsure=[23]\d\d,moves=0\.\d+", game.saved.opponent)
    assert game.saved.by_profile
    assert not Profile(tmp_path).memories.recall("chess", game.saved.opponent, "Ann")
