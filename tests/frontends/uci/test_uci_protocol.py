"""What the lines of a chess program say."""

import pytest

from evenmatch.errors import UsageError
from evenmatch.frontends.uci.protocol import Go, Position, read_go, read_position, read_setoption

ASKED = {
    "": Go(),
    "infinite": Go(infinite=True),
    "ponder wtime 1000 btime 2000 winc 10 binc 20 movestogo 3": Go(
        ponder=True, wtime=1000, btime=2000, winc=10, binc=20, movestogo=3
    ),
    "movetime 50": Go(movetime=50),
    "depth 3 nodes 100 mate 2": Go(depth=3, nodes=100, mate=2),
    "mate 2": Go(mate=2),
    "searchmoves e2e4 d2d4 nodes 5": Go(searchmoves=("e2e4", "d2d4"), nodes=5),
    "nodes 5 searchmoves e2e4": Go(searchmoves=("e2e4",), nodes=5),
    "wtime -300 btime x": Go(wtime=-300, unread=("btime", "x")),
    "wtime": Go(unread=("wtime",)),
    "nonsense nodes 7 x": Go(nodes=7, unread=("nonsense", "x")),
    "nodes 99999999999999999999": Go(nodes=2**31 - 1),
}


@pytest.mark.parametrize("text", ASKED)
def test_go(text):
    assert read_go(text.split()) == ASKED[text]


@pytest.mark.parametrize(
    ("text", "bounded"),
    [
        ("", False), ("infinite", False), ("nodes 5", True), ("ponder nodes 5", False),
        ("wtime 5", True), ("mate 3", True), ("mate x", False), ("depth 3 infinite", False),
    ],
)  # fmt: skip
def test_which_searches_end_by_themselves(text, bounded):
    assert read_go(text.split()).bounded == bounded


def test_positions():
    fen = "8/8/8/8/8/4k3/8/4K3 w - - 0 1"
    assert read_position(["startpos"]) == Position()
    assert read_position(["startpos", "moves", "e2e4", "e7e5"]) == Position(None, ("e2e4", "e7e5"))
    assert read_position(f"fen {fen}".split()) == Position(fen)
    assert read_position(f"fen {fen} moves e1d1".split()) == Position(fen, ("e1d1",))


@pytest.mark.parametrize("text", ["", "fen", "e2e4", "moves e2e4"])
def test_positions_that_are_none(text):
    with pytest.raises(UsageError, match="send startpos or fen"):
        read_position(text.split())


def test_options():
    assert read_setoption(["name", "Move", "Overhead", "value", "50"]) == ("Move Overhead", "50")
    assert read_setoption(["name", "Clear", "Hash"]) == ("Clear Hash", "")
    assert read_setoption(["name", "WeightsFile", "value", "a", "b"]) == ("WeightsFile", "a b")
    with pytest.raises(UsageError, match="setoption name"):
        read_setoption(["value", "5"])
