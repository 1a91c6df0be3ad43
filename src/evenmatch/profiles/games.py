"""The games of people: unfinished ones, which are continued by name, and finished ones."""

import json
import logging
import re
import shlex
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import count, filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast
from weakref import WeakValueDictionary

from filelock import FileLock

from evenmatch.errors import EvenmatchError, StateError, UsageError, printable, quoted
from evenmatch.games.line import Line
from evenmatch.play.saved import YOU, Saved
from evenmatch.profiles.database import Database, lock_file
from evenmatch.profiles.saved_game import (
    GAMES,
    Finished,
    Outcome,
    SavedGame,
    as_json,
    game_of,
    insert,
    name_of,
    update,
)

if TYPE_CHECKING:
    from evenmatch.play.session import Session

LOG = logging.getLogger(__name__)
MAX_NAMED = 5  #: games in an error
NAME = re.compile(r"([a-z0-9]+)-([1-9][0-9]{0,8})")  #: of an unfinished game: chess-2
UNFINISHED = f"{GAMES} WHERE number IS NOT NULL AND ? IN ('', folded)"
LATEST_FIRST = "ORDER BY changed DESC, game.id DESC"
OF_PERSON = (
    "FROM game JOIN person ON person.id = game.person WHERE folded = ? AND ended IS NOT NULL"
)
FINISHED = f"SELECT game.*, name {OF_PERSON}"
UNRATED = (
    "AND game_id = ? AND NOT EXISTS (SELECT 1 FROM evidence "
    "WHERE evidence.game = game.id AND scale = ? AND method = ?)"
)


class Tally(NamedTuple):
    """What differs whenever finished games came, went, or became the other player's."""

    games: int
    rows: int  #: the sum of their rows, which are given once
    latest: float  #: when the latest ended
    sides: int  #: the sum of the rows of the games that the person began, less the others


class Added(NamedTuple):
    """What became of games that were to be added; those that were there already are left out."""

    new: int
    turned: int  #: were there as the other player's
    completed: int  #: were there without some of their record's metadata


class KeptGame:
    """The game at hand and its place in the profile, which no other program can take meanwhile.

    A lock file in ``open/`` is held from the first write until `leave`; a program that dies lets
    go of it. The file stays when its game ends: another program may have opened it to lock it, and
    would hold a file that a third one does not see if it were removed. Names are used again.
    """

    def __init__(self, games: "Games", name: str = "", row: int | None = None):
        """``name`` is that of a game whose lock is held; empty for a game not yet written."""
        self._games = games
        self.name = name  #: such as chess-2; empty for a game that is not kept
        self.row = row  #: in the database, which it keeps when it is finished
        self._lock: FileLock | None = None

    @classmethod
    def locked(cls, games: "Games", name: str) -> "KeptGame | None":
        """Return a named game with its lock held; None if another program has it."""
        kept = cls(games, name)
        kept._lock = lock_file(games.lock_path(name))
        return None if kept._lock is None else kept

    @property
    def folder(self) -> Path:
        """The folder of the profile."""
        return self._games.folder

    def save(self, saved: Saved) -> None:
        """Write the game as it is now. Raises OSError or StateError if that cannot be done."""
        if not self.name:
            place = self._games.take(saved.game)
            self.name, self._lock = place.name, place._lock
        self.row = self._games.write(self.name, self.row, saved)

    def write(self, session: "Session") -> None:
        """Write the game, or remove what was written of one in which nothing is left to keep.

        Raises OSError or StateError if that cannot be done.
        """
        if session.worth_keeping:
            self.save(session.saved)
        elif self.name:
            self.remove()

    def finish(self, session: "Session") -> None:
        """Let the opponent learn from a game that is over, and mark it finished, in one step.

        Raises OSError or an EvenmatchError if what the opponent learned cannot be kept; the game
        is finished in any case, if that can be written.
        """
        outcome, learned = Outcome.of(session), False
        try:
            if not session.begun:
                if self.name:
                    self.remove()
                return
            self.save(session.saved)
            assert self.row is not None, "it was saved"
            self._games.lines[self.row] = session.line
            try:
                with self._games.together():
                    self._games.end(self.row, session.saved, outcome)
                    learned = True
                    session.finish()
            except EvenmatchError:  # what the opponent knew before cannot be used
                self._games.end(self.row, session.saved, outcome)
                raise
        finally:
            if not learned:
                with suppress(OSError, EvenmatchError):
                    session.finish()
            self._let_go()

    def remove(self) -> None:
        """Delete the game and leave. Raises OSError if it cannot be deleted."""
        try:
            if self.row is not None:
                self._games.delete_row(self.row)
        finally:
            self._let_go()

    def leave(self) -> None:
        """Let other programs continue the game."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _let_go(self) -> None:
        self.leave()
        self.name, self.row = "", None


class Games:
    """The games of a profile."""

    def __init__(self, database: Database):
        self._database = database
        self.folder = database.folder
        self.together = database.changing  #: changes made meanwhile all happen, or none of them
        #: Lines of games that were played here and are still in memory, by row.
        self.lines: WeakValueDictionary[int, Line] = WeakValueDictionary()
        self._left_out: set[int] = set()  # rows of games that are damaged

    # -- unfinished games ------------------------------------------------------------------------

    def lock_path(self, name: str) -> Path:
        """Return the file that is locked while a program plays a game."""
        return self.folder / "open" / f"{name}.lock"

    def take(self, game_id: str) -> KeptGame:
        """Return a new place for a game. Raises OSError if the folder cannot be written."""
        query = "SELECT number FROM game WHERE game_id = ? AND number IS NOT NULL"
        taken = {row["number"] for row in self._database.rows(query, game_id)}
        for number in filterfalse(taken.__contains__, count(1)):
            name = f"{game_id}-{number}"
            kept = KeptGame.locked(self, name)
            if kept is not None:
                if self._row(name) is None:
                    return kept
                kept.leave()
        raise AssertionError("numbers do not end")

    def write(self, name: str, row: int | None, saved: Saved) -> int:
        """Write an unfinished game, a new one where ``row`` is None; return its row."""
        with self._database.changing() as connection:
            if row is None:
                game_id, _, number = name.rpartition("-")
                return insert(connection, saved, time.time(), number=int(number), game_id=game_id)
            update(connection, row, saved=as_json(saved), changed=time.time())
            return row

    def end(self, row: int | None, saved: Saved, outcome: Outcome) -> None:
        """Mark a game as finished; its number becomes free. StateError if it was deleted."""
        saved = replace(saved, states={})  # the opponent's state is needed no longer
        with self._database.changing() as connection:
            update(
                connection, row, number=None, ended=time.time(), saved=as_json(saved),
                outcome=as_json(outcome),
            )  # fmt: skip

    def resume(self, wanted: str | None, person: str = "") -> tuple[KeptGame, Saved]:
        """Return a game to continue: one by name, otherwise the latest, of ``wanted`` if named.

        The latest is that of a ``person``, or of all. Raises StateError if there is none, or if
        it is open in another program.
        """
        with self._database.reported():
            named = wanted is not None and NAME.fullmatch(wanted)
            names = self.names(person)
            if wanted is not None and named:
                names = [wanted] if self._row(wanted) is not None else []
            elif wanted is not None:
                names = [name for name in names if name.rpartition("-")[0] == wanted]
            open_one = ""
            for name in names:
                kept = KeptGame.locked(self, name)
                if kept is None:
                    open_one = open_one or name
                    continue
                found = self._row(name)  # another program may have finished it by now
                try:
                    if found is not None:
                        kept.row = found["id"]
                        return kept, game_of(found).saved
                except StateError:
                    kept.leave()
                    raise
                kept.leave()
            if open_one:
                raise _open(open_one)
            raise self._none(wanted, person)

    @contextmanager
    def held(self, person: str) -> Iterator[None]:
        """Keep others from a person's unfinished games; StateError if one is open."""
        with ExitStack() as locks:
            for name in self.names(person):
                locks.callback(self._locked(name).leave)
            yield

    def delete(self, name: str) -> None:
        """Delete an unfinished game. StateError if there is none or it is open."""
        with self._database.reported():
            found = self._row(name) if NAME.fullmatch(name) else None
            if found is None:
                raise self._none(name)
            kept = self._locked(name)
            kept.row = found["id"]
            kept.remove()

    def delete_row(self, row: int) -> None:
        """Delete a game."""
        with self._database.changing() as connection:
            connection.execute("DELETE FROM game WHERE id = ?", (row,))

    def unfinished(self, person: str = "", row: int | None = None) -> list[SavedGame]:
        """Return the unfinished games of a person, or of all, the latest first; or that of a row.

        StateError if they cannot be read.
        """
        query = f"{UNFINISHED} AND ? IN (0, game.id) {LATEST_FIRST}"
        return self._games(query, person.casefold(), row or 0)

    def names(self, person: str = "") -> list[str]:
        """Return the names of `unfinished` games. OSError if they cannot be read."""
        return list(map(name_of, self._unfinished(person)))

    def is_open(self, name: str) -> bool:
        """Tell whether a program plays a game. StateError if that cannot be found out."""
        with self._database.reported():
            kept = KeptGame.locked(self, name)
        if kept is not None:
            kept.leave()
        return kept is None

    def _unfinished(self, person: str = "") -> list[sqlite3.Row]:
        return self._database.rows(f"{UNFINISHED} {LATEST_FIRST}", person.casefold())

    def _row(self, name: str) -> sqlite3.Row | None:
        """Return the row of an unfinished game, None if there is none."""
        game_id, _, number = name.rpartition("-")
        query = f"{GAMES} WHERE game_id = ? AND number = ?"
        return next(iter(self._database.rows(query, game_id, int(number))), None)

    def _locked(self, name: str) -> KeptGame:
        kept = KeptGame.locked(self, name)
        if kept is None:
            raise _open(name)
        return kept

    def _none(self, wanted: str | None, person: str = "") -> StateError:
        what = "unfinished game"
        if wanted is not None:
            what += f" {quoted(wanted)}" if "-" in wanted else f" of {wanted}"
        who = "you have" if person == YOU else f"{person} has" if person else "there is"
        return StateError(f"{who} no {what} in {self.folder}; {self._instead(wanted)}")

    def _instead(self, wanted: str | None) -> str:
        """Say which unfinished games there are, those of the wanted rules in front."""
        others = [row for row in self._unfinished() if name_of(row) != wanted]
        if not others:
            return "start one with: evenmatch play GAME"
        others.sort(key=lambda row: row["game_id"] != wanted)  # stable: the latest stay in front
        return f"there is {', '.join(map(_with_person, others[:MAX_NAMED]))}"

    # -- finished games --------------------------------------------------------------------------

    def finished(
        self, person: str, game_id: str | None = None, row: int | None = None
    ) -> list[Finished]:
        """Return the finished games of a person, in order: all, of one game, or that of a row."""
        query = f"{FINISHED} AND ? IN ('', game_id) AND ? IN (0, game.id) ORDER BY ended, game.id"
        return self._finished(query, person.casefold(), game_id or "", row or 0)

    def latest(self, person: str, most: int, before: int | None = None) -> list[Finished]:
        """Return a person's latest finished games, at most so many, the latest first.

        Those before the one in a row if that is named; none where that is not the person's.
        """
        values: list[object] = [person.casefold()]
        query = FINISHED
        if before is not None:
            query += f" AND (ended, game.id) < (SELECT ended, game.id {OF_PERSON} AND game.id = ?)"
            values += [person.casefold(), before]
        query += " ORDER BY ended DESC, game.id DESC LIMIT ?"
        return self._finished(query, *values, most)

    def tallies(self, person: str) -> dict[str, Tally]:
        """Return the tally of a person's finished games by game, without reading the games."""
        query = (
            "SELECT game_id, count(*), sum(game.id), max(ended), sum(side * game.id) "
            f"{OF_PERSON} GROUP BY game_id"
        )
        with self._database.reported():
            found = self._database.rows(query, person.casefold())
        return {row[0]: Tally(*row[1:]) for row in map(tuple, found)}

    def unrated(
        self, person: str, game_id: str, scale: str, method: str, most: int | None = None
    ) -> list[Finished]:
        """Return a person's finished games without evidence, the latest first, at most so many.

        Evidence is that of a method on a scale (`levels.py`).
        """
        query = f"{FINISHED} {UNRATED} ORDER BY ended DESC, game.id DESC LIMIT ?"
        limit = -1 if most is None else most
        return self._finished(query, person.casefold(), game_id, scale, method, limit)

    def count_unrated(self, person: str, game_id: str, scale: str, method: str) -> int:
        """Return how many games `unrated` would return, were they not bounded."""
        query = f"SELECT game.id {OF_PERSON} {UNRATED}"
        with self._database.reported():
            rows = self._database.rows(query, person.casefold(), game_id, scale, method)
        return sum(row["id"] not in self._left_out for row in rows)

    def add(self, games: Iterable[tuple[str, Finished]], most: int | None = None) -> Added:
        """Add games that were played elsewhere, each with the key that it is known by.

        Games that are there already are passed over, with two exceptions: one that is there as the
        other player's becomes this player's, and missing metadata is added. StateError if they
        cannot be written; UsageError if more than ``most`` are new.
        """
        new: dict[tuple[str, str], Finished] = {}
        here: dict[tuple[str, str], set[object]] = {}
        turned = completed = 0
        with self._database.reported(), self._database.changing() as connection:
            for key, game in games:
                who = game.saved.person, game.saved.game
                if who not in here:
                    played = (one for one in self.finished(*who) if not one.imported)
                    here[who] = set(map(_identity, played))
                if _identity(game) in here[who]:
                    continue
                query = f"{GAMES} WHERE folded = ? AND imported = ?"
                rows = self._database.rows(query, who[0].casefold(), key)
                if not rows:
                    new.setdefault((who[0], key), game)
                    continue
                found = cast(Finished, game_of(rows[0]))
                is_turned = found.saved.side != game.saved.side
                is_completed = _complete(connection, found, game)
                turned += is_turned
                completed += is_completed and not is_turned
            if most is not None and len(new) > most:
                raise UsageError(
                    f"there is room for {most:,} new games, and these are {len(new):,}; send fewer"
                )
            for (_, key), game in new.items():
                insert(
                    connection, game.saved, game.ended, ended=game.ended,
                    outcome=as_json(game.outcome), imported=key, metadata=as_json(game.metadata),
                )  # fmt: skip
        return Added(len(new), turned, completed)

    def has(self, person: str, row: int | None = None) -> bool:
        """Tell whether a person has a game, finished or not; that of a row if it is named.

        StateError if the database cannot be read.
        """
        query = (
            "SELECT 1 FROM game JOIN person ON person.id = person "
            "WHERE folded = ? AND ? IN (0, game.id) LIMIT 1"
        )
        with self._database.reported():
            return bool(self._database.rows(query, person.casefold(), row or 0))

    def mistakes(self, row: int, method: str) -> dict[int, float] | None:
        """Return what a game's mistakes lost, by ply, as a method found; None if nothing is kept.

        StateError if it cannot be read.
        """
        query = "SELECT mistakes FROM review WHERE game = ? AND method = ?"
        with self._database.reported():
            found = self._database.rows(query, row, method)
        try:
            return {int(ply): float(lost) for ply, lost in json.loads(found[0]["mistakes"])}
        except (IndexError, ValueError, TypeError, RecursionError):  # nothing that can be used
            return None

    def keep_mistakes(self, row: int, method: str, mistakes: dict[int, float]) -> None:
        """Keep what a game's mistakes lost, unless the game was deleted meanwhile."""
        with self._database.reported(), self._database.changing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO review (game, method, mistakes) "
                "SELECT id, ?, ? FROM game WHERE id = ?",
                (method, json.dumps(list(mistakes.items())), row),
            )

    def _games(self, query: str, *values: object) -> list[SavedGame]:
        """Return the games of a query. One that is damaged is left out, which is said once."""
        games = []
        with self._database.reported():
            rows = self._database.rows(query, *values)
        for row in rows:
            try:
                game = game_of(row)
            except StateError as error:
                if row["id"] not in self._left_out:
                    self._left_out.add(row["id"])
                    where = f"row {row['id']} of {self._database.path}"
                    LOG.warning("%s (left out; it stays in %s)", error, where)
            else:
                game.in_memory(self.lines.get(game.row))
                games.append(game)
        return games

    def _finished(self, query: str, *values: object) -> list[Finished]:
        return cast(list[Finished], self._games(query, *values))


def _complete(connection: sqlite3.Connection, known: Finished, game: Finished) -> bool:
    """Add what a record has beyond a kept game; return whether it had more metadata.

    A game that is kept as one player's becomes the other's. Its moves are rated again then.
    """
    columns: dict[str, object] = {}
    if known.saved.side != game.saved.side:
        columns |= {"side": game.saved.side, "saved": as_json(game.saved)}
        columns["outcome"] = as_json(game.outcome)
    before, now = known.metadata, game.metadata
    if before is not None and now is not None:
        now = before.filled_by(now)
    is_more = now is not None and now != before
    if now is not None and is_more:
        columns["metadata"] = as_json(now)
        if now.date and (before is None or now.date != before.date):
            columns |= {"begun": game.ended, "ended": game.ended}
    if columns:
        update(connection, known.row, **columns)
        connection.execute("DELETE FROM evidence WHERE game = ?", (known.row,))
    return is_more


def _identity(game: Finished) -> object:
    """Return what two records of one game have in common."""
    return game.saved.side, game.saved.start, game.saved.actions, game.outcome.result


def _with_person(row: sqlite3.Row) -> str:
    """Name a game, and the option by which a person with a name continues it."""
    name, person = name_of(row), str(row["name"])
    return name if person == YOU else f"{name} (--name {shlex.quote(printable(person))})"


def _open(name: str) -> StateError:
    return StateError(f"{name} is open in another terminal; leave it there first")


def unusable(name: str, why: object) -> StateError:
    """Return the error for an unfinished game that cannot be continued."""
    return StateError(
        f"{name} cannot be continued ({why}); delete it: evenmatch play --delete {name}"
    )
