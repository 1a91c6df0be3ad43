"""Files of games that visitors send: rated, or taken in as their own."""

import json

from frontends.web.conftest import OWN, PGN, serving


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
