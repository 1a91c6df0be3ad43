"""The unfinished game of each kind, kept on disk so that none is lost.

One JSON file per game, replaced whole after every move, in the user's state folder or the
folder that the environment variable EVENMATCH_STATE names.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError
from evenmatch.files import replace_file

VERSION = 1
KINDS = {"game": str, "opponent": str, "side": int, "seed": int, "actions": list, "person": str}
THEIRS_ALONE = 0o600  #: permissions of what is kept of a person
YOU = "you"  #: a person who gave no name


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An unfinished game."""

    game: str  #: id
    opponent: str  #: spec
    side: int  #: the person's: 1 moves first, -1 second
    seed: int  #: of the opponent
    actions: tuple[int, ...]  #: played so far
    person: str = YOU  #: who plays, by name


def folder() -> Path:
    """Return where unfinished games are kept."""
    chosen = os.environ.get("EVENMATCH_STATE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_state_dir

    return Path(user_state_dir("evenmatch", appauthor=False))


def path_of(game_id: str) -> Path:
    """Return the file of a game's unfinished game."""
    return folder() / f"{game_id}.json"


def write(saved: Saved) -> None:
    """Replace the game's file, whole. Raises OSError if the folder cannot be written."""
    text = json.dumps({"version": VERSION, **asdict(saved)}) + "\n"
    replace_file(path_of(saved.game), text, THEIRS_ALONE)


def read(game_id: str) -> Saved:
    """Return the unfinished game. Raises StateError if there is none or it cannot be read."""
    path = path_of(game_id)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StateError(
            f"no unfinished game of {game_id} in {path.parent}; leave out --resume to start one"
        ) from None
    except OSError as error:
        raise StateError(f"cannot read {path} ({error.strerror}); check its permissions") from None
    except (ValueError, RecursionError):  # the latter: nested too deep to read
        raise _unreadable(path, "not JSON") from None
    _check(path, data, game_id)
    return Saved(**{key: data[key] for key in KINDS} | {"actions": tuple(data["actions"])})


def remove(game_id: str) -> None:
    """Forget the unfinished game, if there is one and it can be removed."""
    try:
        path_of(game_id).unlink(missing_ok=True)
    except OSError:
        return


def _check(path: Path, data: Any, game_id: str) -> None:
    if not isinstance(data, dict) or "version" not in data:
        raise _unreadable(path, "no version")
    if data["version"] != VERSION:
        raise _unreadable(path, f"version {data['version']}, this evenmatch reads {VERSION}")
    data.setdefault("person", YOU)  # games saved before it was kept
    for key, kind in KINDS.items():
        if not isinstance(data.get(key), kind):
            raise _unreadable(path, f"no valid {key!r}")
    if not all(isinstance(action, int) for action in data["actions"]):
        raise _unreadable(path, "no valid 'actions'")
    if data["seed"] < 0:
        raise _unreadable(path, "no valid 'seed'")
    if data["side"] not in (1, -1):
        raise _unreadable(path, "no valid 'side'")
    if data["game"] != game_id:
        raise _unreadable(path, f"not a game of {game_id}")


def unusable(game_id: str, why: object) -> StateError:
    """Return the error for a saved game that reads well and cannot be gone on with."""
    return _unreadable(path_of(game_id), why)


def _unreadable(path: Path, why: object) -> StateError:
    return StateError(f"{path} is no saved game ({why}); delete it, or leave out --resume")
