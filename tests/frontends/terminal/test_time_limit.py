"""Blocks with a time limit."""

import signal
import subprocess
import sys
import threading
import time

import pytest

from evenmatch.frontends.terminal.time_limit import time_limit


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
