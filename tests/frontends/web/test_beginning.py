"""The beginning of a game: what the page offers, and what cannot be asked for."""

import pytest

from evenmatch.frontends.web.serialize import of_game
from evenmatch.games import GAMES, get_game
from evenmatch.opponents import Engine, dials
from evenmatch.opponents.rating_range import supported_text
from evenmatch.profiles.raters import LADDER


def test_what_the_page_needs_first(visitor):
    told = visitor.get("/api/start").json()
    games = {game["id"]: game for game in told["games"]}
    assert set(games) == {"connect4", "othello6", "othello", "chess", "go9", "go13", "go"}
    assert told["you"] == {"name": "Ann", "guest": False, "played": False}
    assert told["tables"] == []
    chess = games["chess"]
    assert (chess["written"], chess["levels"], chess["draws_agreed"]) == ("elo", True, True)
    assert games["go9"]["look"]["stars"]
    assert all(game["mine"] for game in games.values()), "an opponent at one's level, in all games"
    assert not games["go9"]["levels"], "it is found out from moves alone"
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


def test_levels_are_offered_where_somebody_plays_at_them(tmp_path, monkeypatch):
    """A game that is not calibrated has its opponent chosen among players; `even` needs a dial."""

    def tell(name):  # facts are kept, but curves change here
        return of_game.__wrapped__(get_game(name), Engine(get_game(name)))

    assert all(tell(name)["rated"] for name in GAMES)
    monkeypatch.setattr(dials, "shipped_curve_path", lambda *_: tmp_path / "none.json")
    assert {name for name in GAMES if tell(name)["rated"]} == {"chess", "go", "go9", "go13"}
    offered = {player["name"] for player in tell("othello6")["players_"]}
    assert "alphazero" in offered
    assert "even" not in offered
    assert not tell("othello6")["mine"]


@pytest.mark.parametrize(
    ("opponent", "error"),
    [
        ({"name": "engine", "keys": {"cmd": "touch /tmp/x"}}, "there is no player"),
        ({"name": "alphazero", "keys": {"net": "/etc/passwd"}}, "no setting"),
        ({"name": "alphazero", "keys": {"sims": "1,net=/etc/passwd"}}, "is no value"),
        ({"name": "alphazero", "keys": {"sims": "1000000"}}, "at most 1000"),
        ({"name": "alphazero", "keys": {"sims": 3}}, "cannot be read: expected str"),
        ({"level": "9999"}, f"choose a level from {supported_text('chess')}"),
        ({"name": ["x"]}, "name cannot be read: expected str"),
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
