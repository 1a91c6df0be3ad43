"""Starts of Go as properties of SGF."""

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.games.go import Go
from evenmatch.games.go.text import point_letters, read_letters, read_setup, setup_text

NINE = Go(9)


def test_what_is_written_is_read():
    text = setup_text(19, komi=0.5, handicap=2, black=(72, 288), to_play=-1)
    assert text == "KM[0.5]HA[2]AB[pd][dp]PL[W]"
    assert read_setup(text, 19) == {"komi": 0.5, "black": [72, 288], "to_play": -1}
    assert read_setup("AW[aa] [ba]\nPL[black]", 9) == {"white": [0, 1], "to_play": 1}
    every = {"komi": 0.5, "black": [1, 9], "white": [80], "to_play": 1}
    text = setup_text(9, rules="aga", handicap=2, **every)
    assert text == "KM[0.5]RU[aga]HA[2]AB[ba][ab]AW[ii]PL[B]"
    assert read_setup(text, 9) == every | {"bonus": 1}


def test_white_moves_first_after_handicap_stones():
    """Unless the text says otherwise; a number without stones, or stones alone, change nothing."""
    assert read_setup("HA[2]AB[aa][ba]", 9)["to_play"] == -1
    assert read_setup("HA[2]AB[aa][ba]PL[B]", 9)["to_play"] == 1
    assert "to_play" not in read_setup("HA[2]", 9) | read_setup("AB[aa][ba]", 9)


def test_points_of_sgf():
    """Letters go on with capitals on boards that are larger than any that is played on here."""
    for size in (2, 19, 52):
        points = [point_letters(point, size) for point in range(size * size)]
        assert [read_letters(letters, size) for letters in points] == list(range(size * size))
    assert point_letters(72, 19) == "pd"
    assert [read_letters(text, 9) for text in ("", "a", "ja", "aj", "a1", "aaa")] == [None] * 6


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("komi 3", "'komi 3' is no start of a game of Go; write properties of SGF"),
        ("KM[x]", "no start of a game"),
        ("PL[]", "no start of a game"),
        ("HA[many]", "no start of a game"),
        ("HA[nan]", "no start of a game"),
        ("KM[6.5]X", "no start of a game"),
        ("AB[zz]", "no point 'zz'"),
        ("AB[a]", "no point 'a'"),
        ("KM[1.3]", "komi 1.3 is not possible"),
        ("KM[nan]", "komi nan is not possible"),
        ("AB[aa]AW[aa]", "cannot set a stone at A9"),
    ],
)
def test_what_is_no_start(text, why):
    with pytest.raises(UsageError, match=why.replace("[", r"\[")):
        NINE.read_position(text)


def test_the_usual_start_has_no_text():
    assert NINE.beginning() == NINE.beginning(7.0) == ""
    assert (NINE.read_position("") == NINE.initial()[0]).all()


@pytest.mark.parametrize("game", ["go9", "go13", "go"])
@pytest.mark.parametrize("stones", [2, 5, 9])
def test_handicap(game, stones):
    """White moves first and gets half a point, unless another komi is named."""
    go = GAMES[game]
    state = go.read_position(go.beginning(handicap=stones))
    assert (go.stones(state[None]) == 1).sum() == stones
    assert go.to_play(state[None])[0] == -1
    assert go.komi_of(state[None])[0] == 0.5
    other = go.read_position(go.beginning(-3.5, stones))
    assert go.komi_of(other[None])[0] == -3.5


@pytest.mark.parametrize("stones", [-1, 0, 1, 10])
def test_no_such_handicap(stones):
    with pytest.raises(UsageError, match=f"go9 has no handicap of {stones} stones; .*2 to 9"):
        NINE.beginning(handicap=stones)


def test_stones_taken_off():
    state = NINE.start(black=(0, 80), white=(1, 40))
    bare = NINE.without(state[None], np.array([80, 1]))
    assert np.flatnonzero(NINE.stones(bare)[0]).tolist() == [0, 40]


@pytest.mark.parametrize(("size", "count"), [(5, 0), (9, 5), (13, 9), (19, 9)])
def test_points_that_boards_mark(size, count):
    assert len(Go(size).stars) == count
