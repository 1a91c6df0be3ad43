"""What versions without a database kept as JSON files, taken over once.

``unfinished/chess-2.json`` held a game, as did ``chess.json`` in the folder itself before that;
``memory/`` held what opponents learned. Files that were taken over move to ``before-profile/``;
those that cannot be read stay where they are.
"""

import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from evenmatch.games import GAMES
from evenmatch.profiles import rows
from evenmatch.profiles.people import person_number
from evenmatch.records.marks import MARKS, OWN
from evenmatch.sessions.saved import Saved

MOVED = "before-profile"  #: folder of what was taken over
GAME_VERSIONS, MEMORY_VERSION = (1, 2), 1


def adopt(connection: sqlite3.Connection, folder: Path) -> list[Path]:
    """Add what older versions kept to a new database; return the files that were read."""
    taken = []
    for path in game_files(folder):
        saved = read_game(path)
        if saved is None:
            continue
        row = rows.insert(connection, saved.game, _number(connection, path), saved)
        rows.write(connection, row, saved, None)
        changed = path.stat().st_mtime
        times = "UPDATE game SET begun = ?, changed = ? WHERE id = ?"
        connection.execute(times, (changed, changed, row))
        taken.append(path)
    memories = sorted((folder / "memory").glob("*.json"))
    return taken + [path for path in memories if _adopt_memory(connection, path)]


def has_files(folder: Path) -> bool:
    """Tell whether older versions left anything."""
    return bool(game_files(folder)) or any((folder / "memory").glob("*.json"))


def move_away(folder: Path, files: list[Path]) -> None:
    """Move files that were taken over to a folder of their own, as far as that can be done."""
    for path in files:
        target = folder / MOVED / path.relative_to(folder)
        with suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)


def game_files(folder: Path) -> list[Path]:
    """Return the files of unfinished games that older versions left."""
    named = [path for path in (folder / "unfinished").glob("*-*.json") if _parts(path) is not None]
    return sorted(named) + [path for kind in GAMES if (path := folder / f"{kind}.json").is_file()]


def _parts(path: Path) -> tuple[str, int] | None:
    """Return the game and the number that a file is named by, None if by neither."""
    kind, _, number = path.stem.rpartition("-")
    return (kind, int(number)) if kind and number.isascii() and number.isdigit() else None


def _number(connection: sqlite3.Connection, path: Path) -> int:
    """Return the number of a file's game: its own, or the first that is free."""
    kind, number = _parts(path) or (path.stem, 1)
    question = "SELECT number FROM game WHERE kind = ? AND number IS NOT NULL"
    taken = {found[0] for found in connection.execute(question, (kind,))}
    while number in taken:
        number += 1
    return number


def _adopt_memory(connection: sqlite3.Connection, path: Path) -> bool:
    """Add what a player learned; False if the file cannot be read."""
    data = _read_json(path)
    words = [word for name in ("game", "opponent", "person") if type(word := data.get(name)) is str]
    if data.get("version") != MEMORY_VERSION or type(data.get("state")) is not dict:
        return False
    if len(words) < 3:
        return False
    kind, opponent, person = words
    connection.execute(
        "INSERT OR IGNORE INTO memory (kind, opponent, person, state) VALUES (?, ?, ?, ?)",
        (kind, opponent, person_number(connection, person), json.dumps(data["state"])),
    )
    return True


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file, an empty one if there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # the last: nested too deep to read
        return {}
    return data if type(data) is dict else {}


def read_game(path: Path) -> Saved | None:
    """Return the game of a file, None if it cannot be read."""
    data = _read_json(path)
    if data.get("version") not in GAME_VERSIONS:
        return None
    values: dict[str, Any] = {}
    for field, fits in FIELDS.items():
        value = data.get(field, DEFAULTS.get(field))
        value = tuple(value) if isinstance(value, list) else value
        if not fits(value):
            return None
        values[field] = value
    if values["game"] != (_parts(path) or (path.stem, 1))[0]:
        return None
    values["hints"] = tuple(map(tuple, values["hints"]))
    values["snapshots"] = tuple(map(tuple, values["snapshots"]))
    saved = Saved(**values)
    return saved if len(saved.marks) in (0, len(saved.actions)) else None


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


def _each(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda values: type(values) is tuple and all(map(fits, values))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_snapshot(value: Any) -> bool:
    """Tell whether something is a ply and what a player was like before it."""
    pair = type(value) in (list, tuple) and len(value) == 2
    return pair and type(value[0]) is int and value[0] >= 0 and type(value[1]) is dict


DEFAULTS = {
    field.name: field.default
    for field in fields(Saved)
    if field.default is not MISSING and field.name != "actions"
}  #: of what older versions did not keep
FIELDS: dict[str, Callable[[Any], bool]] = {
    "game": _is(str),
    "opponent": _is(str),
    "side": lambda value: _is(int)(value) and value in (1, -1),
    "seed": lambda value: _is(int)(value) and value >= 0,
    "actions": _each(_is(int)),
    "person": _is(str),
    "start": _is(str),
    "marks": _each(lambda value: value == OWN or value in MARKS),
    "seen": lambda value: _is(int)(value) and value >= 0,
    "hints": _each(lambda value: type(value) in (list, tuple) and all(map(_is(int), value))),
    "forgets": _is(bool),
    "plays_on": _is(bool),
    "disputed": _is(bool),
    "pace": lambda value: value is None or (_is_number(value) and value >= 0),
    "clock": lambda value: _each(_is_number)(value) and len(value) in (0, 4),
    "snapshots": lambda value: _each(_is_snapshot)(value) and (not value or value[0][0] == 0),
}  #: whether what was read of a field can be used
