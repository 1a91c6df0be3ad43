"""Parts on a cluster of machines, as tasks of Ray.

Ray is told to retry nothing: a part that was lost is begun again, and counted, where parts of
processes are, too (``side_by_side``). A word of progress goes to a board on the machine that
started the work, which reads it now and then. If the board is lost, only the progress is.
"""

import io
import os
import pickle
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from evenmatch.errors import MissingExtraError, StateError, UsageError, quoted
from evenmatch.progress import Progress
from evenmatch.workshop.cluster.code import Versions, check, code_of
from evenmatch.workshop.cluster.cores import claimed
from evenmatch.workshop.cluster.executor import Ended, Executor, Shared, Work
from evenmatch.workshop.cluster.portable import portable

LOCAL = "local"  #: the address that starts a cluster of this machine alone
PATIENCE = 10.0  #: seconds until a machine answers
OFTEN = 0.25  #: seconds between two looks at progress, and at which machines there are
#: Ray tells its makers how it is used, its workers hide GPUs, all others on the machine go before
#: them, and logs of machines that are lost go to standard output, unless these say otherwise.
SETTINGS = {
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",
}


class Asked(NamedTuple):
    """A part as it is sent to a machine."""

    pickled: bytes  #: its work
    versions: Versions  #: the code that is to do it
    folder: str  #: where it is to be done
    cores: int


class Running(NamedTuple):
    """A part that is being done, or that waits for a machine."""

    key: str
    progress: Progress


class RayTasks(Executor):
    """Parts on the cluster of an address: ``auto``, ``local`` or HOST:PORT.

    A part has one core. With ``jobs`` no more are done at once, and each has its share of all
    cores. Raises UsageError if there is no cluster, MissingExtraError without Ray.
    """

    def __init__(self, address: str, jobs: int | None = None):
        if jobs is not None and jobs < 1:
            raise UsageError(f"{jobs} jobs at once; give 1 or more")
        self._ray, self._mine = connected(address)
        self._jobs, self._running = jobs, dict[Any, Running]()
        self._refs = WeakKeyDictionary[Shared, Any]()
        self._looked, self._rooms = 0.0, 0
        nodes = self._nodes()
        if not any(nodes):
            raise UsageError(
                f"no machine of the cluster at {quoted(address)} has cores for parts; let one join "
                "that has: ray start --address=HOST:PORT"
            )
        share = sum(nodes) // jobs if jobs else 1
        self._cores = max(1, min(share, max(nodes, default=1)))
        self._board = self._beside(Board).remote()
        self._task = self._ray.remote(num_cpus=self._cores, max_retries=0)(_do)

    def has_room(self) -> bool:
        """Return whether a machine has cores for another part."""
        if time.monotonic() - self._looked >= OFTEN:
            self._rooms = sum(cores // self._cores for cores in self._nodes())
            self._looked = time.monotonic()
        most = self._rooms if self._jobs is None else min(self._rooms, self._jobs)
        return len(self._running) < most

    def begin(self, key: str, work: Work, progress: Progress) -> None:
        """Begin a part on a machine that has room."""
        pickled, held = _pickled(work)
        refs = [self._stored(shared) for shared in held]
        asked = Asked(pickled, code_of(work), os.getcwd(), self._cores)
        task = self._task.remote(self._board, key, asked, *refs)
        self._running[task] = Running(key, progress)

    def ended(self, wait: bool = True) -> Sequence[Ended]:
        """Wait for parts a while; tell what is known of their progress."""
        if not self._running:  # no machine has room
            time.sleep(OFTEN if wait else 0)
            return []
        over, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
        if not over and wait:
            over, _ = self._ray.wait(list(self._running), timeout=OFTEN)
        if not over and wait:
            self._tell()
        return [self._result(task) for task in over]

    def close(self) -> None:
        """End what runs, and leave the cluster."""
        for task in self._running:
            with suppress(Exception):  # whatever becomes of it, nobody waits for it
                self._ray.cancel(task, force=True)
        self._running.clear()
        if self._mine:
            self._ray.shutdown()

    def _stored(self, shared: Shared) -> Any:
        """Return the reference to what is shared in Ray's store, where it is put once."""
        if shared not in self._refs:
            self._refs[shared] = self._ray.put(shared.value)
        return self._refs[shared]

    def _nodes(self) -> list[int]:
        """Return the cores of each machine that is there."""
        there = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        return [int(resources.get("CPU", 0)) for resources in there]

    def _beside(self, kind: type) -> Any:
        """Return a class as actors on this machine, which take no core."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = self._ray.get_runtime_context().get_node_id()
        where = NodeAffinitySchedulingStrategy(here, soft=True)
        return self._ray.remote(num_cpus=0, scheduling_strategy=where)(kind)

    def _tell(self) -> None:
        """Let those hear of progress that wait for it."""
        hears = {part.key: part.progress for part in self._running.values()}
        said: dict[str, tuple[int, int]] = {}
        with suppress(self._ray.exceptions.RayError):
            said = self._ray.get(self._board.take.remote(), timeout=OFTEN)
        for key, (done, due) in said.items():
            if key in hears:
                hears[key](done, due)

    def _result(self, task: Any) -> Ended:
        """Return what came of a task."""
        key, errors = self._running.pop(task).key, self._ray.exceptions
        try:
            result, error = self._ray.get(task)
        except errors.RayTaskError as failed:  # before the part began
            said = str(failed.cause or failed).strip().splitlines()
            return Ended(
                key, error=StateError(f"{key} could not begin: {said[-1] if said else ''}")
            )
        except errors.RayError as failed:
            return Ended(key, lost=HOW.get(type(failed).__name__, "its worker was lost"))
        return Ended(key, result, error)


HOW = {
    "WorkerCrashedError": "its process ended",
    "NodeDiedError": "its machine was lost",
    "OutOfMemoryError": "its machine had no memory left",
}  #: by the name of Ray's exception, how a part was lost


class Board:
    """Keeps the latest word of progress of each part."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[int, int]] = {}

    def put(self, key: str, done: int, due: int) -> None:
        """Note how far a part is."""
        self._said[key] = done, due

    def take(self) -> dict[str, tuple[int, int]]:
        """Return what is new."""
        said, self._said = self._said, {}
        return said


def connected(address: str) -> tuple[Any, bool]:
    """Return Ray, connected to a cluster, and whether it was connected here."""
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
    if ":" in address:
        _knock(address)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address == LOCAL:
            ray.init(address=LOCAL, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _unanswered(address, error) from None
    return ray, True


def _knock(address: str) -> None:
    """Raise UsageError if nobody listens at HOST:PORT; Ray itself waits for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unanswered(address, error) from None


def _unanswered(address: str, error: Exception) -> UsageError:
    """Return the exception to raise where there is no cluster."""
    why = str(error).strip().partition("\n")[0].partition(". ")[0]
    return UsageError(
        f"no cluster answers at {quoted(address)} ({why}); start one with `ray start --head`, or "
        "give --cluster local"
    )


def _pickled(work: Work) -> tuple[bytes, list[Shared]]:
    """Return a work without what it shares with others, and that, in order."""
    from ray.cloudpickle import Pickler

    held: list[Shared] = []

    class Apart(Pickler):  # type: ignore[misc]
        def persistent_id(self, found: Any) -> int | None:
            if not isinstance(found, Shared):
                return None
            if found not in held:
                held.append(found)
            return held.index(found)

    buffer = io.BytesIO()
    Apart(buffer).dump(work)
    return buffer.getvalue(), held


class Joined(pickle.Unpickler):
    """Reads a work, and gives it what it shares with others."""

    def __init__(self, pickled: bytes, values: Sequence[Any]):
        super().__init__(io.BytesIO(pickled))
        self._shared = [Shared(value) for value in values]

    def persistent_load(self, number: Any) -> Shared:
        """Return what is shared, by its place."""
        return self._shared[number]


def _do(
    board: Any, key: str, asked: Asked, *values: Any
) -> tuple[dict[str, Any] | None, BaseException | None]:
    """Do a part on a machine of the cluster; return its result, or what it raised.

    ``values`` are what the part shares with others; Ray fetched them from its store.
    """
    import ray

    told = 0.0

    def progress(done: int, due: int) -> None:
        nonlocal told
        if time.monotonic() - told >= OFTEN:
            told = time.monotonic()
            with suppress(ray.exceptions.RayError):
                board.put.remote(key, done, due)

    try:
        check(asked.versions, socket.gethostname())
        with suppress(OSError):  # paths that are written whole do not need it
            os.chdir(asked.folder)
        with claimed(asked.cores):
            return Joined(asked.pickled, values).load()(key, progress), None
    except BaseException as error:  # whatever it is, it is told
        return None, portable(error)
