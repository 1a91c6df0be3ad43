"""Unfinished games of people, which are gone on with by name."""

import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, filterfalse
from typing import NamedTuple

from filelock import FileLock

from evenmatch.errors import StateError, printable, quoted
from evenmatch.profiles import rows
from evenmatch.profiles.database import Database
from evenmatch.profiles.place import Place, locked
from evenmatch.profiles.played import Played
from evenmatch.sessions.saved import YOU, Saved

MOST_TOLD = 5  #: games in an error
NAME = re.compile(r"([a-z0-9]+)-([1-9][0-9]{0,8})")  #: of an unfinished game: chess-2
UNFINISHED_IN = (
    "SELECT kind, number, begun, changed FROM game JOIN person ON person.id = person "
    "WHERE game.id = ? AND folded = ? AND number IS NOT NULL"
)
UNFINISHED = (
    "SELECT game.id, kind, number, changed, name FROM game JOIN person ON person.id = person "
    "WHERE number IS NOT NULL AND ? IN ('', folded) ORDER BY changed DESC, game.id DESC"
)


class Listed(NamedTuple):
    """An unfinished game in the list of all."""

    name: str
    changed: float  #: when, in seconds since 1970
    saved: Saved
    is_open: bool  #: in another program
    row: int  #: in the database


class UnfinishedGames:
    """The unfinished games of a profile."""

    def __init__(self, database: Database):
        self._database = database

    def take(self, game_id: str) -> Place:
        """Return a new place for a game. Raises OSError if the folder cannot be written."""
        question = "SELECT number FROM game WHERE kind = ? AND number IS NOT NULL"
        taken = {row["number"] for row in self._database.rows(question, game_id)}
        for number in filterfalse(taken.__contains__, count(1)):
            name = f"{game_id}-{number}"
            lock = self._locked(name)
            if lock is not None:
                if self._row(name) is None:
                    return Place(self._database, name, lock)
                lock.release()
        raise AssertionError("numbers do not end")

    def resume(self, wanted: str | None, person: str = "") -> tuple[Place, Saved]:
        """Return a game to go on with: one by name, else the latest, of a game if that is named.

        The latest is that of a ``person``, or of anybody. Raises StateError if there is none, or if
        it is open in another program.
        """
        with self._database.told():
            return self._resumed(wanted, person)

    def _resumed(self, wanted: str | None, person: str) -> tuple[Place, Saved]:
        named = wanted is not None and NAME.fullmatch(wanted)
        kind = "" if wanted is None or named else wanted
        names = [name for name in self.names(person) if kind in ("", _kind(name))]
        if wanted is not None and named:
            names = [wanted] if self._row(wanted) is not None else []
        open_one = ""
        for name in names:
            lock = self._locked(name)
            if lock is None:
                open_one = open_one or name
                continue
            row = self._row(name)  # another program may have finished it by now
            if row is not None:
                with self._database.reading() as connection:
                    saved = rows.read(connection, row)
                return Place(self._database, name, lock, row), saved
            lock.release()
        if open_one:
            raise _open(open_one)
        raise self._none(wanted, person)

    @contextmanager
    def held(self, person: str) -> Iterator[None]:
        """Keep others from a person's unfinished games; StateError if one is open."""
        question = (
            "SELECT kind, number FROM game JOIN person ON person.id = person "
            "WHERE folded = ? AND number IS NOT NULL"
        )
        with ExitStack() as locks:
            for name in map(_name, self._database.rows(question, person.casefold())):
                lock = self._locked(name)
                if lock is None:
                    raise _open(name)
                locks.callback(lock.release)
            yield

    def delete(self, name: str) -> None:
        """Delete an unfinished game. StateError if there is none or it is open."""
        with self._database.told():
            self._delete(name)

    def _delete(self, name: str) -> None:
        if not NAME.fullmatch(name) or self._row(name) is None:
            raise self._none(name)
        lock = self._locked(name)
        if lock is None:
            raise _open(name)
        try:
            with self._database.changing() as connection:
                rows.delete(connection, self._row(name))
        finally:
            lock.release()

    def listed(self, person: str = "") -> list[Listed]:
        """Return the unfinished games of a person, or of all, the latest first.

        StateError if they cannot be read.
        """
        if not self._database.exists:
            return []
        with self._database.told(), self._database.reading() as connection:
            found = [
                (_name(row), row["changed"], rows.read(connection, row["id"]), row["id"])
                for row in connection.execute(UNFINISHED, (person.casefold(),)).fetchall()
            ]
        with self._database.told():
            return [Listed(*one[:3], self._is_open(one[0]), one[3]) for one in found]

    def name_of(self, row: int, person: str) -> str | None:
        """Return the name of a person's unfinished game by its row, None if there is none."""
        with self._database.told():
            found = self._database.rows(UNFINISHED_IN, row, person.casefold())
        return _name(found[0]) if found else None

    def unfinished(self, person: str, row: int) -> Played | None:
        """Return a person's unfinished game by its row, None if there is none."""
        if not self._database.exists:
            return None
        with self._database.told(), self._database.reading() as connection:
            found = connection.execute(UNFINISHED_IN, (row, person.casefold())).fetchone()
            if found is None:
                return None
            return Played(
                saved=rows.read(connection, row),
                outcome=None,
                begun=found["begun"],
                ended=found["changed"],
                row=row,
            )

    def names(self, person: str = "") -> list[str]:
        """Return the names of `listed` games. OSError if they cannot be read."""
        return list(map(_name, self._database.rows(UNFINISHED, person.casefold())))

    def _row(self, name: str) -> int | None:
        """Return the row of an unfinished game, None if there is none."""
        kind, _, number = name.rpartition("-")
        question = "SELECT id FROM game WHERE kind = ? AND number = ?"
        found = self._database.rows(question, kind, int(number))
        return found[0]["id"] if found else None

    def _none(self, wanted: str | None, person: str = "") -> StateError:
        what = "unfinished game"
        if wanted is not None:
            what += f" {quoted(wanted)}" if "-" in wanted else f" of {wanted}"
        who = "you have" if person == YOU else f"{person} has" if person else "there is"
        return StateError(f"{who} no {what} in {self._database.folder}; {self._instead(wanted)}")

    def _instead(self, wanted: str | None) -> str:
        """Say which unfinished games there are, those of a kind that was wanted in front."""
        others = [row for row in self._database.rows(UNFINISHED, "") if _name(row) != wanted]
        if not others:
            return "start one with: evenmatch play GAME"
        others.sort(key=lambda row: row["kind"] != wanted)  # stable: the latest stay in front
        return f"there is {', '.join(map(_told, others[:MOST_TOLD]))}"

    def _is_open(self, name: str) -> bool:
        lock = self._locked(name)
        if lock is not None:
            lock.release()
        return lock is None

    def _locked(self, name: str) -> FileLock | None:
        return locked(self._database.folder, name)


def _name(row: sqlite3.Row) -> str:
    return f"{row['kind']}-{row['number']}"


def _told(row: sqlite3.Row) -> str:
    """Name a game, and by which option a person with a name goes on with it."""
    name, person = _name(row), str(row["name"])
    return name if person == YOU else f"{name} (--name {shlex.quote(printable(person))})"


def _kind(name: str) -> str:
    return name.rpartition("-")[0]


def _open(name: str) -> StateError:
    return StateError(f"{name} is open in another terminal; leave it there first")


def unusable(name: str, why: object) -> StateError:
    """Return the error for an unfinished game that cannot be gone on with."""
    return StateError(
        f"{name} cannot be gone on with ({why}); delete it: evenmatch play --delete {name}"
    )
