"""What players learned of a person from game to game, kept on disk.

One JSON file for each game, player and person, in the folder of the unfinished games. A player is
its name and spec: another spec is a stranger.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError
from evenmatch.files import replace_file
from evenmatch.frontends import saves
from evenmatch.players import Player

VERSION = 1


def path_of(game_id: str, opponent: str, person: str) -> Path:
    """Return the file of what ``opponent`` (a spec) knows of ``person``."""
    key = hashlib.sha256(f"{opponent}\n{person}".encode()).hexdigest()[:12]
    return saves.folder() / "memory" / f"{game_id}-{opponent.partition(':')[0]}-{key}.json"


def recall(player: Player, game_id: str, opponent: str, person: str) -> bool:
    """Let a player go on from what it knows; False if it knows nothing.

    Raises StateError, saying how to mend it, for a file that is broken, of another version or of
    another game, player or person.
    """
    path = path_of(game_id, opponent, person)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):  # nobody was remembered there
        return False
    except OSError as error:
        raise StateError(f"cannot read {path} ({error.strerror}); check its permissions") from None
    except (ValueError, RecursionError):  # the latter: nested too deep to read
        raise _unusable(path, "it is not JSON") from None
    wanted = {"version": VERSION, "game": game_id, "opponent": opponent, "person": person}
    for key, value in wanted.items():
        found = data.get(key) if isinstance(data, dict) else None
        if found != value:
            raise _unusable(path, f"its {key} is {found!r}, not {value!r}")
    try:
        player.recall(0, data.get("state"))
    except StateError as error:
        raise _unusable(path, str(error).partition(";")[0]) from None
    return True


def keep(player: Player, game_id: str, opponent: str, person: str) -> None:
    """Write what a player knows after a game, if it learns. Raises OSError if it cannot."""
    state = player.remember(0)
    if state is None:
        return
    known: dict[str, Any] = {"version": VERSION, "game": game_id, "opponent": opponent}
    known |= {"person": person, "state": state}
    text = json.dumps(known) + "\n"
    replace_file(path_of(game_id, opponent, person), text, saves.THEIRS_ALONE)


def forget(game_id: str, opponent: str, person: str) -> bool:
    """Delete what a player knows of a person; False if it knows nothing."""
    path = path_of(game_id, opponent, person)
    known = path.exists()
    path.unlink(missing_ok=True)
    return known


def _unusable(path: Path, why: str) -> StateError:
    return StateError(f"{path} cannot be used: {why}; start anew with --forget")
