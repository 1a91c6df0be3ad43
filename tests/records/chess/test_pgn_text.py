"""Games as PGN text, read again by python-chess and by our own reader."""

import io
import re

import chess
import chess.pgn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_games import codes, random_game

from evenmatch.errors import UsageError
from evenmatch.games.line import MARKS
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.codec import codec_for
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL

NAMES = (
    'Ann "the rook" O\'Neill', "back\\slash", 'ends with \\"', "\\", '"', '\\"', "a; b {c} (d) [e]",
    "%x", '"] [White "Eve', "Žofia Müller", "王女", "½ - 🙂", "", "?",
)  # fmt: skip


def sans(game):
    return [node.san() for node in game.mainline()]


def theirs(text):
    game = chess.pgn.read_game(io.StringIO(text))
    assert not game.errors
    return game


def test_a_game_as_the_standard_has_it():
    tags = {"White": "Ann", "Date": "2026.05.04", "Black": "Bob", "WhiteElo": "1500"}
    text = pgn_text(tags, ["e4", "e5", "Nf3"], 0, marks=["given", "", "hint"])
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "2026.05.04"]\n[Round "?"]\n[White "Ann"]\n'
        '[Black "Bob"]\n[Result "1/2-1/2"]\n[WhiteElo "1500"]\n\n'
        "1. e4 {[%evenmatch given]} 1... e5 2. Nf3 {[%evenmatch hint]} 1/2-1/2\n\n"
    )


@pytest.mark.parametrize(("result", "word"), [(1, "1-0"), (0, "1/2-1/2"), (-1, "0-1"), (None, "*")])
def test_results(result, word, pgn):
    text = pgn_text({}, ["e4", "e5"], result)
    assert theirs(text).headers["Result"] == word
    assert text.endswith(f" {word}\n\n")
    (record,) = codec_for("chess").games(pgn(text))
    assert record.result == result


@pytest.mark.parametrize("seed", range(10))
def test_random_games_are_read_again(seed, pgn):
    """With evals (mates, hundredths, none), clocks and marks; lines stay within the standard's."""
    game, rng = random_game(seed), np.random.default_rng(seed)
    count = len(sans(game))
    mates = [MATE, -MATE, MATE - 3, 5 - MATE, MOST_EVAL, -MOST_EVAL, -5, 0, NO_EVAL]
    evals = np.where(
        rng.random(count) < 0.5, rng.choice(mates, count), rng.integers(-9_999, 9_999, count)
    )
    clocks = rng.choice([NO_CLOCK, 0, 59, 600, 3600, 40_000], count)
    marks = rng.choice(["", "", "", *MARKS], count).tolist()
    text = pgn_text({}, sans(game), 1, evals=evals, clocks=clocks, marks=marks)
    assert max(map(len, text.splitlines())) < 80
    again = theirs(text)
    assert codes(again) == codes(game)
    comments = [node.comment for node in again.mainline()]
    for comment, mark in zip(comments, marks, strict=True):
        assert comment.endswith(f"[%evenmatch {mark}]" if mark else "")
        assert ("%evenmatch" in comment) == bool(mark)
    (record,) = codec_for("chess").games(pgn(text))
    assert record.moves.tolist() == codes(game)
    assert record.evals.tolist() == evals.tolist()
    assert record.clocks.tolist() == clocks.tolist()
    assert record.aided.tolist() == [bool(mark) for mark in marks]


def test_a_comment_as_lichess_has_it():
    text = pgn_text({}, ["e4", "e5"], 1, evals=[17, 3 - MATE], clocks=[600, NO_CLOCK])
    assert "1. e4 {[%eval 0.17] [%clk 0:10:00]} 1... e5 {[%eval #-3]} 1-0" in text


def test_no_marks(pgn):
    (record,) = codec_for("chess").games(pgn(pgn_text({}, ["e4", "e5"], 1)))
    assert record.aided is None
    with pytest.raises(ValueError, match="no mark 'cheat'"):
        pgn_text({}, ["e4"], 1, marks=["cheat"])
    with pytest.raises(ValueError, match="shorter"):
        pgn_text({}, ["e4", "e5"], 1, marks=["hint"])


def test_another_start():
    """White has two pawns to move, Black is to move first."""
    fen = "4k3/p7/8/8/8/8/P6P/4K3 b - - 3 17"
    text = pgn_text({"White": "A"}, ["a5", "a4", "Ke7"], None, fen=fen)
    assert text.endswith("17... a5 18. a4 Ke7 *\n\n")
    game = theirs(text)
    assert game.headers["SetUp"] == "1"
    assert game.board().fen() == fen
    assert sans(game) == ["a5", "a4", "Ke7"]


# -- tags ------------------------------------------------------------------------------------------


def escaped(value):
    """As the standard has it; python-chess takes no backslashes off."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read_again(name, pgn):
    text = pgn_text({"White": name, "Black": f"{name}{name}", "Event": name}, ["e4", "e5"], 1)
    headers = theirs(text).headers
    assert (headers["White"], headers["Black"]) == (escaped(name), escaped(f"{name}{name}"))
    (record,) = codec_for("chess").games(pgn(text))
    assert record.players == (name, f"{name}{name}")
    assert record.event == name


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30))
def test_any_name_is_read_again(tmp_path_factory, name):
    path = tmp_path_factory.mktemp("names") / "games.pgn"
    path.write_text(2 * pgn_text({"White": name, "Black": "Bob"}, ["e4", "e5"], 1), "utf-8")
    players = [record.players for record in codec_for("chess").games(path)]
    assert players == [(name.strip(), "Bob")] * 2


@pytest.mark.parametrize("value", ["a\nb", "\r", "a\tb", "\0", "\x7f", "\x85", "\u2028", "\udc80"])
def test_what_a_tag_cannot_hold(value):
    with pytest.raises(UsageError, match="PGN tag White cannot hold"):
        pgn_text({"White": value}, ["e4"], 1)


@pytest.mark.parametrize("name", ["", "White Elo", 'X"', "Élo"])
def test_what_is_no_name_of_a_tag(name):
    with pytest.raises(UsageError, match="no PGN tag can be named"):
        pgn_text({name: "x"}, ["e4"], 1)


# -- marks that others wrote -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "aided"),
    [
        ("[%evenmatch hint]", True),
        ("[%evenmatch]", True),
        ("[%evenmatch\nretry]", True),
        ("[%eval 0.3] [%clk 0:01:00] a hint [%evenmatch hint] it was", True),
        ("[%evenmatch", False),
        ("[%evenmatched hint]", False),
        ("%evenmatch hint", False),
        ("[%eval 0.3]", False),
        ("[%even", False),
    ],
)
def test_what_marks_a_move(comment, aided, pgn):
    other = "({[%evenmatch hint]} 1... c5 {[%evenmatch hint]})"  # of moves that were not played
    text = f'[White "A"]\n\n1. e4 {{{comment}}} e5 {other} 2. d4 *'
    (record,) = codec_for("chess").games(pgn(text))
    found = [False] * 3 if record.aided is None else record.aided.tolist()
    assert found == [aided, False, False]
    told = re.search(r"%eval 0.3", comment)
    assert (record.evals is not None) == bool(told)
