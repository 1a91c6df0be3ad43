"""What people said of pairs of games: which of the two is the program's, and how sure they were."""

import datetime
import json
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from evenmatch.profiles.database import Database
from evenmatch.profiles.people import person_number

SURE = ("guess", "fairly sure", "certain")  #: how sure somebody can be


@dataclass(frozen=True)
class Guess:
    """What somebody said of a pair."""

    pair: str  #: its id
    said: str  #: the id of the game that they took for the program's
    sure: str  #: one of SURE
    right: bool
    when: float  #: in seconds since 1970
    game: str  #: the id of the pair's rules


class Guesser(NamedTuple):
    """A person as a number, which tells not who they are, and what they said."""

    number: int
    guesses: list[Guess]


class Guesses:
    """The guesses of a profile. Changes raise OSError if they cannot be written."""

    def __init__(self, database: Database):
        self._database = database

    def add(self, person: str, guess: Guess) -> bool:
        """Keep what somebody said; False if they said something of that pair before."""
        with self._database.changing() as connection:
            who = person_number(connection, person)
            added = connection.execute(
                "INSERT OR IGNORE INTO guess (person, pair, said, sure, correct, made, game) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (who, guess.pair, guess.said, guess.sure, guess.right, guess.when, guess.game),
            )
            return bool(added.rowcount)

    def of(self, person: str) -> list[Guess]:
        """Return what somebody said, in order."""
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
