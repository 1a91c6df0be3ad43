"""Games of people: unfinished ones, which are gone on with, and those that were finished.

While a game is played its lock is held: two programs never go on with the same one, and neither
touches the other's. A lock is a file in ``open/``; a program that dies lets go of it.

The file stays when its game ends. Another program may have opened it to lock it; if it were
removed, that program would hold a file that a third one does not see, and both would go on. Names
are used again, so there are never more files than games were unfinished at once.
"""

import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, filterfalse
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from evenmatch.errors import StateError, UsageError, quoted
from evenmatch.profiles import record_facts, rows
from evenmatch.profiles.database import Database
from evenmatch.profiles.folder import NO_LOCKS, THEIRS_ALONE
from evenmatch.profiles.record_facts import RecordFacts
from evenmatch.sessions.saved import Saved

if TYPE_CHECKING:
    from evenmatch.sessions.session import Session

NAME = re.compile(r"([a-z0-9]+)-([1-9][0-9]{0,8})")  #: of an unfinished game: chess-2


class Outcome(NamedTuple):
    """How a game ended."""

    result: int  #: for the person: 1, 0 or -1
    ending: str  #: in words, such as resignation
    level: float | None = None  #: the rating that the opponent played at
    score: float | None = None  #: points by which who moves first leads, at Go
    counts: bool = True  #: whether the result tells of the person's strength

    @classmethod
    def of(cls, session: "Session") -> "Outcome":
        """Return how a game that is over ended."""
        score, end = session.score(), session.end
        return cls(
            result=session.result,
            ending=session.game.ending(session.state) if end is None else end.value[1],
            level=session.rating,
            score=None if score is None else score.lead,
            counts=session.counts,
        )


@dataclass(frozen=True, kw_only=True)
class Played:
    """A game as far as it went. Times are in seconds since 1970."""

    saved: Saved
    outcome: Outcome | None  #: None while it is unfinished
    begun: float
    ended: float  #: when the latest was played, of an unfinished game
    imported: bool = False  #: whether it was played elsewhere; ``saved.opponent`` is a name then
    told: RecordFacts | None = None  #: what its record told, if it was played elsewhere
    row: int = 0  #: in the database


@dataclass(frozen=True, kw_only=True)
class Finished(Played):
    """A finished game."""

    outcome: Outcome


class Added(NamedTuple):
    """What became of games that were to be added; those that were there already are left out."""

    new: int
    turned: int  #: were there as the other player's
    completed: int  #: were there without what their record tells


class Listed(NamedTuple):
    """An unfinished game in the list of all."""

    name: str
    changed: float  #: when, in seconds since 1970
    saved: Saved
    is_open: bool  #: in another program
    row: int  #: in the database


class Tally(NamedTuple):
    """What differs whenever finished games came, went, or became the other player's."""

    games: int
    rows: int  #: the sum of theirs, which are given once
    latest: float  #: when the latest ended
    sides: int  #: the sum of the rows of the games that the person began, less the others


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


class Games:
    """The games of a profile."""

    def __init__(self, database: Database):
        self._database = database

    # -- unfinished ones -----------------------------------------------------------------------

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

    def resume(self, wanted: str | None) -> tuple[Place, Saved]:
        """Return a game to go on with: one by name, else the latest, of a game if that is named.

        Raises StateError if there is none, or if it is open in another program.
        """
        with self._database.told():
            return self._resumed(wanted)

    def _resumed(self, wanted: str | None) -> tuple[Place, Saved]:
        named = wanted is not None and NAME.fullmatch(wanted)
        kind = "" if wanted is None or named else wanted
        names = [name for name in self.names() if kind in ("", _kind(name))]
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
        raise self._none(wanted)

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

    def has(self, person: str, row: int) -> bool:
        """Tell whether a game is a person's, finished or not. StateError if unreadable."""
        question = (
            "SELECT 1 FROM game JOIN person ON person.id = person WHERE game.id = ? AND folded = ?"
        )
        with self._database.told():
            return bool(self._database.rows(question, row, person.casefold()))

    def has_any(self, person: str) -> bool:
        """Tell whether a person began a game that is still kept. StateError if unreadable."""
        question = "SELECT 1 FROM game JOIN person ON person.id = person WHERE folded = ? LIMIT 1"
        with self._database.told():
            return bool(self._database.rows(question, person.casefold()))

    def _row(self, name: str) -> int | None:
        """Return the row of an unfinished game, None if there is none."""
        kind, _, number = name.rpartition("-")
        question = "SELECT id FROM game WHERE kind = ? AND number = ?"
        found = self._database.rows(question, kind, int(number))
        return found[0]["id"] if found else None

    def _none(self, wanted: str | None) -> StateError:
        what = "unfinished game"
        if wanted is not None:
            what += f" {quoted(wanted)}" if "-" in wanted else f" of {wanted}"
        others = [name for name in self.names() if name != wanted]
        then = f"there is {', '.join(others[:5])}"
        return StateError(
            f"there is no {what} in {self._database.folder}; "
            f"{then if others else 'start one with: evenmatch play GAME'}"
        )

    # -- locks ---------------------------------------------------------------------------------

    def _locked(self, name: str) -> FileLock | None:
        """Lock a game; None if another program has it. Raises OSError if it cannot be locked."""
        path = self._database.folder / "open" / f"{name}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, timeout=0, mode=THEIRS_ALONE, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return None
        except NotImplementedError:
            raise OSError(NO_LOCKS) from None
        return lock

    def _is_open(self, name: str) -> bool:
        lock = self._locked(name)
        if lock is not None:
            lock.release()
        return lock is None

    # -- finished ones -------------------------------------------------------------------------

    def add(self, games: Iterable[tuple[str, Finished]], most: int | None = None) -> Added:
        """Add games that were played elsewhere, each with what it is known by.

        Those that are there already are passed over, with two exceptions. If one is there as the
        other player's, it is this one's now. If it is there without what its record tells, that is
        added. StateError if they cannot be written; UsageError if more than ``most`` are new.
        """
        with self._database.told(), self._database.changing() as connection:
            new, there = self._sorted_out(connection, games)
            if most is not None and len(new) > most:
                raise UsageError(
                    f"there is room for {most:,} new games, and these are {len(new):,}; send fewer"
                )
            turned = completed = 0
            for known, key, game in there:
                told_anew, other = _complete(connection, known.row, game), False
                if known.side != game.saved.side:
                    _turn(connection, known, key, game)
                    other = True
                turned, completed = turned + other, completed + (told_anew and not other)
            for (_, key), game in new.items():
                _insert(connection, key, game)
        return Added(len(new), turned, completed)

    def _sorted_out(
        self, connection: sqlite3.Connection, games: Iterable[tuple[str, Finished]]
    ) -> tuple[dict[tuple[str, str], Finished], list[tuple[rows.Known, str, Finished]]]:
        """Return games that are new, by person and key, and those that are there.

        Those that were played here are in neither.
        """
        new: dict[tuple[str, str], Finished] = {}
        there: list[tuple[rows.Known, str, Finished]] = []
        here: dict[tuple[str, str], set[object]] = {}
        for key, game in games:
            who = game.saved.person, game.saved.game
            if who not in here:
                played = [one for one in self.finished(*who) if not one.imported]
                here[who] = set(map(_as_played, played))
            if _as_played(game) in here[who]:
                continue
            known = rows.known(connection, who[0], key)
            if known is None:
                new.setdefault((who[0], key), game)
            else:
                there.append((known, key, game))
        return new, there

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

    def _finished(self, question: str, *values: object) -> list[Finished]:
        """Return the games that a question finds. StateError if they cannot be read."""
        if not self._database.exists:
            return []
        with self._database.told(), self._database.reading() as connection:
            return [
                Finished(
                    saved=rows.read(connection, row["id"]),
                    outcome=Outcome(
                        row["result"],
                        row["ending"],
                        row["level"],
                        row["score"],
                        bool(row["counts"]),
                    ),
                    begun=row["begun"],
                    ended=row["ended"],
                    imported=row["imported"] is not None,
                    told=record_facts.read(connection, row["id"]) if row["imported"] else None,
                    row=row["id"],
                )
                for row in connection.execute(question, values).fetchall()
            ]


def _insert(connection: sqlite3.Connection, key: str, game: Finished) -> None:
    """Add a finished game that was played elsewhere."""
    row = rows.insert(connection, game.saved.game, None, game.saved, game.ended)
    rows.write(connection, row, game.saved, None)
    rows.finish(connection, row, *game.outcome, ended=game.ended, imported=key)
    if game.told is not None:
        record_facts.write(connection, row, game.told)


def _complete(connection: sqlite3.Connection, row: int, game: Finished) -> bool:
    """Keep what the record of a game tells and is not there yet; return whether there was any."""
    before = record_facts.read(connection, row)
    now = game.told if before is None or game.told is None else before.filled_by(game.told)
    if now is None or now == before:
        return False
    record_facts.write(connection, row, now)
    if now.date and (before is None or now.date != before.date):
        rows.set_ended(connection, row, game.ended)
    rows.forget_evidence(connection, row)  # was judged without it
    return True


def _turn(connection: sqlite3.Connection, known: rows.Known, key: str, game: Finished) -> None:
    """Let a game that is kept as one player's be the other's; it is judged anew."""
    rows.write(connection, known.row, game.saved, rows.read(connection, known.row))
    rows.finish(connection, known.row, *game.outcome, ended=known.ended, imported=key)
    rows.forget_evidence(connection, known.row)


def _as_played(game: Finished) -> object:
    """Return what two records of one game have in common."""
    return game.saved.side, game.saved.start, game.saved.actions, game.outcome.result


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
UNFINISHED_IN = (
    "SELECT kind, number, begun, changed FROM game JOIN person ON person.id = person "
    "WHERE game.id = ? AND folded = ? AND number IS NOT NULL"
)
UNFINISHED = (
    "SELECT game.id, kind, number, changed FROM game JOIN person ON person.id = person "
    "WHERE number IS NOT NULL AND ? IN ('', folded) ORDER BY changed DESC, game.id DESC"
)


def _name(row: sqlite3.Row) -> str:
    return f"{row['kind']}-{row['number']}"


def _kind(name: str) -> str:
    return name.rpartition("-")[0]


def _open(name: str) -> StateError:
    return StateError(f"{name} is open in another terminal; leave it there first")


def unusable(name: str, why: object) -> StateError:
    """Return the error for an unfinished game that cannot be gone on with."""
    return StateError(
        f"{name} cannot be gone on with ({why}); delete it: evenmatch play --delete {name}"
    )
