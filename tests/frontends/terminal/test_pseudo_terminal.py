"""A person at a terminal: the clock ticks, two words are one too many, Ctrl-C saves the game."""

import os
import re
import select
import signal
import sys
import time

import pytest
from scripted_terminal import saved

from evenmatch.frontends.terminal.typed import TimeUp, time_limit

PROGRAM = """
from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.typed import ticking
terminal.ticking = lambda *args: ticking(*args, seconds=0.01)
from evenmatch.frontends.cli.program import main
main()
"""


class Seen:
    """What a child writes on its terminal."""

    def __init__(self, leader):
        self.leader, self.text = leader, ""

    def until(self, pattern, again=b""):
        """Return the match of a pattern when it comes.

        ``again`` is typed every 3 seconds, 40 times: a clock that ticks is never silent.
        """
        since, times, found = time.monotonic(), 0, None
        while (found := re.search(pattern, self.text)) is None:
            if time.monotonic() > since + 3:
                since, times = time.monotonic(), times + 1
                assert times < 40, f"the program hangs after {self.text[-1000:]}"
                os.write(self.leader, again)
            if not select.select([self.leader], [], [], 1)[0]:
                continue
            try:
                self.text += os.read(self.leader, 4096).decode(errors="replace")
            except OSError:  # the child has ended
                break
        found = re.search(pattern, self.text)
        assert found, self.text
        self.text = self.text[found.end() :]
        return found


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_game_at_a_terminal(state):
    """The clock ticks every 10 ms here; it has an hour, so that it does not run out."""
    import pty

    child, leader = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ |= {"TERM": "xterm-256color", "PYTHONUTF8": "1", "NO_COLOR": ""}
        words = ["play", "connect4", "-o", "mcts:sims=2", "--as", "red", "--time", "60+0"]
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, *words])
    try:
        seen = Seen(leader)
        seen.until("▗")
        shown = seen.until("(5[0-9]:[0-9]{2}) +[^\n]*Your move")[1]
        seen.until(f"(?!{shown})5[0-9]:[0-9]{{2}} +[^\n]*Your move")
        os.write(leader, b"4 4\n")
        seen.until("type one move or word at a time, not '4 4'")
        os.write(leader, b"4\n")
        seen.until("mcts is thinking|move 3")
        seen.until("Your move")
        os.write(leader, b"\x03")
        seen.until(
            "Interrupted; the game is saved; continue with: evenmatch play connect4-1", b"\x03"
        )
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(leader)
    assert len(saved("connect4").actions) == 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer")
def test_a_time_limit():
    with time_limit(None), time_limit(60):
        pass
    with pytest.raises(TimeUp), time_limit(0.01):
        time.sleep(60)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
