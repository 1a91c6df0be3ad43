"""One SQLite file, used by several programs at once; every change is whole or not at all."""

import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from evenmatch.errors import StateError, printable

NAME = "profile.sqlite"
SCHEMA = Path(__file__).with_name("schema.sql")
VERSION = 1  #: of the schema
LOCK_TIMEOUT_S = 10.0  #: to wait for another program that changes the folder
FULL_BELOW = 1 << 16  #: free bytes of a full disk: the write-ahead log grows by pages
OWNER_ONLY = 0o600  #: permissions of what is kept of a person
WRITABLE = "set EVENMATCH_STATE to a folder that can be written"
NO_LOCKS = "its file system has no locks"
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


def lock_file(path: Path, timeout: float = 0) -> FileLock | None:
    """Return a lock file that is held; None if another program holds it.

    Raises OSError where it cannot be locked.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=timeout, mode=OWNER_ONLY, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    except NotImplementedError:
        raise OSError(NO_LOCKS) from None
    return lock


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other programs from changing a folder meanwhile. Raises OSError if it cannot."""
    lock = lock_file(folder / ".lock", LOCK_TIMEOUT_S)
    if lock is None:
        raise OSError("another evenmatch keeps it locked")
    try:
        yield
    finally:
        lock.release()


class Database:
    """The SQLite file in a folder; the first change makes it.

    Raises OSError where it cannot be read or written, StateError where it is damaged or was made
    by another version. Threads may share it: one uses it at a time, for a whole transaction.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / NAME
        self._opened: sqlite3.Connection | None = None
        self._depth = 0
        self._lock = threading.RLock()

    @property
    def exists(self) -> bool:
        """Whether there is a database."""
        return self._opened is not None or self.path.exists()

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection; what is done with it meanwhile happens together, or not at all.

        No other program writes meanwhile. One within another is part of it.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, to read from the database as it is now."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained():
            connection = self._connection()
            outer = self._depth == 0
            if outer:
                connection.execute(begin)
            self._depth += 1
            try:
                yield connection
                if outer:
                    connection.execute("COMMIT")
            except BaseException:
                if outer and connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """Return the rows of a query; none where nothing was ever kept."""
        if not self.exists:
            return []
        with self._lock, self._explained():
            return self._connection().execute(query, values).fetchall()

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Raise OSError as StateError, with a message for people."""
        try:
            yield
        except OSError as error:
            why = f"cannot use {self.folder} ({cause(error)}); {remedy(error)}"
            raise StateError(why) from None

    def tidy(self) -> None:
        """Write the log back into the file, so that nothing deleted is left in it."""
        with self._lock, self._explained():
            self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            # A file that is there must not be opened here: to close it would end SQLite's locks.
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
            connection = sqlite3.connect(
                self.path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._opened = connection
        return self._opened

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Set up a connection, and the tables if they are missing."""
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is gone
        if _version(connection) == VERSION:
            return
        with locked_folder(self.folder):  # two programs may come here at once
            if (version := _version(connection)) == 0:
                connection.execute("PRAGMA journal_mode = WAL")
                script = SCHEMA.read_text(encoding="utf-8")
                connection.executescript(
                    f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {VERSION}; COMMIT;"
                )
            elif version != VERSION:
                raise StateError(
                    f"{self.path} is of another evenmatch (version {version}, this one reads "
                    f"{VERSION}); update evenmatch, or set EVENMATCH_STATE to another folder"
                )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of SQLite as those of the class."""
        try:
            yield
        except UnicodeEncodeError:
            raise StateError(f"{self.path} keeps no text that is not Unicode") from None
        except UnicodeDecodeError:
            raise self._damaged("a text in it is not Unicode") from None
        except sqlite3.OperationalError as error:
            if self._is_full(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
            locked = "locked" in str(error)
            why = "another evenmatch keeps it locked" if locked else printable(str(error))
            raise OSError(why) from None
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # a mistake of ours, such as a row that breaks a constraint
            raise self._damaged(printable(str(error))) from None

    def _is_full(self, error: sqlite3.OperationalError) -> bool:
        """Tell whether the disk is full, which SQLite may call an error of input and output."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_IOERR:
            return shutil.disk_usage(self.folder).free < FULL_BELOW
        return code == sqlite3.SQLITE_FULL

    def _damaged(self, why: str) -> StateError:
        return StateError(
            f"{self.path} is damaged ({why}); move it away, and evenmatch creates a new one"
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
