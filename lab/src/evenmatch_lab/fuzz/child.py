"""Inputs of one door one after the other, in a process of their own with bounds.

    python -m evenmatch_lab.fuzz.child DOOR SEED FIRST COUNT

tells a line of JSON for what it begins with, and one for what became of it. It ends by itself where
an input hangs; its standard error then has where.
"""

import faulthandler
import gc
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from evenmatch_lab.fuzz.door import Door, Verdict, drawn, judged
from evenmatch_lab.fuzz.doors import door_named
from evenmatch_lab.shared.process_memory import peak_of

TIDY = 25  #: inputs after which what is no longer used is cleared away
HANG = 30.0  #: seconds after which nothing more is expected of an input
ROOM = 4 << 30  #: bytes of address space that inputs may add
MEGABYTE = 1 << 20


def memory() -> float:
    """Return the most memory that was resident in this process, in MB.

    What the system counts for a process (``ru_maxrss``) begins with the memory of its parent.
    """
    return peak_of(os.getpid()) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def address_space() -> int:
    """Return the bytes of address space of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def run(door: Door, seed: int, first: int, count: int, out: TextIO) -> None:
    """Run inputs of a door and tell of each."""
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        where = Path(folder)
        os.environ["EVENMATCH_STATE"] = str(where / "state")
        os.environ["XDG_CACHE_HOME"] = str(where / "cache")
        examples = door.examples(where)
        take = door.opened(where)
        for example in examples:  # what is loaded and compiled once is no input's fault
            judged(take, example)
        gc.collect()
        if space := address_space():
            resource.setrlimit(resource.RLIMIT_AS, (space + ROOM, space + ROOM))
        start = memory()
        for number in range(first, first + count):
            if number % TIDY == 0:
                gc.collect()  # what waits for it is no growth
            data = drawn(door, seed, number, examples)
            out.write(f"{json.dumps({'begun': number})}\n")
            out.flush()
            faulthandler.dump_traceback_later(HANG, exit=True)
            verdict = judged(take, data)
            faulthandler.cancel_dump_traceback_later()
            grown = memory() - start
            if grown > door.megabytes and verdict.kind in ("accepted", "refused"):
                verdict = Verdict("memory", verdict.seconds, f"{grown:.0f} MB more")
            tell(out, number, verdict, grown)
            if grown > door.megabytes:
                return  # the next child begins with little again


def tell(out: TextIO, number: int, verdict: Verdict, grown: float) -> None:
    """Tell of an input."""
    line = {"number": number, "megabytes": round(grown), **verdict._asdict()}
    out.write(f"{json.dumps(line)}\n")
    out.flush()


def scratch() -> str | None:
    """Return a folder in memory, where writing takes no time; None: the usual one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main() -> int:
    """Run what the command line asks for."""
    name, seed, first, count = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a door prints is not for the runner
    faulthandler.enable()
    run(door_named(name), int(seed), int(first), int(count), out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
