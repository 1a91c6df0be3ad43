"""Lines of the Go Text Protocol, answers, parameters, and when the engine resigns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.gtp.protocol import (
    Command,
    GtpError,
    answer,
    read_colour,
    read_line,
    read_number,
    read_whole,
)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("play b D4\n", Command("play", ("b", "D4"))),
        ("12 name\r\n", Command("name", (), "12")),
        ("007 name", Command("name", (), "007")),
        ("play\tw\tpass # forced\n", Command("play", ("w", "pass"))),
        ("  \t quit", Command("quit")),
        ("na\x07me\x7f", Command("name")),
        ("7\n", Command("", (), "7")),
        ("\n", None),
        ("# play b D4\n", None),
        (" \r\n", None),
    ],
)
def test_lines(line, command):
    assert read_line(line) == command


def test_answers():
    assert answer("") == "=\n"
    assert answer("D4", "12") == "=12 D4\n"
    assert answer("illegal move", "3", failed=True) == "?3 illegal move\n"
    assert answer("\n A B\n 1 .\n\n") == "= \n A B\n 1 .\n"
    assert answer("a\n\n\nb") == "= a\nb\n"


@given(st.text())
def test_an_answer_ends_where_it_ends(text):
    """The newline that is printed after it makes the one empty line, at the end."""
    lines = answer(text).split("\n")
    assert lines[0].startswith("=")
    assert [at for at, line in enumerate(lines) if not line] == [len(lines) - 1]


@pytest.mark.parametrize(
    ("read", "word"),
    [
        (read_colour, "red"), (read_whole, "-1"), (read_whole, "1.5"), (read_whole, "٣"),
        (read_whole, "9" * 30), (read_number, "nan"), (read_number, "inf"), (read_number, "x"),
    ],
)  # fmt: skip
def test_arguments_that_are_none(read, word):
    with pytest.raises(GtpError):
        read(word)
