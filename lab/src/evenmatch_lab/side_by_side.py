"""Parts of an experiment side by side, each in a process that has cores to itself.

What comes of them is what would come of one after the other, but for the seconds. Where the system
cannot give cores to processes, as on macOS, they share them all.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from evenmatch.errors import StateError, UsageError

CONTEXT = multiprocessing.get_context("spawn")  # networks' threads do not survive a fork
OFTEN = 0.1  #: seconds between two words of progress

Work = Callable[..., dict[str, Any]]  #: work(key, progress) does a part; picklable
Cores = tuple[int, ...]


class Word(NamedTuple):
    """What a process says: one of these."""

    progress: tuple[int, int] | None = None  #: (done, due)
    result: dict[str, Any] | None = None
    error: BaseException | None = None


class Running:
    """A part that a process is doing."""

    def __init__(self, key: str, work: Work, cores: Cores):
        self.key, self.cores = key, cores
        self.connection, there = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_do, args=(there, work, key, cores), daemon=True)
        self._process.start()
        there.close()

    def hear(self) -> Word:
        """Return the next word; StateError if the process ended without one."""
        try:
            return self.connection.recv()
        except EOFError:
            message = f"{self.key} was ended from outside; the same command goes on"
            return Word(error=StateError(message))

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.terminate()
        self._process.join()
        self.connection.close()


def side_by_side(
    works: Mapping[str, Callable[[], Work | None]],
    jobs: int,
    started: Callable[[str], Callable[[int, int], None]],
    late: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Do parts, up to ``jobs`` at once, and yield each with its result as soon as it is there.

    ``works`` are asked for the work of a part when there is room for it, and may say None as long
    as it has to wait for others. Once it is ``late`` no more begin. What a part raises is raised
    here, and the others are ended, as when this is left early.
    """
    waiting, free = dict(works), shares(jobs)
    running: dict[Connection, Running] = {}
    hears: dict[str, Callable[[int, int], None]] = {}
    try:
        while waiting or running:
            if late():
                waiting.clear()
            for key, ask in list(waiting.items()):
                work = ask() if free else None
                if work is not None:
                    del waiting[key]
                    hears[key] = started(key)
                    part = Running(key, work, free.pop())
                    running[part.connection] = part
            for connection in wait(list(running)):
                part = running[connection]  # type: ignore[index]
                word = part.hear()
                if word.progress is not None:
                    hears[part.key](*word.progress)
                    continue
                del running[part.connection]
                part.end()
                free.append(part.cores)
                if word.error is not None:
                    raise word.error
                yield part.key, word.result or {}
    finally:
        for part in running.values():
            part.end()


def shares(jobs: int) -> list[Cores]:
    """Return cores for so many processes; UsageError if there are fewer, or no jobs."""
    if hasattr(os, "sched_getaffinity"):
        cores: Sequence[int] = sorted(os.sched_getaffinity(0))
    else:
        cores = range(os.cpu_count() or 1)
    if not 1 <= jobs <= len(cores):
        raise UsageError(f"{jobs} jobs at once; give 1 to {len(cores)}, the cores there are")
    return [tuple(cores[n::jobs]) for n in range(jobs)]


def _do(there: Connection, work: Work, key: str, cores: Cores) -> None:
    """Do a part, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started all
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    told = 0.0

    def progress(done: int, due: int) -> None:
        nonlocal told
        if time.monotonic() - told >= OFTEN:
            told = time.monotonic()
            there.send(Word(progress=(done, due)))

    try:
        word = Word(result=work(key, progress))
    except BaseException as error:  # whatever it is, it is told
        word = Word(error=error)
    there.send(word)
