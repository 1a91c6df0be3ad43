"""Unfinished games, each in a file of its own, so that none is lost.

``folder()/unfinished`` holds a JSON file for every game, replaced whole after every move. While a
game is played its file is locked: two programs never go on with the same one, and neither touches
the other's.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from evenmatch.errors import StateError, quoted
from evenmatch.files import replace_file
from evenmatch.games import GAMES
from evenmatch.records.marks import MARKS, OWN
from evenmatch.sessions.saved import Saved

VERSION = 2  #: written; version 1, of one game of a kind, is read too
THEIRS_ALONE = 0o600  #: permissions of what is kept of a person
NO_LOCKS = "its file system has no locks"
PATIENCE = 10.0  #: seconds to wait for another program that reads or writes the folder
NAME = re.compile(r"([a-z0-9]+)-([1-9][0-9]{0,8})")  #: of an unfinished game: chess-2


def folder() -> Path:
    """Return the folder of all that is kept: EVENMATCH_STATE, or the user's state folder."""
    chosen = os.environ.get("EVENMATCH_STATE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_state_dir

    return Path(user_state_dir("evenmatch", appauthor=False))


def path_of(name: str) -> Path:
    """Return the file of an unfinished game."""
    return folder() / "unfinished" / f"{name}.json"


@contextmanager
def alone() -> Iterator[None]:
    """Keep other programs from changing the folder meanwhile. Raises OSError if it cannot."""
    folder().mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder() / ".lock", timeout=PATIENCE, mode=THEIRS_ALONE):
            yield
    except Timeout:
        raise OSError("another evenmatch keeps it locked") from None
    except NotImplementedError:
        raise OSError(NO_LOCKS) from None


# -- one game ----------------------------------------------------------------------------------


class Place:
    """Where one unfinished game is kept; nobody else can take it until it is left."""

    def __init__(self, name: str, lock: FileLock):
        """``lock`` is held already; see ``take`` and ``resume``."""
        self.name = name
        self._lock = lock

    @property
    def path(self) -> Path:
        """The file."""
        return path_of(self.name)

    def write(self, saved: Saved) -> None:
        """Replace the file, whole. Raises OSError if the folder cannot be written."""
        text = json.dumps({"version": VERSION, **asdict(saved)}) + "\n"
        replace_file(self.path, text, THEIRS_ALONE)

    def leave(self) -> None:
        """Let others go on with the game."""
        self._lock.release()

    def remove(self) -> None:
        """Delete the game and leave. Raises OSError if it cannot be deleted."""
        try:
            with alone():
                self.path.unlink(missing_ok=True)
                _unlink_lock(self.name)
        finally:
            self.leave()


def take(game_id: str) -> Place:
    """Return a new place for a game. Raises OSError if the folder cannot be written."""
    with alone():
        _adopt()
        number = 1
        while True:
            name = f"{game_id}-{number}"
            lock = None if path_of(name).exists() else _locked(name)
            if lock is not None:
                return Place(name, lock)
            number += 1


def resume(wanted: str | None) -> tuple[Place, Saved]:
    """Return a game to go on with: one by name, else the latest, of a game's id if that is given.

    Raises StateError if there is none, if it is open in another program, or cannot be read.
    """
    with _told_alone():
        _adopt()
        if wanted is not None and NAME.fullmatch(wanted):
            if not path_of(wanted).exists():
                raise StateError(_none(f"unfinished game {quoted(wanted)}", wanted))
            return _resumed(wanted)
        names = [name for name in _names() if wanted in (None, name.rpartition("-")[0])]
        for name in names:
            if not _is_open(name):
                return _resumed(name)
        if names:
            raise StateError(f"{names[0]} is open in another terminal; leave it there first")
        what = f"unfinished game of {wanted}" if wanted else "unfinished game"
        raise StateError(_none(what, wanted))


def delete(name: str) -> None:
    """Delete an unfinished game. StateError if there is none or it is open."""
    with _told_alone():
        _adopt()
        if not NAME.fullmatch(name) or not path_of(name).exists():
            raise StateError(_none(f"unfinished game {quoted(name)}", name))
        lock = _locked(name)
        if lock is None:
            raise StateError(f"{name} is open in another terminal; leave it there first")
        try:
            path_of(name).unlink()
            _unlink_lock(name)
        finally:
            lock.release()


def _resumed(name: str) -> tuple[Place, Saved]:
    lock = _locked(name)
    if lock is None:
        raise StateError(f"{name} is open in another terminal; leave it there first")
    try:
        return Place(name, lock), read(name)
    except StateError:
        lock.release()
        raise


def _locked(name: str) -> FileLock | None:
    """Lock a game; None if another program has it."""
    _lock_path(name).parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(_lock_path(name), timeout=0, mode=THEIRS_ALONE)
    try:
        lock.acquire()
    except Timeout:
        return None
    except NotImplementedError:
        raise OSError(NO_LOCKS) from None
    return lock


def _unlink_lock(name: str) -> None:
    """Delete a lock file; where a file that is open cannot be deleted it stays, and is nobody's."""
    with suppress(OSError):
        _lock_path(name).unlink(missing_ok=True)


def _is_open(name: str) -> bool:
    if not _lock_path(name).exists():
        return False
    lock = _locked(name)
    if lock is not None:
        lock.release()
    return lock is None


def _lock_path(name: str) -> Path:
    return path_of(name).with_suffix(".lock")


@contextmanager
def _told_alone() -> Iterator[None]:
    """``alone``, with a message for people where the folder cannot be used."""
    try:
        with alone():
            yield
    except OSError as error:
        why = error.strerror or error
        raise StateError(
            f"cannot use {folder()} ({why}); set EVENMATCH_STATE to a folder that can be written"
        ) from None


def _none(what: str, wanted: str | None) -> str:
    others = [name for name in _names() if name != wanted]
    if others:
        return f"there is no {what} in {folder()}; there is {', '.join(others[:5])}"
    return f"there is no {what} in {folder()}; start one with: evenmatch play GAME"


# -- all games -----------------------------------------------------------------------------------


class Listed(NamedTuple):
    """An unfinished game in the list of all."""

    name: str
    changed: float  #: when, in seconds since 1970
    saved: Saved | None  #: None if it cannot be read
    why: str  #: it cannot
    is_open: bool  #: in another program


def listed() -> list[Listed]:
    """Return all unfinished games, the latest first."""
    if not folder().exists():
        return []
    with _told_alone():
        _adopt()
        return [_listed(name) for name in _names()]


def _listed(name: str) -> Listed:
    saved, why = None, ""
    try:
        saved = read(name)
    except StateError as error:
        why = str(error)
    return Listed(name, path_of(name).stat().st_mtime, saved, why, _is_open(name))


def _names() -> list[str]:
    """Return the names of the unfinished games, the latest first."""
    paths = [p for p in path_of("").parent.glob("*-*.json") if NAME.fullmatch(p.stem)]
    return [path.stem for path in sorted(paths, key=lambda p: -p.stat().st_mtime_ns)]


def _adopt() -> None:
    """Move games that were kept one of a kind, in the folder itself, to the unfinished ones."""
    for path in (folder() / f"{game_id}.json" for game_id in GAMES):
        if not path.exists():
            continue
        number = 1
        while path_of(f"{path.stem}-{number}").exists():
            number += 1
        with suppress(OSError):
            path_of("").parent.mkdir(parents=True, exist_ok=True)
            path.rename(path_of(f"{path.stem}-{number}"))


# -- reading -------------------------------------------------------------------------------------


def read(name: str) -> Saved:
    """Return an unfinished game. Raises StateError if it cannot be read."""
    path = path_of(name)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StateError(f"cannot read {path} ({error.strerror}); check its permissions") from None
    except (ValueError, RecursionError):  # the latter: nested too deep to read
        raise unusable(name, "not JSON") from None
    return _checked(name, data)


def _checked(name: str, data: Any) -> Saved:
    if not isinstance(data, dict) or "version" not in data:
        raise unusable(name, "no version")
    if data["version"] not in (1, VERSION):
        raise unusable(name, f"version {data['version']}, this evenmatch reads {VERSION}")
    values: dict[str, Any] = {}
    for field, fits in FIELDS.items():
        value = data.get(field, DEFAULTS.get(field))
        value = tuple(value) if isinstance(value, list) else value
        if not fits(value):
            raise unusable(name, f"no valid {field!r}")
        values[field] = value
    if values["game"] != name.rpartition("-")[0]:
        raise unusable(name, f"not a game of {name.rpartition('-')[0]}")
    values["hints"] = tuple(map(tuple, values["hints"]))
    values["snapshots"] = tuple(map(tuple, values["snapshots"]))
    return Saved(**values)


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


def unusable(name: str, why: object) -> StateError:
    """Return the error for an unfinished game that cannot be gone on with."""
    return StateError(
        f"{path_of(name)} is no saved game ({why}); delete it: evenmatch play --delete {name}"
    )
