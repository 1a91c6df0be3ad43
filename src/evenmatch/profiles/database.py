"""One SQLite file, used by several programs at once; every change is whole or not at all."""

import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError, printable
from evenmatch.profiles.folder import PATIENCE, THEIRS_ALONE, alone, cause, remedy
from evenmatch.profiles.schema import MIGRATIONS, VERSION

NAME = "profile.sqlite"
LEAST_ROOM = 1 << 16  #: free bytes; a disk with fewer is full: the log of changes grows by pages


class Database:
    """The file in a folder; it is made with the first change.

    Raises OSError where it cannot be read or written, StateError where it is damaged or of a newer
    version. Threads may share it: one uses it at a time, for a whole transaction.
    """

    def __init__(
        self,
        folder: Path,
        adopt: Callable[[sqlite3.Connection, Path], list[Path]] = lambda connection, folder: [],
        adopted: Callable[[Path, list[Path]], None] = lambda folder, files: None,
        older: Callable[[Path], bool] = lambda folder: False,
    ):
        """Open nothing yet.

        ``adopt`` fills a new database with what the folder held before, and returns the files;
        ``adopted`` gets these once they are in it; ``older`` tells whether there are some.
        """
        self.folder = folder
        self._adopt, self._adopted, self._older = adopt, adopted, older
        self.path = folder / NAME
        self._opened: sqlite3.Connection | None = None
        self._depth = 0
        self._lock = threading.RLock()

    @property
    def exists(self) -> bool:
        """Whether there is anything: a database, or what older versions kept."""
        return self._opened is not None or self.path.exists() or self._older(self.folder)

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

    def rows(self, question: str, *values: Any) -> list[sqlite3.Row]:
        """Return what a query finds; nothing where nothing was ever kept."""
        if not self.exists:
            return []
        with self._lock, self._explained():
            return self._connection().execute(question, values).fetchall()

    @contextmanager
    def told(self) -> Iterator[None]:
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
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make()
            connection = sqlite3.connect(
                self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._opened = connection
        return self._opened

    def _make(self) -> None:
        """Make the file for the person alone, if it is not there.

        A file that is there must not be opened: to close it would end the locks that SQLite holds
        on it for this program.
        """
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, THEIRS_ALONE))

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Set up a connection, and the tables if they are missing or of an older version."""
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is gone
        if _version(connection) == VERSION:
            return
        with alone(self.folder):  # two programs may come here at once
            connection.execute("PRAGMA journal_mode = WAL")
            self._migrate(connection)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)
        if version > VERSION:
            raise StateError(
                f"{self.path} is of a newer evenmatch (version {version}, this one reads "
                f"{VERSION}); update evenmatch, or set EVENMATCH_STATE to another folder"
            )
        for script in MIGRATIONS[version:]:
            for statement in filter(str.strip, script.split(";\n")):
                connection.execute(statement)
        files = self._adopt(connection, self.folder) if version == 0 else []
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        self._adopted(self.folder, files)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of SQLite as those of the class."""
        try:
            yield
        except UnicodeEncodeError:
            raise StateError(f"{self.path} keeps no text that is not Unicode") from None
        except UnicodeDecodeError:
            raise self._damaged("a text in it is none") from None
        except sqlite3.OperationalError as error:
            if self._is_full(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
            locked = "locked" in str(error)
            why = "another evenmatch keeps it locked" if locked else printable(str(error))
            raise OSError(why) from None
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # a mistake of ours, such as a row that must not be
            raise self._damaged(printable(str(error))) from None

    def _is_full(self, error: sqlite3.OperationalError) -> bool:
        """Tell whether the disk is full, which SQLite may call an error of input and output."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_IOERR:
            return shutil.disk_usage(self.folder).free < LEAST_ROOM
        return code == sqlite3.SQLITE_FULL

    def _damaged(self, why: str) -> StateError:
        return StateError(
            f"{self.path} is damaged ({why}); move it away, and evenmatch begins anew"
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
