"""Independent tasks: in this process, in processes of this machine, or on a cluster of machines.

A `TaskPool` runs tasks on one of three executors:

* `InlineExecutor` runs them one after the other in this process.
* `ProcessExecutor` runs them in processes of this machine, which joblib's loky keeps.
* `RayExecutor` (`ray_tasks.py`) runs them on a cluster; it needs Ray, the extra ``cluster``.

The result of a task is the same on each, except for the seconds, and for the rounding of a network
on another kind of processor or with another number of threads.
"""

import contextlib
import pickle
import re
import signal
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from evenmatch.errors import StateError, UsageError
from evenmatch.network.processor import core_count
from evenmatch.progress import Progress, ignore

Work = Callable[[str, Progress], dict[str, Any]]  #: work(key, progress) -> result; picklable
Ready = Callable[[], Work | None]  #: the work of a task, None while it waits for other tasks
OnRetry = Callable[[str, str], None]  #: on_retry(key, reason)
Started = Callable[[str], Progress]  #: started(key) -> the task's progress callback

RETRIES = 3  #: times that a task is run again after its worker was lost
POLL = 0.25  #: seconds between two looks at progress
OFTEN = 0.1  #: seconds between two reports of progress by a worker


@dataclass(frozen=True, eq=False)
class Shared:
    """A large value shared by many tasks; sent to each node of a cluster once.

    It has to be an argument of the work itself, a `functools.partial`.
    """

    value: Any


class TaskResult(NamedTuple):
    """What a worker sends back: a result or an error, and progress that it has not reported."""

    result: dict[str, Any]
    error: BaseException | None = None
    progress: tuple[int, int] | None = None


class Executor(ABC):
    """Runs tasks. A context manager: at its end all workers are stopped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def has_room(self) -> bool:
        """Return whether another task can start now."""

    @abstractmethod
    def submit(self, key: str, work: Work, progress: Progress) -> "Future[TaskResult]":
        """Start a task. Its own errors are in the result; the future raises if it gets none."""

    def loss(self, error: BaseException) -> str:
        """Return why a future's worker was lost; empty for another error."""
        if not isinstance(error, BrokenExecutor):
            return ""
        status = re.search(r"exit codes of the workers are \{(.*?)\}", str(error))
        return f"its process ended, {status[1]}" if status else "its process ended"

    def report_progress(self) -> None:  # noqa: B027 - the inline executor has nothing to report
        """Call the progress callbacks of running tasks that have reported since the last call."""

    def close(self) -> None:  # noqa: B027
        """Stop all workers, whether they are busy or not."""


class InlineExecutor(Executor):
    """Runs one task after the other in this process; their errors are raised at once."""

    def has_room(self) -> bool:
        """Return True: a task ends within `submit`."""
        return True

    def submit(self, key: str, work: Work, progress: Progress) -> "Future[TaskResult]":
        """Run a task."""
        future: Future[TaskResult] = Future()
        future.set_result(TaskResult(work(key, progress)))
        return future


class ProcessExecutor(Executor):
    """Runs up to ``jobs`` tasks at once in processes, which share the cores equally.

    Each process is a pool of its own, so a process that is killed costs one task. Their temporary
    files are in one folder, which `close` deletes, because a process that is killed leaves its own.
    UsageError if there are fewer cores than jobs.
    """

    def __init__(self, jobs: int) -> None:
        cores = core_count()
        if not 1 <= jobs <= cores:
            raise UsageError(f"{jobs} jobs at once; give 1 to {cores}, the cores there are")
        self._jobs, self._threads = jobs, cores // jobs
        self._idle: list[Any] = []
        self._busy: dict[Future[TaskResult], Any] = {}
        self._reports = ReportFolder()
        self._temporary: TemporaryDirectory[str] | None = None

    def has_room(self) -> bool:
        """Return whether a process is idle or can be started."""
        for future in [future for future in self._busy if future.done()]:
            pool = self._busy.pop(future)
            if future.exception() is None:
                self._idle.append(pool)
            else:
                pool.shutdown(kill_workers=True)
        return len(self._busy) < self._jobs

    def submit(self, key: str, work: Work, progress: Progress) -> "Future[TaskResult]":
        """Start a task in an idle process or in a new one."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        task = partial(run_task, work, key, self._reports.writer(progress))
        pool = self._idle.pop() if self._idle else self._started()
        try:
            future = pool.submit(task)
        except BrokenProcessPool:  # killed while it was idle
            pool.shutdown(kill_workers=True)
            pool = self._started()
            future = pool.submit(task)
        self._busy[future] = pool
        return future

    def _started(self) -> Any:
        """Return a pool of one process, whose libraries use its share of the cores."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._temporary is None:
            self._temporary = TemporaryDirectory(prefix="evenmatch-", ignore_cleanup_errors=True)
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        env = dict.fromkeys(names, str(self._threads))
        env |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._temporary.name)
        return ProcessPoolExecutor(1, env=env, initializer=_set_up, initargs=(self._threads,))

    def report_progress(self) -> None:
        """Call the callbacks of tasks that have written a report."""
        self._reports.read()

    def close(self) -> None:
        """Stop all processes: idle ones by themselves, busy ones by a signal."""
        self.has_room()
        for pool in self._busy.values():
            pool.shutdown(kill_workers=True)
        for pool in self._idle:
            pool.shutdown()
        self._idle.clear()
        self._busy.clear()
        self._reports.clear()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


class ReportFolder:
    """Progress of tasks in other processes, as a file per task.

    Files need no lock that a killed process could hold for ever.
    """

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._callbacks: dict[str, Progress] = {}

    def writer(self, progress: Progress) -> Progress:
        """Return what a task calls in its process so that ``progress`` is called in this one."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="evenmatch-progress-")
        path = Path(self._folder.name, str(len(self._callbacks)))
        self._callbacks[str(path)] = progress
        return partial(_write_report, path)

    def read(self) -> None:
        """Call back for each report, and delete it."""
        for path in Path(self._folder.name).iterdir() if self._folder else ():
            with contextlib.suppress(OSError, ValueError):  # half written: read the next time
                done, due = map(int, path.read_text().split())
                path.unlink()
                self._callbacks[str(path)](done, due)

    def clear(self) -> None:
        """Delete the folder."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        self._callbacks.clear()


def _write_report(path: Path, done: int, due: int) -> None:
    with contextlib.suppress(OSError):  # the folder is gone: nobody reads it
        path.write_text(f"{done} {due}\n")


def _set_up(threads: int) -> None:
    """Prepare a process: Ctrl-C stops the program that started it, which stops the process."""
    from evenmatch.network.owner import use_threads

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_threads(threads)


def run_task(work: Work, key: str, report: Progress) -> TaskResult:
    """Run a task in a worker; ``report`` gets its progress, not more often than every OFTEN."""
    reported, unsent = 0.0, None

    def progress(done: int, due: int) -> None:
        nonlocal reported, unsent
        unsent = done, due
        if time.monotonic() - reported >= OFTEN:
            reported, unsent = time.monotonic(), None
            report(done, due)

    try:
        return TaskResult(work(key, progress), None, unsent)
    except BaseException as error:  # of any kind: raised again where the task was asked for
        return TaskResult({}, portable(error))


def portable(error: BaseException) -> BaseException:
    """Return an exception that another process can unpickle: itself, or a StateError."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return StateError(f"{type(error).__name__}: {error}")
    return error


class TaskPool:
    """Tasks that wait and tasks that run on an executor; lost ones are run again.

    ``started(key)`` returns a task's progress callback; ``on_retry(key, reason)`` is called when a
    task is run again because its worker was lost. The executor is not closed.
    """

    def __init__(
        self, executor: Executor, started: Started = lambda key: ignore, on_retry: OnRetry = ignore
    ) -> None:
        self.waiting: dict[str, Ready] = {}
        self._running: dict[Future[TaskResult], tuple[str, Ready]] = {}
        self._executor, self._started, self._on_retry = executor, started, on_retry
        self._progress: dict[str, Progress] = {}
        self._losses: Counter[str] = Counter()

    @property
    def busy(self) -> bool:
        """Whether any task waits or runs."""
        return bool(self.waiting or self._running)

    def __contains__(self, key: str) -> bool:
        """Return whether a task waits or runs."""
        return key in self.waiting or any(key == running for running, _ in self._running.values())

    def add(self, key: str, work: Work) -> None:
        """Add a task. One with its key may have ended before."""
        self.waiting[key] = lambda: work

    def add_late(self, key: str, ready: Ready) -> None:
        """Add a task whose work is asked for when there is room for it."""
        self.waiting[key] = ready

    def start(self) -> None:
        """Start as many tasks as the executor has room for."""
        for key, ready in list(self.waiting.items()):
            if not self._executor.has_room():
                return
            work = ready()
            if work is not None:
                del self.waiting[key]
                if key not in self._progress:
                    self._progress[key] = self._started(key)
                future = self._executor.submit(key, work, self._progress[key])
                self._running[future] = key, ready
                if future.done():  # inline: its result is taken before the next one starts
                    return

    def collect(self, block: bool = True) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (key, result) of tasks that have ended; ``block``: wait for them up to POLL.

        An error of a task is raised, after the results of the others; StateError if its worker was
        lost more than RETRIES times.
        """
        if block and not self._running:  # no machine of the cluster has room
            time.sleep(POLL)
        ended, _ = wait(self._running, POLL if block else 0, FIRST_COMPLETED)
        self._executor.report_progress()
        errors = []
        for future in [future for future in self._running if future in ended]:
            key, ready = self._running.pop(future)
            error = future.exception()
            if error is not None and (reason := self._executor.loss(error)):
                self._retry(key, ready, reason)
                continue
            error = error or future.result().error
            if error is not None:
                errors.append(error)
                continue
            found = future.result()
            self._losses.pop(key, None)
            if found.progress is not None:
                self._progress[key](*found.progress)
            yield key, found.result
        if errors:
            raise errors[0]

    def _retry(self, key: str, ready: Ready, reason: str) -> None:
        """Let a lost task wait again, before all others."""
        self._losses[key] += 1
        if self._losses[key] > RETRIES:
            raise StateError(
                f"{key} was lost {self._losses[key]} times ({reason}); the same command continues"
            )
        self._on_retry(key, reason)
        self.waiting = {key: ready, **self.waiting}

    def results(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Run all tasks; yield (key, result) as they end."""
        while self.busy:
            self.start()
            yield from self.collect()


def run_tasks(
    tasks: Mapping[str, Ready],
    executor: Executor,
    started: Started = lambda key: ignore,
    deadline: float = float("inf"),
    on_retry: OnRetry = ignore,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run tasks, which may wait for each other; yield (key, result) as they end.

    After the ``deadline``, a time of `time.monotonic`, no more are started. The executor is closed
    at the end, and when the caller stops early; tasks that run are stopped then. Errors as in
    `TaskPool.collect`.
    """
    pool = TaskPool(executor, started, on_retry)
    pool.waiting.update(tasks)
    with executor:
        while pool.busy:
            if time.monotonic() >= deadline:
                pool.waiting.clear()
            pool.start()
            yield from pool.collect()


def total_progress(progress: Progress, due: int) -> Started:
    """Return ``started`` for a `TaskPool` whose tasks together report (done, due)."""
    done: dict[str, int] = {}

    def started(key: str) -> Progress:
        def report(count: int, _due: int) -> None:
            done[key] = count
            progress(sum(done.values()), due)

        return report

    return started
