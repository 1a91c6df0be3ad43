"""Finished games of people: all, the latest, those to be judged, and how many there are."""

import json
import sqlite3
from typing import NamedTuple

from evenmatch.profiles import record_facts, rows
from evenmatch.profiles.database import Database
from evenmatch.profiles.played import Finished, Outcome
from evenmatch.profiles.sound import fits, is_a, is_moment, is_number_or_none

OF_PERSON = (
    "FROM game JOIN person ON person.id = game.person WHERE folded = ? AND ended IS NOT NULL"
)
TALLY = {
    "games": "count(*)", "rows": "sum(game.id)", "latest": "max(ended)",
    "sides": "sum(side * game.id)",
}  # fmt: skip
FINISHED = f"SELECT game.* {OF_PERSON}"
UNJUDGED = (
    "AND kind = ? AND NOT EXISTS (SELECT 1 FROM evidence "
    "WHERE evidence.game = game.id AND scale = ? AND method = ?)"
)
FINISHED_AT = f"SELECT ended, game.id {OF_PERSON}"


class Tally(NamedTuple):
    """What differs whenever finished games came, went, or became the other player's."""

    games: int
    rows: int  #: the sum of theirs, which are given once
    latest: float  #: when the latest ended
    sides: int  #: the sum of the rows of the games that the person began, less the others


class FinishedGames:
    """The finished games of a profile."""

    def __init__(self, database: Database):
        self._database = database

    def finished(
        self, person: str, kind: str | None = None, row: int | None = None
    ) -> list[Finished]:
        """Return the finished games of a person, in order.

        Those of one game if its ``kind`` is named; the one in a ``row`` if that is.
        """
        question = f"{FINISHED} AND ? IN ('', kind) AND ? IN (0, game.id) ORDER BY ended, game.id"
        return self._finished(question, person.casefold(), kind or "", row or 0)

    def tallies(self, person: str) -> dict[str, Tally]:
        """Return the tally of a person's finished games by kind, without reading the games."""
        columns = ", ".join(f"{value} AS {name}" for name, value in TALLY.items())
        question = f"SELECT kind, {columns} {OF_PERSON} GROUP BY kind"
        with self._database.told():
            found = self._database.rows(question, person.casefold())
        return {row["kind"]: Tally(*(row[name] for name in Tally._fields)) for row in found}

    def latest(self, person: str, most: int, before: int | None = None) -> list[Finished]:
        """Return a person's latest finished games, at most so many, the latest first.

        Those before the one in a row if that is named; none where that is not the person's.
        """
        values: list[object] = [person.casefold()]
        question = FINISHED
        if before is not None:
            question += f" AND (ended, game.id) < ({FINISHED_AT} AND game.id = ?)"
            values += [person.casefold(), before]
        question += " ORDER BY ended DESC, game.id DESC LIMIT ?"
        return self._finished(question, *values, most)

    def unjudged(
        self, person: str, kind: str, scale: str, method: str, most: int | None = None
    ) -> list[Finished]:
        """Return a person's finished games of which no evidence is kept, the latest first.

        At most so many. Evidence is that of a method on a scale (`levels.py`).
        """
        question = f"{FINISHED} {UNJUDGED} ORDER BY ended DESC, game.id DESC LIMIT ?"
        limit = -1 if most is None else most
        return self._finished(question, person.casefold(), kind, scale, method, limit)

    def count_unjudged(self, person: str, kind: str, scale: str, method: str) -> int:
        """Return how many games `unjudged` would return, were they not bounded."""
        question = f"SELECT count(*) AS due {OF_PERSON} {UNJUDGED}"
        with self._database.told():
            rows = self._database.rows(question, person.casefold(), kind, scale, method)
        return int(rows[0]["due"]) if rows else 0

    def mistakes(self, row: int, method: str) -> dict[int, float] | None:
        """Return what a game's mistakes lost, by ply, as a method found; None if nothing is kept.

        StateError if it cannot be read.
        """
        question = "SELECT mistakes FROM review WHERE game = ? AND method = ?"
        with self._database.told():
            found = self._database.rows(question, row, method)
        try:
            return {int(ply): float(lost) for ply, lost in json.loads(found[0]["mistakes"])}
        except (IndexError, ValueError, TypeError):  # nothing, or nothing that can be used
            return None

    def keep_mistakes(self, row: int, method: str, mistakes: dict[int, float]) -> None:
        """Keep what a game's mistakes lost, but of one that was deleted meanwhile."""
        with self._database.told(), self._database.changing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO review (game, method, mistakes) "
                "SELECT id, ?, ? FROM game WHERE id = ?",
                (method, json.dumps(list(mistakes.items())), row),
            )

    def _finished(self, question: str, *values: object) -> list[Finished]:
        """Return the games that a question finds. StateError if they cannot be read."""
        if not self._database.exists:
            return []
        with self._database.told(), self._database.reading() as connection:
            found = connection.execute(question, values).fetchall()
            return [_read(connection, row) for row in found]


def _read(connection: sqlite3.Connection, row: sqlite3.Row) -> Finished:
    """Return a finished game. StateError if what is kept of it cannot be one."""
    if not fits(dict(row), OUTCOME):
        raise rows.damaged(row)
    saved = rows.read(connection, row["id"])
    told = record_facts.read(connection, row["id"]) if row["imported"] else None
    if told is not None and not told.sound(len(saved.actions)):
        raise rows.damaged(row)
    return Finished(
        saved=saved,
        outcome=Outcome(
            row["result"], row["ending"], row["level"], row["score"], bool(row["counts"])
        ),
        begun=row["begun"],
        ended=row["ended"],
        imported=row["imported"] is not None,
        told=told,
        row=row["id"],
    )


#: What columns of a finished game have to be.
OUTCOME = {
    "result": lambda value: type(value) is int and value in (1, 0, -1),
    "ending": is_a(str),
    "level": is_number_or_none,
    "score": is_number_or_none,
    "begun": is_moment,
    "ended": is_moment,
}
