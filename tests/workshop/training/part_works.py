"""Parts of self-play that tests have done in processes; quick to import, for every process does.

In those processes nothing is patched.
"""

import os
import signal
import time

from evenmatch.workshop.training.workers import play_on


def killed_once(folder, *asked):
    """Play a part, but die of the first that is asked for."""
    try:
        (folder / "killed").mkdir()
    except FileExistsError:
        return play_on(*asked)
    os.kill(os.getpid(), signal.SIGKILL)


def slowly(slow, seconds, *asked):
    """Play a part, and let it take as long as is said, if it is of the slow worker."""
    found = play_on(*asked)
    if asked[-2] == slow:
        time.sleep(seconds)
    return found
