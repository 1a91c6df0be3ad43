"""Parts that tests have done on a cluster; quick to import, for every worker does."""

import os
import signal
import time

from evenmatch.errors import UsageError


def waits(seconds, key, progress):
    import ray

    progress(1, 2)
    time.sleep(seconds)
    return {"node": ray.get_runtime_context().get_node_id()}


def waits_until_heard(folder, parts, key, progress):
    """Tell of progress, and end once that of all parts was heard: so they go on side by side."""
    import ray

    progress(1, 2)
    while len(list(folder.iterdir())) < parts:
        time.sleep(0.05)
    return {"node": ray.get_runtime_context().get_node_id()}


def is_killed(key, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(key, progress):
    raise UsageError(f"{key} cannot be")


LOST = "lost"  #: the file that says that a node was lost


def meets(folder, work, *asked):
    """Do a part, but not before a node was lost; leave a file of the name of this one."""
    import ray

    (folder / ray.get_runtime_context().get_node_id()).touch()
    by = time.monotonic() + 120
    while not (folder / LOST).exists() and time.monotonic() < by:
        time.sleep(0.05)
    return work(*asked)


def adds_up(one, other, key, progress):
    return {"sum": int(one.value.sum() + other.value.sum())}
