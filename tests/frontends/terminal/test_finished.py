"""Finished games of chess as PGN, read again by python-chess."""

import datetime
import io
import stat

import chess.pgn
import pytest

from evenmatch.frontends.terminal import finished
from evenmatch.games import get_game
from evenmatch.records.chess.pgn import read_games
from evenmatch.sessions.session import End, Session

CHESS = get_game("chess")
MATE = "f2f3 e7e5 g2g4 d8h4"


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path / "state"))

    def play(words, side=-1, opponent="random", person=None, game=CHESS):
        one = Session(game, opponent, side, 1, person)
        for word in words.split():
            one.push(game.read_action(one.state, word))
        return one

    return play


def test_a_game_is_read_again_as_it_was_played(session):
    text = finished.pgn_of(session(MATE, person="Ann"), datetime.date(2026, 5, 4))
    game = chess.pgn.read_game(io.StringIO(text))
    assert not game.errors
    assert [move.uci() for move in game.mainline_moves()] == MATE.split()
    assert dict(game.headers) == {
        "Event": "evenmatch", "Site": "?", "Date": "2026.05.04", "Round": "?",
        "White": "evenmatch random", "Black": "Ann", "Result": "0-1",
        "WhiteElo": "?", "BlackElo": "?",
    }  # fmt: skip


def test_any_name_can_be_kept(session):
    """Line breaks become spaces; quotes and backslashes stay."""
    path = finished.keep(session(MATE, person='A\tb\n"c" \\'))
    (record,) = read_games(path)
    assert record.players == ("evenmatch random", 'A b "c" \\')


@pytest.mark.parametrize(("side", "result"), [(1, "0-1"), (-1, "1-0")])
def test_who_resigns_loses(session, side, result):
    one = session("e2e4 e7e5", side)
    one.end = End.YOU_RESIGNED
    game = chess.pgn.read_game(io.StringIO(finished.pgn_of(one, datetime.date(2026, 5, 4))))
    assert game.headers["Result"] == result
    assert game.headers["Termination"] == "resignation"


@pytest.mark.parametrize(
    ("opponent", "rating"), [("human:elo=1700", "1700"), ("human", "1500"), ("random", "?")]
)
def test_the_opponent_s_rating_is_told(session, opponent, rating):
    """The one it has by itself, too."""
    one = session(MATE, opponent=opponent)
    game = chess.pgn.read_game(io.StringIO(finished.pgn_of(one, datetime.date(2026, 5, 4))))
    name = opponent.partition(":")[0]
    assert (game.headers["White"], game.headers["WhiteElo"]) == (f"evenmatch {name}", rating)


def test_games_are_added(session):
    """And are the person's alone."""
    path = finished.keep(session(MATE))
    assert finished.keep(session(MATE, side=1)) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open() as text:
        names = [chess.pgn.read_game(text).headers["Black"] for _ in range(2)]
        assert chess.pgn.read_game(text) is None
    assert names == ["You", "evenmatch random"]


def test_what_nobody_played_is_not_kept(session):
    assert finished.keep(session("")) is None
    assert finished.keep(session("4", game=get_game("connect4"))) is None
    assert not finished.path().exists()
