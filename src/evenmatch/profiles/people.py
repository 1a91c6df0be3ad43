"""People by name, in any case."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from evenmatch.errors import StateError, quoted
from evenmatch.profiles.database import Database


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
        with self._database.told():
            rows = self._database.rows("SELECT name FROM person ORDER BY folded")
        return [row["name"] for row in rows]

    def rename(self, name: str, new: str) -> None:
        """Give a person another name. StateError if nobody is called so, or somebody is."""
        self._require(name)
        with self._database.told(), self._database.changing() as connection:
            taken = _found(connection, new)
            if taken and taken[0]["folded"] != name.casefold():
                raise StateError(
                    f"there is a {quoted(new)} already; choose another name, or delete that one "
                    f"first: evenmatch me delete --name {new}"
                )
            connection.execute(
                "UPDATE person SET name = ?, folded = ? WHERE folded = ?",
                (*_both(new), name.casefold()),
            )

    def delete(self, name: str) -> None:
        """Delete a person and all that is kept of them.

        StateError if nobody is called so, or a game of theirs is open in another program.
        """
        self._require(name)
        with self._database.told(), self._held(name):
            with self._database.changing() as connection:
                connection.execute("DELETE FROM person WHERE folded = ?", (name.casefold(),))
            self._database.tidy()

    def _require(self, name: str) -> None:
        with self._database.told():
            known = self._database.rows("SELECT 1 FROM person WHERE folded = ?", name.casefold())
        if not known:
            names = ", ".join(self.names()) or "nobody"
            raise StateError(f"nobody is called {quoted(name)} here; known: {names}")
