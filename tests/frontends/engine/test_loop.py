"""A search and its time, by a clock of one's own; lines of standard input."""

import io
import threading

import pytest

from evenmatch.errors import UsageError
from evenmatch.frontends.engine.loop import Search, explained, input_lines


def test_a_search_is_over_when_its_time_is_or_when_it_is_stopped(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    search = Search(5.0)
    now[0] = 200.0
    assert not search.over  # the clock has not begun
    search.start_clock()
    now[0] = 204.9
    assert not search.over
    now[0] = 205.0
    assert search.over
    endless = Search()
    endless.start_clock()
    assert not endless.over
    endless.stop()
    assert endless.over


def test_a_search_runs_beside_the_lines():
    search, begun = Search(), threading.Event()

    def work():
        begun.set()
        while not search.over:
            pass

    search.run(work)
    assert begun.wait(60)
    search.stop()
    search.join()


def test_lines_of_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("\ufeffname\n\ufeffquit\n"))
    assert list(input_lines()) == ["name\n", "\ufeffquit\n"]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        input_lines()


def test_only_unexpected_errors_have_a_traceback(capsys):
    assert explained(UsageError("no\nsuch file")) == "no such file"
    assert capsys.readouterr().err == ""
    assert explained(ValueError("odd")) == "ValueError('odd'); please report it"
    assert "ValueError" in capsys.readouterr().err
