"""Lines of the Go Text Protocol, answers, parameters, and when the engine resigns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.gtp.conversation import Resigning
from evenmatch.frontends.gtp.protocol import (
    PARAMETERS,
    Command,
    GtpError,
    Settings,
    answer,
    change,
    get,
    read_colour,
    read_line,
    read_number,
    read_whole,
)
from evenmatch.play.resigning import BELOW, TURNS


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


# -- parameters ---


@pytest.mark.parametrize("name", PARAMETERS)
def test_what_is_told_can_be_set(name):
    settings = Settings()
    told = get(settings, name)
    change(settings, name, told)
    assert settings == Settings()


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("maxvisits", "5", "no parameter 'maxvisits'"),
        ("maxVisits", "many", "syntax error"),
        ("maxVisits", "99999999", "outside 0 to 1e"),
        ("resignThreshold", "-2", "outside -1 to 1"),
        ("allowResignation", "maybe", "syntax error"),
    ],
)
def test_changes_that_are_refused(name, word, message):
    settings = Settings()
    with pytest.raises(GtpError, match=message):
        change(settings, name, word)
    assert settings == Settings()


# -- resigning ---


def after(values, handicap=0, **settings):
    """What is decided at each turn of Black."""
    resigning = Resigning(Settings(**settings))
    return [resigning.resigns(1, value, handicap) for value in values]


def test_it_takes_three_lost_turns_in_a_row():
    assert after([-0.95, -0.95, -0.8, -0.95, -0.95, -0.95]) == [False] * 5 + [True]


def test_it_gives_up_when_opponents_in_the_terminal_do():
    """The settings cannot say so themselves: they are read before anything heavy is loaded."""
    assert (Settings().resign_below, Settings().resign_turns) == (BELOW, TURNS)


def test_it_does_not_where_it_must_not():
    lost = [-1.0] * 5
    assert not any(after(lost, resigns=False))
    assert not any(after(lost, handicap=4))
    assert not any(after([None] * 5))
    assert after(lost, resign_turns=1)[0]


def test_sides_are_counted_apart():
    resigning = Resigning(Settings(resign_turns=2))
    assert not resigning.resigns(1, -1.0, 0)
    assert not resigning.resigns(-1, -1.0, 0)
    resigning.restart()
    assert not resigning.resigns(1, -1.0, 0)
    assert resigning.resigns(1, -1.0, 0)
