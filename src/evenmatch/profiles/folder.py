"""The folder of all that is kept of people."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

PATIENCE = 10.0  #: seconds to wait for another program that changes it
NO_LOCKS = "its file system has no locks"
THEIRS_ALONE = 0o600  #: permissions of what is kept of a person
WRITABLE = "set EVENMATCH_STATE to a folder that can be written"
FULL = (errno.ENOSPC, errno.EDQUOT)  #: errors of a disk, or of a share of it, that is full


def cause(error: Exception) -> str:
    """Say why something cannot be kept."""
    if isinstance(error, OSError) and error.errno in FULL:
        return "the disk is full"
    return str(getattr(error, "strerror", None) or error)


def remedy(error: Exception) -> str:
    """Say what helps where something cannot be kept."""
    if isinstance(error, OSError) and error.errno in FULL:
        return "make room on that disk"
    return WRITABLE


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
