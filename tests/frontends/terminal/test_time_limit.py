"""Blocks with a time limit."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from evenmatch.frontends.terminal.typed import time_limit


def test_a_block_ends_when_its_time_is_up():
    """In a process of its own: tests may run outside the main thread, which alone has signals."""
    program = (
        "import time\n"
        "from evenmatch.frontends.terminal.typed import TimeUp, time_limit\n"
        "try:\n"
        "    with time_limit(0.05): time.sleep(300)\n"
        "except TimeUp: print('up')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "up\n", done.stderr


def test_outside_the_main_thread_a_block_runs_to_its_end():
    ended = []

    def work():
        with time_limit(0.001):
            time.sleep(0.05)
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended


def test_the_clock_is_seen_to_tick_in_a_terminal(tmp_path):
    """What is typed stays, and a move is played by it.

    The clock ticks every 10 ms here. It has an hour, so that it does not run out while this waits.
    """
    pty = pytest.importorskip("pty", reason="the system has no terminals of its own")
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"EVENMATCH_STATE": str(tmp_path), "TERM": "xterm", "NO_COLOR": "1"}
        words = ["play", "connect4", "-o", "random", "--as", "red", "--time", "60+0"]
        program = (
            "from evenmatch.frontends.terminal import game as terminal\n"
            "from evenmatch.frontends.terminal.typed import ticking\n"
            "terminal.ticking = lambda *args: ticking(*args, seconds=0.01)\n"
            "from evenmatch.frontends.cli.program import main\n"
            "main()\n"
        )
        os.execv(sys.executable, [sys.executable, "-c", program, *words])
    try:
        seen = b""
        while len(set(re.findall(rb"([0-9]+:[0-9]{2})   ?Your move: ", seen))) < 2:
            seen += os.read(terminal, 4096)  # the package's limit of time ends what hangs
        os.write(terminal, b"4\n")
        while b"You play 4" not in seen:
            seen += os.read(terminal, 4096)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
