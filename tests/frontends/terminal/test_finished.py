"""Finished games: chess as PGN, read again by python-chess, and Go as SGF, by sgfmill."""

import datetime
import io
import stat

import chess.pgn
import pytest
from sgfmill import sgf

from evenmatch.frontends.terminal.game import record, record_path
from evenmatch.games import get_game
from evenmatch.opponents.table import player_name
from evenmatch.play.played_game import End
from evenmatch.play.session import Session
from evenmatch.profiles import Finished, Outcome
from evenmatch.profiles.export import text_of
from evenmatch.records.codec import codec_for

CHESS = get_game("chess")
MATE = "f2f3 e7e5 g2g4 d8h4"
NOON = datetime.datetime(2026, 5, 4, 12).timestamp()


def written(session):
    """Return a game that ended on a day of 2026 as text."""
    ended = Finished(saved=session.saved, outcome=Outcome.of(session), begun=NOON, ended=NOON)
    return text_of(ended)


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path / "state"))

    def play(words, side=-1, opponent="random", person=None, game=CHESS, start=""):
        one = Session(game, opponent, side, 1, person, start=start)
        for word in words.split():
            one.push(game.read_action(one.state, word))
        return one

    return play


def test_a_game_is_read_again_as_it_was_played(session):
    text = written(session(MATE, person="Ann"))
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
    assert record(session(MATE, person='A\tb\n"c" \\'))
    (game,) = codec_for("chess").games(record_path("chess"))
    assert game.players == ("evenmatch random", 'A b "c" \\')


@pytest.mark.parametrize(("side", "result"), [(1, "0-1"), (-1, "1-0")])
def test_who_resigns_loses(session, side, result):
    one = session("e2e4 e7e5", side)
    one.end = End.YOU_RESIGNED
    game = chess.pgn.read_game(io.StringIO(written(one)))
    assert game.headers["Result"] == result
    assert game.headers["Termination"] == "resignation"


@pytest.mark.parametrize(
    ("opponent", "rating"), [("human:elo=1700", "1700"), ("human", "1500"), ("random", "?")]
)
def test_the_opponent_s_rating_is_told(session, opponent, rating):
    """The one it has by itself, too."""
    one = session(MATE, opponent=opponent)
    game = chess.pgn.read_game(io.StringIO(written(one)))
    name = opponent.partition(":")[0]
    assert (game.headers["White"], game.headers["WhiteElo"]) == (f"evenmatch {name}", rating)


def test_games_are_added(session):
    """And are the person's alone."""
    assert record(session(MATE))
    assert record(session(MATE, side=1))
    path = record_path("chess")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open() as text:
        names = [chess.pgn.read_game(text).headers["Black"] for _ in range(2)]
        assert chess.pgn.read_game(text) is None
    assert names == ["You", "evenmatch random"]


def test_what_nobody_played_is_not_kept(session):
    assert not record(session(""))
    assert not record(session("4", game=get_game("connect4")))
    assert not record_path("chess").exists()


# -- Go -------------------------------------------------------------------------------------------

NINE = get_game("go9")


@pytest.fixture
def of_go(session, monkeypatch):
    """A game of Go, told as SGF and read by sgfmill."""
    monkeypatch.setattr("evenmatch.play.session._evaluator_of", lambda networks, opponent: None)

    def made(words, end=None, marks=(), **how):
        one = session(words, game=NINE, **how)
        one.line.marks[: len(marks)] = marks
        one.end = end
        if one.unsettled:
            one.agree()
        return sgf.Sgf_game.from_string(written(one))

    return made


def test_a_game_of_go_is_read_again_as_it_was_played(of_go):
    game = of_go("D4 E5 pass pass", person="Ann]", side=1)
    root = game.get_root()
    names = ("PB", "PW", "RE", "RU", "DT", "EV")
    assert [root.get(name) for name in names] == [
        "Ann]", "evenmatch random", "W+7", "Tromp-Taylor", "2026-05-04", "evenmatch",
    ]  # fmt: skip
    assert (game.get_size(), game.get_komi(), game.get_handicap()) == (9, 7.0, None)
    moves = [node.get_move() for node in game.get_main_sequence()[1:]]
    assert moves == [("b", (3, 3)), ("w", (4, 4)), ("b", None), ("w", None)]  # row from the bottom


def test_handicap_stones_and_komi_are_told(of_go):
    game = of_go("J9 A1", End.YOU_RESIGNED, start=NINE.beginning(3.5, 2), side=1)
    assert (game.get_komi(), game.get_handicap()) == (3.5, 2)
    assert game.get_root().get_setup_stones() == ({(2, 2), (6, 6)}, set(), set())
    assert game.get_root().get("PL") == "w"
    assert [node.get_move()[0] for node in game.get_main_sequence()[1:]] == ["w", "b"]


@pytest.mark.parametrize(
    ("end", "side", "result"),
    [(End.YOU_RESIGNED, 1, "W+R"), (End.OPPONENT_RESIGNED, 1, "B+R"), (End.YOUR_TIME, -1, "B+T"),
     (End.OPPONENTS_TIME, -1, "W+T")],
)  # fmt: skip
def test_how_a_game_of_go_ended(of_go, end, side, result):
    assert of_go("D4 E5", end, side=side).get_root().get("RE") == result


def test_moves_that_are_not_your_own_are_marked(of_go):
    game = of_go("D4 E5 pass pass", marks=("given", "", "hint"), side=1)
    nodes = game.get_main_sequence()[1:]
    comments = [node.get("C") if node.has_property("C") else "" for node in nodes]
    assert comments == ["[%evenmatch given]", "", "[%evenmatch hint]", ""]


def test_games_of_go_are_added(session):
    """To a file of their own, which our reader reads with the result that was agreed on."""
    one = session("D4 pass pass", game=NINE, side=1)
    one.agree()
    assert record(one)
    assert record(session("D4 E5 C3", game=NINE, side=1))
    first, second = codec_for("go9").games(record_path("go9"))
    assert (first.players, first.result) == (("You", "evenmatch random"), one.result)
    assert second.moves.tolist() == [48, 40, 56]


def test_another_program_has_its_own_name():
    opponent = "engine:cmd=/usr/games/gnugo --mode gtp --level 1"
    assert player_name(opponent) == "gnugo"
    assert player_name("mcts:sims=3") == "mcts"
