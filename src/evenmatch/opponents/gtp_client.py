"""Another program, spoken to by the Go Text Protocol: its process, its answers, its end."""

from __future__ import annotations

import contextlib
import queue
import shlex
import shutil
import subprocess
import threading
import time
import weakref
from collections.abc import Iterable

from evenmatch.errors import UsageError, quoted

STARTING = 20.0  #: seconds an engine may take to start
PATIENCE = 300.0  #: seconds an answer is waited for
LEAVING = 2.0  #: seconds an engine has to quit before it is ended
LONGEST_LINE = 1 << 16  #: characters
MOST_LINES = 10_000  #: of an answer, with those before it; ten times as many wait to be read
ENGINES = "/usr/games"  #: where Debian has its engines, which the PATH of some users lacks


def command_of(cmd: str) -> list[str]:
    """Return the words of a command; a program that PATH lacks is looked for among the games."""
    words = shlex.split(cmd)
    if len(words) == 1 and shutil.which(words[0]) is None:
        words = shlex.split(words[0])  # the whole was in quotation marks
    if words and shutil.which(words[0]) is None:
        words[0] = shutil.which(words[0], path=ENGINES) or words[0]
    return words


class GtpError(Exception):
    """An engine's answer that begins with ``?``; the text is what it said."""


class GtpEngine:
    """A running engine; it ends when it is closed, forgotten, or when this process ends."""

    def __init__(self, cmd: str):
        """Start an engine by its command line; UsageError if that cannot be done."""
        self.cmd = cmd
        try:
            words = command_of(cmd)
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except (OSError, ValueError, IndexError) as error:
            raise self._not_started(getattr(error, "strerror", None) or str(error)) from None
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue(10 * MOST_LINES)
        closed = threading.Event()
        threading.Thread(target=_read, args=(process, self._lines, closed), daemon=True).start()
        self.close = weakref.finalize(self, _end, process, closed)
        try:
            self.name = self.ask("name", seconds=STARTING)
            self.commands = frozenset(self.ask("list_commands", seconds=STARTING).split())
        except (UsageError, GtpError):
            self.close()
            raise self._not_started("no answer to `name`") from None

    def _not_started(self, why: str) -> UsageError:
        return UsageError(
            f"cannot start the engine {quoted(self.cmd)} ({why}); give the command of an engine "
            "that speaks GTP, such as gnugo --mode gtp"
        )

    def ask(self, command: str, *, seconds: float = PATIENCE) -> str:
        """Return the answer to a command.

        GtpError if the engine says that it failed, UsageError if it ended or does not answer.
        """
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # ValueError: it was closed
            raise self._failed(f"it ended before {quoted(command)}") from None
        text = "\n".join(self._answer(command, time.monotonic() + seconds))
        if text.startswith("?"):
            raise GtpError(text[1:].strip())
        return text[1:].strip()

    def _answer(self, command: str, deadline: float) -> Iterable[str]:
        """Return the lines of an answer; what comes before it is passed over."""
        lines: list[str] = []
        for _ in range(MOST_LINES):
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                self.close()  # what it says later would be taken for another answer
                raise self._failed(f"no answer in time to {quoted(command)}") from None
            if line is None:
                raise self._failed(f"it ended at {quoted(command)}")
            if lines and not line:
                return lines
            if lines or line.startswith(("=", "?")):
                lines.append(line)
        self.close()
        raise self._failed(f"an answer without end to {quoted(command)}")

    def _failed(self, why: str) -> UsageError:
        return UsageError(f"engine {self.cmd} failed ({why}); try it by itself, or choose another")


def _read(
    process: subprocess.Popen, lines: queue.Queue[str | None], closed: threading.Event
) -> None:
    """Put the lines of an engine into a queue, and None at their end; end it when one has none."""
    with contextlib.suppress(ValueError, OSError):  # it may be closed meanwhile
        assert process.stdout is not None
        while line := process.stdout.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                process.kill()
                break
            _put(line.strip("\r\n"), lines, closed)
    _put(None, lines, closed)


def _put(line: str | None, lines: queue.Queue[str | None], closed: threading.Event) -> None:
    """Wait until there is room, for as long as anybody may read it."""
    while not closed.is_set():
        with contextlib.suppress(queue.Full):
            lines.put(line, timeout=0.5)
            return


def _end(process: subprocess.Popen, closed: threading.Event) -> None:
    closed.set()
    end_process(process)


def end_process(process: subprocess.Popen) -> None:
    """Let an engine quit; one that does not is ended."""
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write("quit\n")
        process.stdin.close()
    for end in (lambda: None, process.terminate, process.kill):
        end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LEAVING)
            break
