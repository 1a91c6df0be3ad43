"""What the lines of a chess program say: go and its seconds, positions, options."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import UsageError
from evenmatch.frontends.engine.options import Settings
from evenmatch.frontends.engine.time_budget import LEAST
from evenmatch.frontends.uci.protocol import (
    LISTED,
    METHODS,
    OPTIONS,
    RATINGS,
    Go,
    Position,
    read_go,
    read_position,
    read_setoption,
)  # fmt: skip
from evenmatch.opponents.rated import RATED
from evenmatch.opponents.rating_range import supported_range

GOES = {
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


@pytest.mark.parametrize("text", GOES)
def test_go(text):
    assert read_go(text.split()) == GOES[text]


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


def test_setoption():
    assert read_setoption(["name", "Move", "Overhead", "value", "50"]) == ("Move Overhead", "50")
    assert read_setoption(["name", "Clear", "Hash"]) == ("Clear Hash", "")
    assert read_setoption(["name", "WeightsFile", "value", "a", "b"]) == ("WeightsFile", "a b")
    with pytest.raises(UsageError, match="setoption name"):
        read_setoption(["value", "5"])


# -- seconds for a move ---

MS = st.integers(-1000, 10**7)


@given(MS, MS, MS, st.integers(0, 200), st.integers(0, 5000), st.booleans())
def test_at_most_half_of_the_clock(wtime, btime, added, moves, overhead, first):
    go = Go(wtime=wtime, btime=btime, winc=added, binc=added, movestogo=moves)
    left = (wtime if first else btime) - overhead
    assert LEAST <= go.seconds(first, overhead) <= max(LEAST, left / 2000) + 1e-9


def test_increments_and_moves_to_go():
    assert Go(wtime=60_000, winc=1000).seconds(True, 0) == 2.8
    assert Go(wtime=60_000, movestogo=10).seconds(True, 0) == 6.0
    assert Go(wtime=60_000, movestogo=1).seconds(True, 0) == 30.0


def test_times_for_one_move():
    assert Go(movetime=1000, wtime=5).seconds(True, 30) == 0.97
    assert Go(movetime=0).seconds(True, 30) == LEAST
    assert Go(nodes=5).seconds(True, 30) == math.inf


def test_without_a_clock_of_its_own_it_takes_the_other_s():
    assert Go(btime=60_000).seconds(True, 0) == Go(wtime=60_000).seconds(True, 0) == 2.0
    assert Go(wtime=60_000, winc=1000).seconds(False, 0) == 2.0


# -- options ---


def test_methods_and_ratings_are_those_of_the_players():
    """Written out in the table: a chess program is answered before players are loaded."""
    assert set(METHODS) == set(RATED)
    low, high = supported_range("chess")
    assert 0 <= RATINGS[0] - low < 100
    assert 0 <= high - RATINGS[1] < 100


def test_values_are_set_by_names_in_any_case():
    settings = Settings(OPTIONS, {}, listed=LISTED)
    settings.change("uci_elo", "1234")
    settings.change("UCI_LimitStrength", "True")
    settings.change("WeightsFile", "some file.onnx")
    settings.change("Method", METHODS[-1].upper())
    assert settings["UCI_Elo"] == 1234
    assert settings["UCI_LimitStrength"] is True
    assert settings["WeightsFile"] == "some file.onnx"
    assert settings["Method"] == METHODS[-1]
    settings.change("WeightsFile", "<empty>")
    assert settings["WeightsFile"] is None
