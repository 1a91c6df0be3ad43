"""Cores for processes: shares of those of this machine, and cores that no other part uses.

Where the system cannot give cores to processes, as on macOS, they share them all.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from evenmatch.errors import UsageError

Cores = tuple[int, ...]


def cores() -> Cores:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def shares(jobs: int) -> list[Cores]:
    """Return cores for so many processes; UsageError if there are fewer, or no jobs."""
    there = cores()
    if not 1 <= jobs <= len(there):
        raise UsageError(f"{jobs} jobs at once; give 1 to {len(there)}, the cores there are")
    return [there[n::jobs] for n in range(jobs)]


def keep_to(some: Sequence[int]) -> None:
    """Let all threads of this process use these cores alone."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for thread in map(int, os.listdir("/proc/self/task")):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(thread, some)


@contextmanager
def claimed(count: int) -> Iterator[None]:
    """Keep to so many cores of this machine, which nobody else claims; to all if few are left.

    A claim is the lock of a file, which the system drops when the process ends in any way.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_of = cores()
    with ExitStack() as claims:
        mine = _claim(all_of, count, claims)
        keep_to(mine or all_of)
        try:
            yield
        finally:
            keep_to(all_of)


def _claim(some: Iterable[int], count: int, claims: ExitStack) -> Cores:
    """Return ``count`` cores and hold them until ``claims`` is closed; none if too few are left."""
    folder = Path(tempfile.gettempdir()) / f"evenmatch-cores-{os.getuid()}"
    mine: list[int] = []
    for core in some:
        if len(mine) < count:
            with suppress(Timeout, OSError):
                folder.mkdir(exist_ok=True)
                claims.enter_context(FileLock(folder / str(core), timeout=0))
                mine.append(core)
    if len(mine) < count:
        claims.close()
        return ()
    return tuple(mine)
