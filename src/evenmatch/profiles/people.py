"""People by name, in any case; what opponents remember of them, and their guesses.

An opponent is its spec; another spec knows nothing of the person. Two games may be in progress at
once: what each taught is added to what is known when it ends.
"""

import datetime
import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

from evenmatch.errors import StateError, UsageError, quoted
from evenmatch.play.saved import unusable_memory
from evenmatch.profiles.database import Database

LONGEST_NAME = 80  #: characters of a person's name


def named(person: str, longest: int = LONGEST_NAME, one: str = "--name NAME") -> str:
    """Return a person's name with single spaces; UsageError for an invalid name.

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
    """Give a person another name. StateError, with a further ``remedy``, if it is taken."""
    taken = _found(connection, new)
    if taken and taken[0]["folded"] != name.casefold():
        raise StateError(f"there is a {quoted(new)} already; choose another name{remedy}")
    connection.execute(
        "UPDATE person SET name = ?, folded = ? WHERE folded = ?", (*_both(new), name.casefold())
    )


def person_number(connection: sqlite3.Connection, name: str) -> int:
    """Return the number of a person; add them if they are new."""
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
                "creates a new one"
            )
        return names

    def rename(self, name: str, new: str) -> None:
        """Give a person another name.

        StateError if there is no such person, the name is taken, or a game of theirs is open in
        another program: what its opponent learns is kept under the name that it began with.
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


# -- what opponents remember -----------------------------------------------------------------------


class Memories:
    """The memories of a profile; a `Store` of sessions."""

    def __init__(self, database: Database):
        self._database = database

    def recall(self, game_id: str, opponent: str, person: str) -> dict[str, Any]:
        """Return what an opponent remembers of a person, empty if nothing.

        Raises StateError, which says the fix, where what is stored is damaged.
        """
        try:
            return self._read(game_id, opponent, person) or {}
        except OSError:  # one can play without; that the game cannot be saved is reported then
            return {}

    def learn(
        self,
        game_id: str,
        opponent: str,
        person: str,
        learned: Callable[[dict[str, Any]], dict[str, Any]],
        forget: bool = False,
    ) -> None:
        """Store ``learned`` of what is remembered by now; with ``forget`` of nothing.

        So what other games taught meanwhile is kept too. Raises OSError if it cannot be written,
        StateError as `recall`.
        """
        with self._database.changing() as connection:
            before = {} if forget else self._read(game_id, opponent, person) or {}
            state = learned(before)
            if state:
                who = person_number(connection, person)
                connection.execute(
                    "INSERT OR REPLACE INTO memory (game_id, opponent, person, state) "
                    "VALUES (?, ?, ?, ?)",
                    (game_id, opponent, who, json.dumps(state)),
                )

    def forget(self, game_id: str, opponent: str, person: str) -> None:
        """Delete what a player knows of a person. Raises OSError if it cannot."""
        if not self._database.exists:
            return
        with self._database.changing() as connection:
            connection.execute(
                "DELETE FROM memory WHERE game_id = ? AND opponent = ? AND person IN "
                "(SELECT id FROM person WHERE folded = ?)",
                (game_id, opponent, person.casefold()),
            )

    def games_known(self, game_id: str, opponent: str, person: str) -> int | None:
        """Return from how many games a player knows a person, None if it knows nothing."""
        with self._database.reported():
            state = self._read(game_id, opponent, person)
        games = 0 if state is None else state.get("games", 0)
        if type(games) not in (int, float) or not math.isfinite(games):
            raise unusable_memory(game_id, opponent, person, "its number of games is damaged")
        return None if state is None else int(games)

    def _read(self, game_id: str, opponent: str, person: str) -> dict[str, Any] | None:
        found = self._database.rows(
            "SELECT state FROM memory JOIN person ON person.id = person "
            "WHERE game_id = ? AND opponent = ? AND folded = ?",
            game_id, opponent, person.casefold(),
        )  # fmt: skip
        if not found:
            return None
        try:
            state = json.loads(found[0]["state"])
        except (ValueError, TypeError, RecursionError):
            state = None
        if not isinstance(state, dict):
            raise unusable_memory(game_id, opponent, person, "it is damaged")
        return state


# -- Person or program? guesses --------------------------------------------------------------------


SURE = ("guess", "fairly sure", "certain")  #: how sure a guess can be


@dataclass(frozen=True)
class Guess:
    """What a person said of a pair."""

    pair: str  #: its id
    said: str  #: the id of the game that they took for the program's
    sure: str  #: one of SURE
    right: bool
    when: float  #: in seconds since 1970
    game: str  #: the id of the pair's rules


class Guesser(NamedTuple):
    """An anonymous number of a person, and what they said."""

    number: int
    guesses: list[Guess]


class Guesses:
    """The guesses of a profile. Changes raise OSError if they cannot be written."""

    def __init__(self, database: Database):
        self._database = database

    def add(self, person: str, guess: Guess) -> bool:
        """Keep a guess; False if the person guessed that pair before."""
        with self._database.changing() as connection:
            who = person_number(connection, person)
            added = connection.execute(
                "INSERT OR IGNORE INTO guess (person, pair, said, sure, correct, made, game) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (who, guess.pair, guess.said, guess.sure, guess.right, guess.when, guess.game),
            )
            return bool(added.rowcount)

    def of(self, person: str) -> list[Guess]:
        """Return the guesses of a person, in order."""
        question = (
            "SELECT guess.* FROM guess JOIN person ON person.id = person WHERE folded = ? "
            "ORDER BY made, pair"
        )
        with self._database.reported():
            return list(map(_guess, self._database.rows(question, person.casefold())))

    def guessers(self) -> list[Guesser]:
        """Return what everybody said, numbered from 0, without names."""
        with self._database.reported():
            rows = self._database.rows("SELECT * FROM guess ORDER BY person, made, pair")
        by_person: dict[int, list[Guess]] = {}
        for row in rows:
            by_person.setdefault(row["person"], []).append(_guess(row))
        return [Guesser(number, said) for number, said in enumerate(by_person.values())]


def json_of(guess: Guess) -> str:
    """Return a guess as one line of JSON."""
    when = datetime.datetime.fromtimestamp(guess.when).isoformat(timespec="seconds")
    return f"{json.dumps({'game': guess.game} | vars(guess) | {'when': when})}\n"


def _guess(row: sqlite3.Row) -> Guess:
    right = bool(row["correct"])
    return Guess(row["pair"], row["said"], row["sure"], right, row["made"], row["game"])
