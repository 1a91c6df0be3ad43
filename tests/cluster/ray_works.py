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


def is_killed(key, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(key, progress):
    raise UsageError(f"{key} cannot be")
