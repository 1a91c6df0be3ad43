"""Blocks with a time limit."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from evenmatch.frontends.terminal.time_limit import ticking, time_limit


def test_a_block_ends_when_its_time_is_up():
    """In a process of its own: tests may run outside the main thread, which alone has signals."""
    program = (
        "import time\n"
        "from evenmatch.frontends.terminal.time_limit import TimeUp, time_limit\n"
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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_a_block_in_time_leaves_signals_as_they_were():
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(30), time_limit(None):
        pass
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_clock_ticks_until_the_block_ends():
    written, more = queue.Queue(), iter(range(1000))
    with ticking(lambda: f"0:{next(more):02}", written.put, seconds=0):
        assert [written.get(timeout=60) for _ in range(3)] == ["0:00", "0:01", "0:02"]
    count = written.qsize()
    assert written.qsize() == count, "nothing is written after the block"


def test_the_clock_is_seen_to_tick_in_a_terminal(tmp_path):
    """What is typed stays, and a move is played by it."""
    pty = pytest.importorskip("pty", reason="the system has no terminals of its own")
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"EVENMATCH_STATE": str(tmp_path), "TERM": "xterm", "NO_COLOR": "1"}
        words = ["play", "connect4", "-o", "random", "--as", "red", "--time", "5+0"]
        os.execv(sys.executable, [sys.executable, "-m", "evenmatch", *words])
    told = b""
    while len(set(re.findall(rb"([0-9]:[0-9]{2})   ?Your move: ", told))) < 3:
        told += os.read(terminal, 4096)  # the package's limit of time ends what hangs
    os.write(terminal, b"4\n")
    while b"You play 4" not in told:
        told += os.read(terminal, 4096)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
