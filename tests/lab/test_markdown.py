"""Markdown is wrapped and says what it said."""

import random

import pytest

from evenmatch_lab.markdown import WIDTH, wrapped


def test_what_cannot_be_wrapped_stays():
    lines = [
        "# " + "long " * 40,
        "",
        "| " + "cell | " * 40,
        "```",
        "code " * 40,
        "```",
        "![picture](" + "x" * 120 + ")",
    ]
    assert wrapped(lines) == lines


@pytest.mark.parametrize("begin", ["", "- ", "  - ", "12. "])
def test_words_stay_in_order_and_lines_are_short(begin):
    rng = random.Random(begin)
    words = [
        rng.choice(["-", "a", "(b", "1.", "#", "**bold**", "word", "1,000"]) for _ in range(400)
    ]
    words[0] = "First"
    (*lines,) = wrapped([begin + " ".join(words)])
    assert " ".join(lines).split() == [*begin.split(), *words]
    assert max(map(len, lines)) <= WIDTH + 10  # a word may have gone down with what follows
    for line in lines[1:]:
        assert line.startswith(" " * len(begin))
        assert not line.strip().startswith(("- ", "# ", "1. "))
        assert line.strip() not in ("-", "#")


def test_what_is_wrapped_stays_so():
    lines = wrapped(["- " + "some words " * 60, "and more " * 30, "", "A paragraph. " * 30])
    assert wrapped(lines) == lines
    assert len(lines) > 8
