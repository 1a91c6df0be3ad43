"""The folder of all that is kept of people."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

PATIENCE = 10.0  #: seconds to wait for another program that changes it
NO_LOCKS = "its file system has no locks"
THEIRS_ALONE = 0o600  #: permissions of what is kept of a person
WRITABLE = "set EVENMATCH_STATE to a folder that can be written"


@contextmanager
def alone(where: Path) -> Iterator[None]:
    """Keep other programs from changing a folder meanwhile. Raises OSError if it cannot."""
    where.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(where / ".lock", timeout=PATIENCE, mode=THEIRS_ALONE):
            yield
    except Timeout:
        raise OSError("another evenmatch keeps it locked") from None
    except NotImplementedError:
        raise OSError(NO_LOCKS) from None
