"""The words of standard input."""

from collections import deque

import pytest

from evenmatch.errors import MoveError
from evenmatch.frontends.terminal.typed import Words


class Typed(Words):
    """A person who types these lines."""

    def __init__(self, *lines):
        self.interactive, self._waiting, self._lines = True, deque(), iter(lines)


def test_one_word_a_line_from_a_person(monkeypatch):
    """What comes after a slip would be played in another position."""
    typed = Typed("4 4", " 4 ", "")
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed._lines))
    with pytest.raises(MoveError, match="type one move or word at a time, not '4 4'"):
        typed.next("")
    assert typed.next("") == "4"
