"""Streams that are closed or full, in real processes: nothing but a line on standard error."""

import io
import os
import subprocess
import sys

import pytest

from evenmatch.frontends import console

FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


def shell(redirection, *arguments):
    line = f'exec "$0" -m evenmatch "$@" {redirection}'
    command = ["sh", "-c", line, sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_closed_stream_is_no_terminal():
    assert not console.is_terminal(None)
    assert not console.capable(None)


def test_playing_without_standard_input():
    done = shell("<&-", "play", "connect4", "-o", "random")
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard input is closed")
    assert done.stderr.count("\n") == 1


@FULL
@pytest.mark.parametrize("arguments", [["games"], ["games", "--json"], ["--version"], ["--help"]])
def test_a_full_disk(arguments):
    done = shell("> /dev/full", *arguments)
    assert done.stderr == "error: cannot write the output (No space left on device)\n"
    assert done.returncode == 2


class Screen(io.StringIO):
    """Standard error that is a terminal, or is none."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_breaks_long_lines_between_words(monkeypatch, terminal):
    """A pipe gets one line, whatever its length."""
    line = "there is no unfinished game of chess in /home/somebody/state; there is connect4-2"
    screen = Screen(terminal)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    console.print_error(line)
    told = screen.getvalue().splitlines()
    assert (len(told) > 1) == terminal
    assert all(len(row) <= 30 for row in told) == terminal
    assert " ".join(row.strip() for row in told) == f"error: {line}"
