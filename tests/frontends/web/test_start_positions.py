"""Games from what visitors paste: positions, and the ends of whole games."""

import json

import pytest
from frontends.web.conftest import OWN, PGN
from frontends.web.visits import is_refused

SGF = (
    "(;FF[4]GM[1]CA[UTF-8]AP[Sabaki:0.52]SZ[9]KM[5.5]RU[Japanese]PB[Ann \\] B]PW[Bob]RE[B+R]"
    "AB[ee]AW[aa]PL[W]C[a (game)];W[ba];B[ab](;W[cc]C[good];B[bb];W[];B[ca])(;W[gg]))"
)


def begun(visitor, game: str, start: str, **more):
    asked = {"game": game, "opponent": {"name": "random"}, "side": "first", "start": start}
    return visitor.post("/api/tables", **asked, **more)


def seen_at(visitor, game: str, start: str) -> dict:
    answer = begun(visitor, game, start)
    assert answer.status_code == 200, answer.text
    return visitor.get(f"/api/tables/{answer.json()['id']}").json()


def stones(state, size: int = 9) -> dict[str, int]:
    letters = "abcdefghijklmnopqrs"
    first = state["boards"][0]
    return {letters[k % size] + letters[k // size]: x for k, x in enumerate(first) if x}


def test_a_whole_game_of_go_goes_on_where_its_main_line_ends(visitor):
    state = seen_at(visitor, "go9", SGF)
    # Black took the two stones in the corner
    assert stones(state) == {"ee": 1, "ab": 1, "bb": 1, "ca": 1, "cc": -1}
    row = visitor.get("/api/start").json()["tables"][0]["id"]
    text = visitor.get(f"/api/tables/{row}/record").text
    assert "KM[5.5]" in text
    assert "PL[W]" in text


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ("(;SZ[19];B[pd])", "that text has a board of 19x19, and this game one of 9x9; "),
        ("(;SZ[9];B[ee];W[ee])", "that text:1: an illegal move: ee; "),
        ("(;SZ[9]KM[150];B[ee])", "that position has a komi beyond 100; "),
        ("E5 then C3", "that text has no game of 9x9 Go: "),
        ("(" * 49_000, ""),
        (f"(;SZ[9]C[{'x' * 51_000}])", "start cannot be read: expected str of length <= 50000; "),
    ],
)  # fmt: skip
def test_what_does_not_fit_go_is_told_in_a_line(visitor, start, error):
    is_refused(begun(visitor, "go9", start), 400, error)


@pytest.mark.parametrize("game", ["go9", "chess"])
def test_letters_that_are_none_are_refused(visitor, game):
    asked = {"game": game, "opponent": {"name": "random"}, "start": "(;SZ[9]C[\ud800])"}
    answer = visitor.client.post("/api/tables", content=json.dumps(asked), headers=OWN)
    is_refused(answer, 400, "the request cannot be read; reload the page")


def test_komi_is_not_told_twice(visitor):
    for more in ({"komi": 5.5}, {"handicap": 2}):
        answer = begun(visitor, "go9", "AB[ee]PL[W]", **more)
        is_refused(answer, 400, "a position has its own komi and handicap; leave both empty")


def test_a_whole_game_of_chess_goes_on_where_it_ends(visitor):
    game = PGN.replace("Ke6 8. Nc3", "Ke6 {a word} (7... Kg8) 8. Nc3")
    state = seen_at(visitor, "chess", game)
    row = state["table"]
    fen = "r1bq1b1r/ppp3pp/2n1k3/3np3/2B5/2N2Q2/PPPP1PPP/R1B1K2R b KQ - 3 8"
    assert f'[FEN "{fen}"]' in visitor.get(f"/api/tables/{row}/record").text
    assert stones(seen_at(visitor, "chess", "1. e4 e5"), 8)["ed"] != 0


@pytest.mark.parametrize(
    ("game", "start"), [("chess", PGN), ("go9", "(;SZ[9];B[ee])(;SZ[9];B[cc])")]
)
def test_of_several_games_it_says_that_it_takes_the_first(visitor, game, start):
    told = "What you pasted has 2 games; you continue from the end of the first."
    assert told in seen_at(visitor, game, start)["opponent"]["note"]
    one = start[: len(start) // 2]
    assert seen_at(visitor, game, one)["opponent"]["note"] == ""


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ("1. e4 e5 2. Ke4", "that text:1: an illegal move: Ke4; "),
        ("hello", "that text has no moves and no position; give PGN or FEN"),
        ("1. f3 e5 2. g4 Qh4# 0-1", "the game is over in that position; paste another"),
        ("(" * 49_000, ""),
    ],
)
def test_what_is_no_position_of_chess_is_told_in_a_line(visitor, start, error):
    is_refused(begun(visitor, "chess", start), 400, error)


def test_what_is_pasted_is_not_logged(visitor, caplog):
    begun(visitor, "chess", '[White "Secret"]\n\n1. e4 Ke4')
    assert "Secret" not in caplog.text
    long = f'[FEN "{"x" * 3000}"]\n\n1. e4'
    assert len(begun(visitor, "chess", long).text) < 500


def test_what_a_position_cannot_mean_is_told(visitor):
    fen = "4k3/8/8/8/8/8/4P3/4K3 w"
    state = seen_at(visitor, "chess", f'"{fen} KQkq \N{EN DASH}"')
    told = "Castling rights KQkq are dropped: king or rook is not where it begins."
    assert told in state["opponent"]["note"]
    assert f'[FEN "{fen} - - 0 1"]' in visitor.get(f"/api/tables/{state['table']}/record").text
    assert len(stones(seen_at(visitor, "chess", "startpos"), 8)) == 32
    is_refused(begun(visitor, "chess", f"{fen} HA -"), 400, "Chess960 is not supported")


def test_positions_are_taken_as_before(visitor):
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    assert stones(seen_at(visitor, "chess", fen), 8).keys() == {"ea", "eg", "eh"}
    assert stones(seen_at(visitor, "go9", "KM[0.5]AB[dd]PL[W]")) == {"dd": 1}
