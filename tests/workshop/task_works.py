"""Tasks that tests have done in processes; quick to import, for every process does."""

import os
import signal
import tempfile
import time

from evenmatch.errors import UsageError


class OddError(Exception):
    """Cannot be made again from what pickle keeps of it."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def process_of(key, progress):
    return {"process": os.getpid(), "threads": os.environ.get("OMP_NUM_THREADS")}


def fails_oddly(key, progress):
    raise OddError("this", "that")


def refuses(key, progress):
    raise UsageError(f"{key} cannot be")


def waits(key, progress):
    time.sleep(600)


def is_killed(key, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def is_killed_once(folder, key, progress):
    if key == "b" and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"key": key}


def leaves_a_folder(notes, key, progress):
    """Note a folder that is not deleted; end by a signal the first time."""
    with notes.open("a") as file:
        print(tempfile.mkdtemp(), file=file)
    if notes.read_text().count("\n") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {}


def returns_its_progress(key, progress):
    progress(1, 2)
    progress(2, 2)
    return {}


def returns_a_generator(key, progress):
    return {"key": (key for _ in "a")}


def number(progress, done):
    progress(1, 2)
    return {"number": 1 + sum(row["number"] for row in done.values())}
