"""Streams that are closed or full, in real processes: nothing but a line on standard error."""

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
