"""Files of positions with known answers."""

import pytest

from evenmatch.errors import RecordError
from evenmatch.workshop.datasets.puzzles import read_puzzles, read_suite

MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a8,500"  # h6 makes room, so it is none
SUITE = (
    '1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "U.001"; '
    'c0 "f5=10"; c7 "f5 Be5+"; c8 "10 2"; c9 "f4f5 d4e5";\n'
)


def test_puzzles_are_read(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(f"fen,moves,rating\n{MATE}\n")
    (one,) = read_puzzles(path)
    assert one.moves == ("h7h6", "a1a8")
    assert one.rating == 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has not the columns fen,moves,rating"),
        ("fen,moves\n", "has not the columns"),
        (f"fen,moves,rating\n{MATE}\nnonsense,e2e4 e7e5,5\n", ":3: no puzzle"),
        ("fen,moves,rating\n" + MATE.replace("a1a8", "a1b3"), ":2: no puzzle"),
        ("fen,moves,rating\n" + MATE.replace("h7h6 a1a8", "h7h6"), "every move needs an answer"),
        ("fen,moves,rating\n" + MATE.replace("500", "many"), ":2: no puzzle"),
    ],
)
def test_what_is_no_puzzle(tmp_path, text, message):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        read_puzzles(path)


def test_suites_are_read(tmp_path):
    path = tmp_path / "s.epd"
    path.write_text(SUITE + "\n" + SUITE)
    found = read_suite(path)
    assert len(found) == 2
    assert found[0].points == {"f4f5": 10, "d4e5": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SUITE.replace("c8", "c5"), ":1: no exercise"),
        (SUITE.replace("10 2", "10"), ":1: no exercise"),
        (SUITE.replace("f4f5 d4e5", "f4f6 d4e5"), ":1: no exercise"),
    ],
)
def test_what_is_no_exercise(tmp_path, text, message):
    path = tmp_path / "s.epd"
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        read_suite(path)
    with pytest.raises(RecordError, match="check the path"):
        read_suite(tmp_path / "none.epd")
