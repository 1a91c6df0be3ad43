"""Parts in processes of this machine, each of which has cores to itself."""

import multiprocessing
import signal
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as ready
from typing import Any, NamedTuple

from evenmatch.progress import Progress, ignore
from evenmatch.workshop.cluster.cores import Cores, keep_to, shares
from evenmatch.workshop.cluster.executor import Ended, Executor, Work
from evenmatch.workshop.cluster.portable import portable

CONTEXT = multiprocessing.get_context("spawn")  # networks' threads do not survive a fork
OFTEN = 0.1  #: seconds between two words of progress
ENDS = 5.0  #: seconds that a process has to clean up and end


class Word(NamedTuple):
    """What a process says: one of these."""

    progress: tuple[int, int] | None = None  #: (done, due)
    result: dict[str, Any] | None = None
    error: BaseException | None = None


class Worker:
    """A process that does one part after the other."""

    def __init__(self, cores: Cores):
        self.cores = cores
        self.key = ""  #: of the part that it does; empty: none
        self.progress: Progress = ignore
        self.connection, there = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_serve, args=(there, cores), daemon=True)
        self._process.start()
        there.close()

    def begin(self, key: str, work: Work, progress: Progress) -> None:
        """Let it do a part. OSError if it is gone."""
        self.connection.send((key, work))
        self.key, self.progress = key, progress

    def hear(self) -> Ended | None:
        """Return the part if it is over, None after a word of progress."""
        try:
            word = self.connection.recv()
        except (EOFError, OSError):
            return Ended(self.key, lost=f"its process ended, {self._how()}")
        if word.progress is not None:
            self.progress(*word.progress)
            return None
        return Ended(self.key, word.result, word.error)

    def _how(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        return f"by signal {-code}" if code < 0 else f"with status {code}"

    def leave(self) -> None:
        """Let the process end by itself, once it has nothing to do."""
        self.connection.close()

    def end(self) -> None:
        """End the process, whatever it does, unless it soon has by itself as it was let."""
        if self.connection.closed:
            self._process.join(ENDS)
        self._process.terminate()
        self._process.join()
        self.connection.close()


class Processes(Executor):
    """Up to ``jobs`` processes at once; UsageError if there are fewer cores."""

    def __init__(self, jobs: int):
        self._free = shares(jobs)  #: of processes that are yet to be started
        self._idle: list[Worker] = []
        self._busy: dict[Connection, Worker] = {}

    def has_room(self) -> bool:
        """Return whether a process has nothing to do, or can be started."""
        return bool(self._idle or self._free)

    def begin(self, key: str, work: Work, progress: Progress) -> None:
        """Begin a part in a process."""
        worker = self._idle.pop() if self._idle else Worker(self._free.pop())
        try:
            worker.begin(key, work, progress)
        except OSError:  # it was ended while it had nothing to do
            worker.end()
            worker = Worker(worker.cores)
            worker.begin(key, work, progress)
        self._busy[worker.connection] = worker

    def ended(self, wait: bool = True) -> Sequence[Ended]:
        """Wait for words of the processes; return the parts that are over."""
        if not self._busy:
            return []  # nobody would ever say a word
        over = []
        for connection in ready(list(self._busy), None if wait else 0):
            worker = self._busy[connection]  # type: ignore[index]
            part = worker.hear()
            if part is not None:
                del self._busy[worker.connection]
                self._rest(worker, bool(part.lost))
                over.append(part)
        return over

    def _rest(self, worker: Worker, lost: bool) -> None:
        """Keep a process for another part; of one that was lost keep the cores."""
        if lost:
            worker.end()
            self._free.append(worker.cores)
        else:
            self._idle.append(worker)

    def close(self) -> None:
        """End all processes; those that have nothing to do clean up before."""
        for worker in self._idle:
            worker.leave()
        for worker in (*self._idle, *self._busy.values()):
            worker.end()
            self._free.append(worker.cores)
        self._idle.clear()
        self._busy.clear()


def _serve(there: Connection, cores: Cores) -> None:
    """Do parts until nobody asks for more, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started all
    keep_to(cores)
    while True:
        try:
            word = _done(there)
        except EOFError:
            return
        try:
            there.send(word)
        except Exception as error:  # a result that cannot be pickled
            there.send(Word(error=error))


def _done(there: Connection) -> Word:
    """Do the next part. EOFError if there is none."""
    told = 0.0

    def progress(done: int, due: int) -> None:
        nonlocal told
        if time.monotonic() - told >= OFTEN:
            told = time.monotonic()
            there.send(Word(progress=(done, due)))

    try:
        key, work = there.recv()
    except EOFError:
        raise
    except Exception as error:  # work that is not known here
        return Word(error=portable(error))
    try:
        return Word(result=work(key, progress))
    except BaseException as error:  # whatever it is, it is told
        return Word(error=portable(error))
