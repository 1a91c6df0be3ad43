"""Games over the socket, and what of them is kept."""

import json
import socket
import threading

import numpy as np
import pytest
from frontends.web.conftest import OWN, PGN, serving
from frontends.web.visits import delete, is_refused
from starlette.websockets import WebSocketDisconnect

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.web import page_routes, warming
from evenmatch.frontends.web.facts import of_game
from evenmatch.frontends.web.server import serve
from evenmatch.frontends.web.sockets import PUT_AWAY
from evenmatch.frontends.web.table import Table
from evenmatch.games import GAMES, get_game
from evenmatch.players import Networks
from evenmatch.profiles import Profile
from evenmatch.profiles.judges import LADDER
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.saved import Saved
from evenmatch.strength import dials


def test_what_the_page_needs_first(visitor):
    told = visitor.get("/api/start").json()
    games = {game["id"]: game for game in told["games"]}
    assert set(games) == {"connect4", "othello6", "othello", "chess", "go9", "go13", "go"}
    assert told["you"] == {"name": "Ann", "guest": False, "played": False}
    assert told["tables"] == []
    chess = games["chess"]
    assert (chess["written"], chess["mine"], chess["draws_agreed"]) == ("elo", True, True)
    assert games["go9"]["look"]["stars"]
    assert {name for name, game in games.items() if game["estimated"]} == {"chess", "go"}
    scales = {"chess": "lichess-rapid", "go": "ogs"}
    scales |= dict.fromkeys(("connect4", "othello6", "othello"), LADDER)
    assert {name: game["scale"] for name, game in games.items() if game["scale"]} == scales
    assert chess["on_scale"] == "on the scale lichess-rapid"
    assert games["connect4"]["on_scale"].startswith("Elo among Evenmatch’s own players")
    assert games["go9"]["on_scale"] == ""
    offered = {one["name"]: one for one in chess["players_"]}
    assert "engine" not in offered
    assert "alphadda1" not in offered  # it does not play chess
    assert not {"net", "seconds"} & {key["name"] for key in offered["alphazero"]["keys"]}


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
            ("undo", {}, "there is no move to take back"),
            ("fly", {}, "that cannot be asked of a game"),
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


def test_levels_are_offered_where_somebody_plays_at_them(tmp_path, monkeypatch):
    """A game that is not calibrated has its opponent chosen among players, `even` among them."""

    def tell(name):  # facts are kept, but curves change here
        return of_game.__wrapped__(get_game(name), Networks(get_game(name)))

    assert all(tell(name)["rated"] for name in GAMES)
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")
    assert {name for name in GAMES if tell(name)["rated"]} == {"chess", "go", "go9", "go13"}
    assert "even" in [player["name"] for player in tell("othello6")["players_"]]


def test_players_are_listed_as_they_are_called_in_games(visitor):
    games = {one["id"]: one["players_"] for one in visitor.get("/api/start").json()["games"]}
    titles = {game: {one["name"]: one["title"] for one in games[game]} for game in games}
    othello, chess = titles["othello6"], titles["chess"]
    assert (othello["even"], othello["mcts"]) == ("Evenmatch (even)", "mcts")
    assert (chess["pikl"], chess["human"]) == ("Evenmatch at 1500 (pikl)", "human at 1500")
    for listed in titles.values():
        assert len(set(listed.values())) == len(listed), "none is called as another is"


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
    keep, reached, held = Table._keep, threading.Event(), threading.Event()

    def late(table):
        keep(table)
        if table.session.yours:
            reached.set()
            held.wait(60)

    row = visitor.begin("connect4", "random", clock={"minutes": 5, "increment": 2})
    with visitor.at(row) as seen:
        state = seen.turn()
        monkeypatch.setattr(Table, "_keep", late)
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
    place.write(
        Saved(game="connect4", opponent="random", side=1, seed=1, actions=moves, person="Ann")
    )
    place.leave()
    profile.close()
    with serving(tmp_path) as visitor:
        with visitor.at(place.row) as seen:
            assert seen.turn()["over"]["result"] == 1
        assert [one["id"] for one in visitor.get("/api/tables").json()["tables"]] == [place.row]
        assert visitor.get("/api/start").json()["tables"] == []


def line_that_ends_after_a_pass() -> GameLine:
    """Return a game of random moves in which a side passes, and the other's only move is last."""
    for seed in range(1000):
        rng, line = np.random.default_rng(seed), GameLine(GAMES["othello6"])
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
    place.write(
        Saved(game="othello6", opponent="random", side=side, seed=1, actions=actions, person="Ann")
    )
    place.leave()
    profile.close()
    with serving(tmp_path) as visitor, visitor.at(place.row) as seen:
        told = seen.until(lambda new: new["over"])
        assert [one["text"] for one in told["moves"][-2:]] == ["pass", line.text(line.ply - 1)]
        assert told["note"] == told["opponent"]["note"] == ""


def test_games_of_others_are_not_there(tmp_path):
    with serving(tmp_path, "Bob") as bob:
        row = bob.begin("connect4", "random")
        with bob.at(row) as seen:
            seen.move(seen.turn())
        done = bob.begin("connect4", "random")
        with bob.at(done) as seen:
            state = seen.move(seen.turn())
            seen.ask("resign", state["seq"])
            seen.until(lambda new: new["over"])
    with serving(tmp_path, "Ann") as ann:
        assert ann.get("/api/start").json()["tables"] == []
        for path in (f"/api/tables/{row}", f"/api/tables/{done}", f"/api/tables/{done}/record"):
            assert ann.get(path).status_code == 404
        assert ann.client.delete(f"/api/tables/{row}", headers=OWN).status_code == 404
        with pytest.raises(WebSocketDisconnect), ann.at(row) as seen:
            seen.turn()


@pytest.mark.parametrize(
    ("opponent", "error"),
    [
        ({"name": "engine", "keys": {"cmd": "touch /tmp/x"}}, "there is no player"),
        ({"name": "alphazero", "keys": {"net": "/etc/passwd"}}, "no setting"),
        ({"name": "alphazero", "keys": {"sims": "1,net=/etc/passwd"}}, "is no value"),
        ({"name": "alphazero", "keys": {"sims": "1000000"}}, "at most 1000"),
        ({"name": "alphazero", "keys": {"sims": 3}}, "is no value"),
        ({"level": "9999"}, "choose one from 700 to 2500"),
        ({"name": ["x"]}, "does not say the name"),
    ],
)
def test_opponents_that_are_not_offered(visitor, opponent, error):
    answer = visitor.post("/api/tables", game="chess", opponent=opponent)
    assert answer.status_code == 400
    assert error in answer.json()["error"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": "tictactoe"},
        {"game": 3},
        {"start": "no position"},
        {"start": "x" * 5000},
        {"clock": {"minutes": "many"}},
        {"clock": {"minutes": 0}},
        {"clock": {"minutes": 5, "increment": -1}},
        {"game": "go9", "komi": 1e9},
        {"game": "go9", "handicap": 50},
        {"game": "go9", "komi": 5.5, "start": "AB[ee]PL[W]"},
        {"game": "go9", "start": "KM[500]"},
    ],
)
def test_games_that_cannot_be(visitor, wrong):
    asked = {"game": "chess", "opponent": {"name": "random"}} | wrong
    answer = visitor.post("/api/tables", **asked)
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert visitor.get("/api/start").json()["tables"] == []


def test_other_sites_and_hosts_are_refused(visitor):
    client, body = visitor.client, {"game": "chess"}
    for headers in (
        {},
        {"x-evenmatch": "1", "origin": "http://elsewhere.example"},
        {"x-evenmatch": "1", "host": "elsewhere.example"},
    ):
        assert client.post("/api/tables", json=body, headers=headers).status_code == 403
    assert client.get("/", headers={"host": "elsewhere.example"}).status_code == 403
    row = visitor.begin("connect4", "random")
    for headers in ({}, {"origin": "http://elsewhere.example"}):
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(f"/api/tables/{row}/socket", headers=headers) as socket,
        ):
            socket.receive_json()


def test_bodies_are_bounded_and_headers_are_set(visitor):
    answer = visitor.client.post("/api/tables", content=b"x" * 100_000, headers=OWN)
    assert answer.status_code == 413
    for path in ("/", "/play/3", "/static/app.js", "/api/start", "/nowhere"):
        answer = visitor.get(path)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert visitor.get("/api/start").headers["cache-control"] == "no-store"
    assert visitor.get("/static/../routes.py").status_code == 404


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


def test_a_file_that_is_none(visitor):
    for content, error in ((b"", "empty"), (b"\x00\xff nonsense", "")):
        path = "/api/ratings?game=chess&name=../x"
        answer = visitor.client.post(path, content=content, headers=OWN)
        text = visitor.get(f"/api/ratings/{answer.json()['id']}/events").text
        assert error in text
        assert "event: problem" in text or "event: end" in text
    answer = visitor.client.post("/api/ratings?game=connect4", content=b"x", headers=OWN)
    assert answer.status_code == 400


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


def test_a_side_that_is_no_word_is_refused(visitor):
    asked = {"game": "connect4", "opponent": {"name": "random"}, "side": ["first"]}
    answer = visitor.post("/api/tables", **asked)
    assert answer.status_code == 400
    assert answer.json()["error"] == "the side cannot be read; reload the page"


def test_everything_is_deleted(visitor):
    visitor.begin("connect4", "random")
    request = visitor.client.build_request("DELETE", "/api/me", json={"name": "Bob"}, headers=OWN)
    assert visitor.client.send(request).status_code == 400
    named = {"name": " aNN "}  # the capitals and the blanks of a name do not matter
    request = visitor.client.build_request("DELETE", "/api/me", json=named, headers=OWN)
    assert visitor.client.send(request).status_code == 200
    assert visitor.get("/api/start").json()["tables"] == []


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


def test_it_tells_that_it_prepares_before_it_does(tmp_path, monkeypatch, capsys):
    told = []
    monkeypatch.setattr(warming, "is_compiled", lambda game: False)

    def note(*args, **kwargs):
        told.append(capsys.readouterr().err)

    monkeypatch.setattr(warming, "first_move", note)
    monkeypatch.setattr(page_routes, "warm_up", lambda service: None)
    monkeypatch.setattr("uvicorn.Server.run", note)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve("127.0.0.1", port, None, tmp_path, games=["connect4"])
    assert told[0].startswith("Preparing the games; ")
    assert told[1] == "", "another opponent"
    assert told[2].startswith(f"Open http://127.0.0.1:{port} ")


def test_what_was_compiled_is_loaded_behind_the_page(tmp_path, monkeypatch, capsys):
    """It stops with the server: a move that is being made is the last."""
    moves, served = [], threading.Event()

    def slow(spec, game):
        moves.append(spec)
        served.wait(20)

    def run(*args, **kwargs):
        assert "Preparing" not in capsys.readouterr().err
        threading.Timer(0.2, served.set).start()

    monkeypatch.setattr(warming, "is_compiled", lambda game: True)
    monkeypatch.setattr(warming, "first_move", slow)
    monkeypatch.setattr("uvicorn.Server.run", run)
    serve("127.0.0.1", 0, None, tmp_path, games=["connect4", "othello"])
    assert moves == ["even"]


def test_what_loads_behind_the_page_ends_with_a_start_that_fails(tmp_path, monkeypatch):
    def fail(service):
        raise StateError("the profile cannot be read")

    moves, begun = [], threading.Event()

    def slow(spec, game):
        moves.append(spec)
        begun.wait(1)

    monkeypatch.setattr(warming, "is_compiled", lambda game: True)
    monkeypatch.setattr(warming, "first_move", slow)
    monkeypatch.setattr(page_routes, "warm_up", fail)
    with pytest.raises(StateError):
        serve("127.0.0.1", 0, None, tmp_path, games=["connect4", "othello"])
    assert moves == ["even"]
    assert not any(thread.name == "warming" for thread in threading.enumerate())


def test_a_folder_that_cannot_keep_games_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"games cannot be kept in .*; choose another --state"):
        serve("127.0.0.1", 1, None, tmp_path / "file" / "state")


def test_options_that_do_not_go_together(refused):
    assert "leave out --name" in refused("web", "--people", "--name", "Ann")
    assert "add --people" in refused("web", "--proxied")
