"""What the values of SGF properties mean."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.records.go.values import (
    GameComment,
    comment_of,
    handicap_of,
    komi_of,
    result_of,
    size_of,
    to_play_of,
    year_of,
)
from evenmatch.records.record import UNKNOWN_RESULT


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("6.5", 6.5), ("0", 0), ("-4.50", -4.5), ("6,5", 6.5), (" 7.50 ", 7.5), (".5", 0.5),
        ("375", 7.5), ("325", 6.5), ("650", 6.5), ("750", 7.5), ("0.00", 0), ("3.75", 7.5),
        ("-99.50", -99.5), ("200", 2), ("6.5 points", 6.5), ("6.5目", 6.5), ("３又３／４子", 7.5),
        ("3 3/4", 7.5), ("3¾", 7.5), ("6 1/2", 6.5), ("1/2", 0.5), ("3又3/4子", 7.5), ("none", 0),
        ("贴3又3/4子", 7.5), ("黑贴3又3/4子", 7.5), ("三又四分之三子", 7.5), ("\u22120.5", -0.5),
        ("3.75子", 7.5), ("2.5子", 5), ("七目半", 7.5), ("コミ6目半", 6.5), ("덤 6집반", 6.5),
    ],
)  # fmt: skip
def test_komi(text, komi):
    assert komi_of(text) == komi


def test_komi_that_is_not_told():
    assert math.isnan(komi_of(""))


@pytest.mark.parametrize("text", ["six", "6.3", "33/4", "1e5", "99999.5", "nan", "٦", "白贴3子"])
def test_komi_that_cannot_be(text):
    assert komi_of(text) is None


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+3.5", 1), ("W+R", -1), ("B+T", 1), ("W+Resign", -1), ("b+", 1), ("White+2", -1),
        ("B+0.0", 1), ("Draw", 0), ("0", 0), ("Jigo", 0), ("draw", 0), ("黑中盘胜", 1),
        ("白胜", -1),
        ("Black wins by resignation", 1), ("Void", UNKNOWN_RESULT), ("?", UNKNOWN_RESULT),
        ("", UNKNOWN_RESULT), ("B", UNKNOWN_RESULT), ("broken", UNKNOWN_RESULT),
    ],
)  # fmt: skip
def test_results(text, result):
    assert result_of(text) == result


@pytest.mark.parametrize(
    ("text", "size"),
    [("19", 19), ("9", 9), ("", 19), ("13:13", 13), ("19:13", None), ("0", None), ("x", None),
     ("53", None), ("-9", None), ("13x13", 13), ("19路", 19), ("１９", 19)],
)  # fmt: skip
def test_sizes(text, size):
    assert size_of(text) == size


@pytest.mark.parametrize(
    ("text", "year"),
    [("2020-06", 2020), ("1846-09-11,12", 1846), ("Jan 5, 1999", 1999), ("", 0), ("120201", 0)],
)
def test_years(text, year):
    assert year_of(text) == year


def test_small_ones():
    assert [handicap_of(text) for text in ("", "0", " 4 ", "many")] == [0, 0, 4, None]
    even = ("分先", "互先", "定先", "even", "none")
    assert [handicap_of(text) for text in even] == [0] * 5
    two = ("2子", "让2子", "让二子", "２", "2 stones")
    assert [handicap_of(text) for text in two] == [2] * 5
    assert [to_play_of(text) for text in ("", "B", "w", "White", "x")] == [0, 1, -1, -1, None]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("", GameComment()),
        ("human:B", GameComment((True, False))),
        ("human:W ranked", GameComment((False, True))),
        ("target:W truncated private", GameComment((False, True))),
        ("human:BW rating B:1824@2019 W:1815@2019", GameComment((True, True), (1824, 1815))),
        ("human:BW rating W:1150@2021", GameComment((True, True), (0, 1150))),
        ("a nice game of B:1500", GameComment()),
    ],
)
def test_comments_on_games(text, comment):
    assert comment_of(text) == comment


@given(st.text(max_size=12) | st.text(alphabet="0123456789.,:+-BWRT ", max_size=8))
def test_nothing_raises(text):
    for reading in (komi_of, result_of, size_of, year_of, handicap_of, to_play_of):
        reading(text)
    comment_of(text)
