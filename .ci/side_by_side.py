"""Run commands of evenmatch side by side, one on each core.

Each line of standard input has the arguments of one command. A process for each core runs one after
another, so that imports, networks and compiled kernels are loaded once a core. Lines begin in their
order; the longest should be first. Exits 1 if one of them failed.
"""

import shlex
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from evenmatch.workshop.cluster.cores import cores, keep_to


def take_core(free) -> None:
    """Keep this process to a core that no other has."""
    keep_to((free.get(),))


def run(line: str) -> tuple[int, float]:
    """Run a command; return its exit status and how many seconds it took."""
    from evenmatch.frontends.cli import app

    start = time.monotonic()
    try:
        app(shlex.split(line), prog_name="evenmatch")
    except SystemExit as stop:
        return int(stop.code or 0), time.monotonic() - start
    return 0, time.monotonic() - start


def run_all(lines: Iterable[str]) -> bool:
    """Run all commands, say how each went, and return whether all went well."""
    spawned = get_context("spawn")
    free = spawned.SimpleQueue()
    for core in cores():
        free.put(core)
    failed = []
    with ProcessPoolExecutor(len(cores()), spawned, take_core, (free,)) as pool:
        begun = {pool.submit(run, line): line for line in lines}
        for ended in as_completed(begun):
            status, seconds = ended.result()
            print(f"{seconds:5.0f} s  evenmatch {begun[ended]}", flush=True)
            if status:
                failed.append(begun[ended])
    for line in failed:
        print(f"failed: evenmatch {line}", file=sys.stderr)
    return not failed


if __name__ == "__main__":
    sys.exit(not run_all(filter(None, map(str.strip, sys.stdin))))
