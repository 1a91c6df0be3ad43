"""Games as rows: what is written when a game changes, and how it is read again."""

import json
import sqlite3
import time
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, NamedTuple

from evenmatch.errors import StateError, printable
from evenmatch.profiles.people import person_number
from evenmatch.profiles.sound import saved_of
from evenmatch.records.marks import OWN
from evenmatch.sessions.saved import Saved

#: Columns of a game that are as `Saved` has them; those of truth are 0 or 1 in the database.
PLAIN = ("opponent", "side", "seed", "start", "seen", "pace")
TRUTHS = ("forgets", "plays_on", "disputed")
LISTS = ("hints", "clock")  #: as JSON
COLUMNS = (*PLAIN, *TRUTHS, *LISTS)


def insert(
    connection: sqlite3.Connection,
    kind: str,
    number: int | None,
    saved: Saved,
    when: float | None = None,
) -> int:
    """Add a game without its moves; return its row. Without a number it has ended, at a time."""
    begun = time.time() if when is None else when
    person = person_number(connection, saved.person)
    values = (kind, number, person, *_columns(saved), begun, begun, when)
    names = ("kind", "number", "person", *COLUMNS, "begun", "changed", "ended")
    places = ", ".join("?" * len(names))
    sentence = f"INSERT INTO game ({', '.join(names)}) VALUES ({places})"
    row = connection.execute(sentence, values).lastrowid
    assert row is not None
    return row


def write(connection: sqlite3.Connection, row: int, saved: Saved, before: Saved | None) -> None:
    """Write what changed in a game since it was as ``before``, None if nothing was written."""
    settings = ", ".join(f"{name} = ?" for name in (*COLUMNS, "changed"))
    values = (*_columns(saved), time.time(), row)
    _require(connection.execute(f"UPDATE game SET {settings} WHERE id = ?", values))
    moves, old = _moves(saved), _moves(before) if before else []
    same = _shared(moves, old)
    connection.execute("DELETE FROM move WHERE game = ? AND ply >= ?", (row, same))
    connection.executemany(
        "INSERT INTO move (game, ply, action, mark) VALUES (?, ?, ?, ?)",
        [(row, ply, *move) for ply, move in enumerate(moves[same:], start=same)],
    )
    same = _shared(saved.snapshots, before.snapshots if before else ())
    connection.execute("DELETE FROM snapshot WHERE game = ? AND place >= ?", (row, same))
    connection.executemany(
        "INSERT INTO snapshot (game, place, ply, state) VALUES (?, ?, ?, ?)",
        [
            (row, place, ply, json.dumps(state))
            for place, (ply, state) in enumerate(saved.snapshots[same:], start=same)
        ],
    )


def read(connection: sqlite3.Connection, row: int) -> Saved:
    """Return a game. StateError if what is kept of it cannot be one."""
    question = "SELECT game.*, name FROM game JOIN person ON person.id = person WHERE game.id = ?"
    found = connection.execute(question, (row,)).fetchone()
    moves = connection.execute(
        "SELECT action, mark FROM move WHERE game = ? ORDER BY ply", (row,)
    ).fetchall()
    snapshots = connection.execute(
        "SELECT ply, state FROM snapshot WHERE game = ? ORDER BY place", (row,)
    ).fetchall()
    told: dict[str, Any] = {name: found[name] for name in PLAIN}
    told |= {name: bool(found[name]) for name in TRUTHS}
    told |= {"game": found["kind"], "person": found["name"]}
    told["actions"] = tuple(action for action, _ in moves)
    told["marks"] = tuple(mark for _, mark in moves)
    try:
        told["snapshots"] = tuple((ply, json.loads(state)) for ply, state in snapshots)
        told |= {name: tuple(json.loads(found[name])) for name in LISTS}
        saved = saved_of(told)
    except (ValueError, TypeError, RecursionError):
        saved = None
    if saved is None:
        raise damaged(found)
    return saved


def damaged(row: sqlite3.Row) -> StateError:
    """Return the error for a game of which something is kept that cannot be."""
    fix = "move profile.sqlite away, and evenmatch begins anew"
    if type(row["number"]) is int:
        fix = f"delete it: evenmatch play --delete {row['kind']}-{row['number']}"
    return StateError(f"what is kept of a game ({printable(str(row['kind']))}) is damaged; {fix}")


def finish(
    connection: sqlite3.Connection,
    row: int | None,
    result: int,
    ending: str,
    level: float | None,
    score: float | None,
    counts: bool,
    *,
    ended: float,
    imported: str | None = None,
) -> None:
    """Note how a game ended; its number becomes free, and snapshots are no longer needed."""
    changed = connection.execute(
        "UPDATE game SET number = NULL, ended = ?, result = ?, ending = ?, level = ?, score = ?, "
        "counts = ?, imported = ? WHERE id = ?",
        (ended, result, ending, level, score, counts, imported, row),
    )
    _require(changed)
    connection.execute("DELETE FROM snapshot WHERE game = ?", (row,))


class Known(NamedTuple):
    """A game that was played elsewhere, as it is kept."""

    row: int
    side: int  #: the person's
    ended: float


def known(connection: sqlite3.Connection, person: str, imported: str) -> Known | None:
    """Return a person's game that was played elsewhere, None if it is not there."""
    question = "SELECT id, side, ended FROM game WHERE person = ? AND imported = ?"
    values = person_number(connection, person), imported
    found = connection.execute(question, values).fetchone()
    return None if found is None else Known(*found)


def _require(changed: sqlite3.Cursor) -> None:
    """Raise StateError if a game that was to change is not there."""
    if not changed.rowcount:
        raise StateError("the game was deleted meanwhile")


def set_ended(connection: sqlite3.Connection, row: int, ended: float) -> None:
    """Note when a game that was played elsewhere ended, as more is known of it now."""
    connection.execute("UPDATE game SET begun = ?, ended = ? WHERE id = ?", (ended, ended, row))


def forget_evidence(connection: sqlite3.Connection, row: int) -> None:
    """Let a game be judged anew."""
    connection.execute("DELETE FROM evidence WHERE game = ?", (row,))


def delete(connection: sqlite3.Connection, row: int | None) -> None:
    """Delete a game and its moves."""
    connection.execute("DELETE FROM game WHERE id = ?", (row,))


def _columns(saved: Saved) -> list[object]:
    plain = [getattr(saved, name) for name in (*PLAIN, *TRUTHS)]
    return plain + [json.dumps(getattr(saved, name)) for name in LISTS]


def _moves(saved: Saved) -> list[tuple[int, str]]:
    marks = saved.marks or (OWN,) * len(saved.actions)
    return list(zip(saved.actions, marks, strict=True))


def _shared(now: Iterable[object], before: Iterable[object]) -> int:
    """Return with how many equal items both begin."""
    pairs = zip(now, before, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
