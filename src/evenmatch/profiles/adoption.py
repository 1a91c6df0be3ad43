"""What versions without a database kept as JSON files, taken over once.

``unfinished/chess-2.json`` held a game, as did ``chess.json`` in the folder itself before that;
``memory/`` held what opponents learned. Files that were taken over move to ``before-profile/``;
those that cannot be read stay where they are.
"""

import json
import re
import sqlite3
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from evenmatch.games import GAMES
from evenmatch.profiles import rows
from evenmatch.profiles.people import person_number
from evenmatch.profiles.sound import FIELDS, saved_of
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
    return (kind, int(number)) if kind and re.fullmatch("[0-9]{1,9}", number) else None


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
    told = {name: data.get(name, DEFAULTS.get(name)) for name in FIELDS}
    saved = saved_of(
        {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    )
    return (
        saved if saved is not None and saved.game == (_parts(path) or (path.stem, 1))[0] else None
    )


DEFAULTS = {
    field.name: field.default
    for field in fields(Saved)
    if field.default is not MISSING and field.name != "actions"
}  #: of what older versions did not keep
