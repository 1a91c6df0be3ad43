import signal
import subprocess
import sys
import threading
import time

import pytest

from evenmatch.errors import UsageError
from evenmatch.frontends.terminal.clock import Clock, read_clock, time_limit


@pytest.mark.parametrize(
    ("text", "base", "increment"), [("5+3", 300, 3), ("0.5+0", 30, 0), ("90", 5400, 0)]
)
def test_time_controls(text, base, increment):
    clock = read_clock(text)
    assert (clock.base, clock.increment, clock.left) == (base, increment, {1: base, -1: base})


@pytest.mark.parametrize("text", ["", "5+", "+3", "-5+3", "0+5", "5:00", "5+3+1", "9999+1", "٥+٣"])
def test_what_is_no_time_control(text):
    with pytest.raises(UsageError, match="write minutes\\+seconds, such as --time 5\\+3"):
        read_clock(text)


def test_time_is_spent_and_added():
    clock = Clock(300, 3)
    clock.spend(1, 12.5)
    clock.moved(1)
    assert clock.left == {1: 290.5, -1: 300}
    clock.spend(-1, 999)
    assert clock.left[-1] == 0
    assert (clock.text(1), clock.text(-1)) == ("4:50", "0:00.0")
    assert Clock(9.96, 0).text(1) == "0:09.9"
    assert Clock(300, 3).control == "300+3"


def test_a_block_ends_when_its_time_is_up():
    """In a process of its own: tests may run outside the main thread, which alone has signals."""
    program = (
        "import time\n"
        "from evenmatch.frontends.terminal.clock import TimeUp, time_limit\n"
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
