"""Tasks on a cluster of machines, by Ray.

Ray's backend of joblib returns results only when all tasks have ended, reports no progress, and
fails as a whole with the first node that is lost. So tasks are Ray's own, one future each. Ray
retries none of them: `TaskPool` does, and counts. Progress goes to an actor on the machine that
started the work; if that is lost, only the progress is.
"""

import os
import socket
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from evenmatch import __version__
from evenmatch.errors import MissingExtraError, StateError, UsageError, quoted
from evenmatch.progress import Progress
from evenmatch.workshop.tasks import (
    POLL,
    Executor,
    InlineExecutor,
    ProcessExecutor,
    Shared,
    TaskResult,
    Work,
    run_task,
)

LOCAL = "local"  #: the address that starts a cluster of this machine alone
CONNECT_TIMEOUT = 10.0  #: seconds
#: Otherwise Ray reports its use to its makers, its workers hide GPUs and let all other programs of
#: the machine go first, and logs of lost machines go to standard output.
SETTINGS = {
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",
}


class RayExecutor(Executor):
    """Runs tasks on the cluster of an address: ``auto``, ``local`` or HOST:PORT.

    A task has one core. With ``jobs`` no more run at once, and each has its share of all cores.
    Raises UsageError without a cluster, MissingExtraError without Ray.
    """

    def __init__(self, address: str, jobs: int | None = None):
        if jobs is not None and jobs < 1:
            raise UsageError(f"{jobs} jobs at once; give 1 or more")
        self._ray, self._own = connected(address)
        self._jobs = jobs
        self._running: dict[Future[TaskResult], Any] = {}
        self._progress: dict[str, Progress] = {}
        self._stored = WeakKeyDictionary[Shared, Any]()
        self._looked, self._slots = 0.0, 0
        nodes = self._nodes()
        if not any(nodes):
            raise UsageError(
                f"no machine of the cluster at {quoted(address)} has cores for parts; let one join "
                "that has: ray start --address=HOST:PORT"
            )
        share = sum(nodes) // jobs if jobs else 1
        self._cores = max(1, min(share, max(nodes)))
        self._board, self._news = self._actor_here(Board).remote(), None
        self._task = self._ray.remote(num_cpus=self._cores, max_retries=0)(_run_on_node)

    def has_room(self) -> bool:
        """Return whether a node has cores for another task."""
        self._running = {future: ref for future, ref in self._running.items() if not future.done()}
        if time.monotonic() - self._looked >= POLL:
            self._slots = sum(cores // self._cores for cores in self._nodes())
            self._looked = time.monotonic()
        most = self._slots if self._jobs is None else min(self._slots, self._jobs)
        return len(self._running) < most

    def submit(self, key: str, work: Work, progress: Progress) -> "Future[TaskResult]":
        """Start a task on a node that has room."""
        self._progress[key] = progress
        function, args = (work.func, work.args) if isinstance(work, partial) else (work, ())
        shared = [number for number, arg in enumerate(args) if isinstance(arg, Shared)]
        sent = [self._ref(arg) if isinstance(arg, Shared) else arg for arg in args]
        setting = __version__, os.getcwd(), self._cores, self._board
        ref = self._task.remote(setting, key, function, shared, *sent)
        future = ref.future()
        self._running[future] = ref
        return future

    def loss(self, error: BaseException) -> str:
        """Return why a worker was lost; empty for an error before the task began."""
        errors = self._ray.exceptions
        if isinstance(error, errors.RayTaskError) or not isinstance(error, errors.RayError):
            return ""
        return LOSSES.get(type(error).__name__, "its worker was lost")

    def report_progress(self) -> None:
        """Call the callbacks of tasks that have reported to the board."""
        if self._news is None:
            self._news = self._board.take.remote()
        if not self._ray.wait([self._news], timeout=0)[0]:
            return  # it is asked again the next time: what was taken must not be lost
        news, self._news = self._news, None
        reports: dict[str, tuple[int, int]] = {}
        with suppress(self._ray.exceptions.RayError):
            reports = self._ray.get(news)
        for key, (done, due) in reports.items():
            self._progress[key](done, due)

    def close(self) -> None:
        """Cancel what runs, and leave the cluster."""
        for ref in self._running.values():
            with suppress(Exception):  # its result is not needed any more
                self._ray.cancel(ref, force=True)
        self._running.clear()
        if self._own:
            self._ray.shutdown()

    def _ref(self, shared: Shared) -> Any:
        """Return the reference to a shared value in Ray's store, where it is put once."""
        if shared not in self._stored:
            self._stored[shared] = self._ray.put(shared.value)
        return self._stored[shared]

    def _nodes(self) -> list[int]:
        """Return the cores of each node that is alive."""
        resources = (node["Resources"] for node in self._ray.nodes() if node["Alive"])
        return [int(one.get("CPU", 0)) for one in resources]

    def _actor_here(self, kind: type) -> Any:
        """Return a class as actors on this machine, which take no core."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = self._ray.get_runtime_context().get_node_id()
        where = NodeAffinitySchedulingStrategy(here, soft=True)
        return self._ray.remote(num_cpus=0, scheduling_strategy=where)(kind)


def executor(cluster: str | None = None, jobs: int | None = None) -> Executor:
    """Return the executor on a ``cluster``, otherwise one of up to ``jobs`` tasks at once here.

    Raises UsageError if there are fewer cores than jobs, or no such cluster; MissingExtraError if
    Ray is needed and not installed.
    """
    if cluster is not None:
        return RayExecutor(cluster, jobs)
    return InlineExecutor() if jobs in (None, 1) else ProcessExecutor(jobs)


LOSSES = {
    "WorkerCrashedError": "its process ended",
    "NodeDiedError": "its machine was lost",
    "OutOfMemoryError": "its machine had no memory left",
}  #: by the name of Ray's exception


class Board:
    """Keeps the latest progress of each task."""

    def __init__(self) -> None:
        self._reports: dict[str, tuple[int, int]] = {}

    def put(self, key: str, done: int, due: int) -> None:
        """Note the progress of a task."""
        self._reports[key] = done, due

    def take(self) -> dict[str, tuple[int, int]]:
        """Return what is new."""
        reports, self._reports = self._reports, {}
        return reports


def connected(address: str) -> tuple[Any, bool]:
    """Return Ray, connected to a cluster, and whether the connection is new."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtraError(
            "--cluster needs Ray, which is not installed: pip install 'evenmatch[cluster]'"
        ) from None
    if ray.is_initialized():
        return ray, False
    try:
        if ":" in address:  # Ray itself would wait for minutes
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address == LOCAL:
            settings["include_dashboard"] = False
        ray.init(address=address, **settings)
    except (OSError, ValueError, OverflowError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0].partition(". ")[0]
        raise UsageError(
            f"no cluster answers at {quoted(address)} ({reason}); start one with `ray start "
            "--head`, or give --cluster local"
        ) from None
    return ray, True


def _run_on_node(
    setting: tuple[str, str, int, Any], key: str, function: Any, shared: list[int], *args: Any
) -> TaskResult:
    """Run a task on a node; Ray has replaced references by the shared values."""
    import ray

    from evenmatch.network.owner import use_threads

    version, folder, cores, board = setting
    if version != __version__:
        host = socket.gethostname()
        error = f"{host} has evenmatch {__version__}, not {version}; install the same on both"
        return TaskResult({}, StateError(error))
    with suppress(OSError):  # absolute paths do not need it
        os.chdir(folder)
    use_threads(cores)
    values = (Shared(arg) if number in shared else arg for number, arg in enumerate(args))

    def report(done: int, due: int) -> None:
        with suppress(ray.exceptions.RayError):
            board.put.remote(key, done, due)

    return run_task(partial(function, *values), key, report)
