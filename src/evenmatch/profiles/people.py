"""People by name, in any case."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from evenmatch.errors import StateError, UsageError, quoted
from evenmatch.profiles.database import Database

LONGEST_NAME = 80  #: characters of a person's name


def named(person: str, longest: int = LONGEST_NAME, one: str = "--name NAME") -> str:
    """Return a person's name with single spaces; UsageError for what is no name.

    ``one`` is what the message calls another, by default the option of the command line.
    """
    if not person.isprintable():
        raise UsageError(f"a name is one line of letters; write {one} without line breaks")
    name = " ".join(person.split())
    if not name:
        raise UsageError(f"a name has at least one letter; write {one}")
    if len(name) > longest:
        raise UsageError(f"a name has at most {longest} letters; choose a shorter {one}")
    return name


def rename(connection: sqlite3.Connection, name: str, new: str, remedy: str = "") -> None:
    """Give a person another name. StateError, with more of a remedy, if somebody has it."""
    taken = _found(connection, new)
    if taken and taken[0]["folded"] != name.casefold():
        raise StateError(f"there is a {quoted(new)} already; choose another name{remedy}")
    connection.execute(
        "UPDATE person SET name = ?, folded = ? WHERE folded = ?", (*_both(new), name.casefold())
    )


def person_number(connection: sqlite3.Connection, name: str) -> int:
    """Return the number of a person, who becomes known if they were not."""
    connection.execute("INSERT OR IGNORE INTO person (name, folded) VALUES (?, ?)", _both(name))
    return int(_found(connection, name)[0]["id"])


def _both(name: str) -> tuple[str, str]:
    return name, name.casefold()


def _found(connection: sqlite3.Connection, name: str) -> list[sqlite3.Row]:
    question = "SELECT * FROM person WHERE folded = ?"
    return connection.execute(question, (name.casefold(),)).fetchall()


class People:
    """The people of a profile."""

    def __init__(
        self,
        database: Database,
        held: Callable[[str], AbstractContextManager[None]] = lambda person: nullcontext(),
    ):
        """``held`` keeps others from a person's unfinished games; StateError if one is open."""
        self._database, self._held = database, held

    def names(self) -> list[str]:
        """Return the names of all, in order."""
        with self._database.reported():
            rows = self._database.rows("SELECT name FROM person ORDER BY folded")
        names = [row["name"] for row in rows]
        if not all(type(name) is str for name in names):
            raise StateError(
                f"a name in {self._database.path} is damaged; move that file away, and evenmatch "
                "begins anew"
            )
        return names

    def rename(self, name: str, new: str) -> None:
        """Give a person another name.

        StateError if nobody is called so, somebody is, or a game of theirs is open in another
        program: what its opponent learns is kept under the name that it began with.
        """
        self._require(name)
        with (
            self._database.reported(),
            self._held(name),
            self._database.changing() as connection,
        ):
            remedy = f", or delete that one first: evenmatch me delete --name {new}"
            rename(connection, name, new, remedy)

    def delete(self, name: str) -> None:
        """Delete a person and all that is kept of them.

        StateError if nobody is called so, or a game of theirs is open in another program.
        """
        self._require(name)
        with self._database.reported(), self._held(name):
            with self._database.changing() as connection:
                connection.execute("DELETE FROM person WHERE folded = ?", (name.casefold(),))
            self._database.tidy()

    def _require(self, name: str) -> None:
        with self._database.reported():
            known = self._database.rows("SELECT 1 FROM person WHERE folded = ?", name.casefold())
        if not known:
            names = ", ".join(self.names()) or "nobody"
            raise StateError(f"nobody is called {quoted(name)} here; known: {names}")
