"""Run commands of evenmatch side by side, one on each core.

Each line of standard input has the arguments of one command. Lines begin in their order; the
longest should be first. Exits 1 if one of them failed.
"""

import shlex
import sys
import time

from joblib import Parallel, delayed, parallel_config


def run(line: str) -> tuple[str, int, float]:
    """Run a command; return it, its exit status and how many seconds it took."""
    from evenmatch.frontends.cli import app
    from evenmatch.network.owner import use_threads

    use_threads(1)
    start, status = time.monotonic(), 0
    try:
        app(shlex.split(line), prog_name="evenmatch")
    except SystemExit as stop:
        status = int(stop.code or 0)
    return line, status, time.monotonic() - start


failed = []
with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
    tasks = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
    for line, status, seconds in tasks(delayed(run)(line.strip()) for line in sys.stdin):
        print(f"{seconds:5.0f} s  evenmatch {line}", flush=True)
        failed += [line] * bool(status)
for line in failed:
    print(f"failed: evenmatch {line}", file=sys.stderr)
sys.exit(bool(failed))
