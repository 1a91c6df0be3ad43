"""Where one unfinished game is kept, and the lock that keeps other programs from it.

While a game is played its lock is held: two programs never go on with the same one, and neither
touches the other's. A lock is a file in ``open/``; a program that dies lets go of it.

The file stays when its game ends. Another program may have opened it to lock it; if it were
removed, that program would hold a file that a third one does not see, and both would go on. Names
are used again, so there are never more files than games were unfinished at once.
"""

import time
from pathlib import Path

from filelock import FileLock, Timeout

from evenmatch.profiles import rows
from evenmatch.profiles.database import Database
from evenmatch.profiles.folder import NO_LOCKS, THEIRS_ALONE
from evenmatch.profiles.played import Outcome
from evenmatch.sessions.saved import Saved


class Place:
    """Where one unfinished game is kept; nobody else can take it until it is left."""

    def __init__(self, database: Database, name: str, lock: FileLock, row: int | None = None):
        """``lock`` is held already; ``row`` is the game's, None before it is first written."""
        self.name = name
        self.path = database.path
        self._database, self._lock, self._row = database, lock, row
        self._written: Saved | None = None  # what is in the database

    def write(self, saved: Saved) -> None:
        """Keep the game as it is now; what changed is written. Raises OSError if it cannot be."""
        with self._database.changing() as connection:
            row = self._row
            if row is None:
                kind, _, number = self.name.rpartition("-")
                row, before = rows.insert(connection, kind, int(number), saved), None
            else:
                before = self._written or rows.read(connection, row)
            rows.write(connection, row, saved, before)
        self._row, self._written = row, saved

    def end(self, outcome: Outcome) -> None:
        """Let the game be finished. Raises OSError if that cannot be written."""
        with self._database.changing() as connection:
            rows.finish(connection, self._row, *outcome, ended=time.time())

    def remove(self) -> None:
        """Delete the game and leave. Raises OSError if it cannot be deleted."""
        try:
            if self._row is not None:
                with self._database.changing() as connection:
                    rows.delete(connection, self._row)
        finally:
            self.leave()

    @property
    def row(self) -> int | None:
        """The game's row in the database, which it keeps when it is finished; None before that."""
        return self._row

    def leave(self) -> None:
        """Let others go on with the game."""
        self._lock.release()


def locked(folder: Path, name: str) -> FileLock | None:
    """Lock a game; None if another program has it. Raises OSError if it cannot be locked."""
    path = folder / "open" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0, mode=THEIRS_ALONE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    except NotImplementedError:
        raise OSError(NO_LOCKS) from None
    return lock
