"""What players learned of a person from game to game, kept on disk.

One JSON file for each game, player and person, in the folder of all that is kept. A player is its
name and spec: another spec is a stranger. A person is a name in any case. Two games may go on at
once: what each taught is added to what the file says when it ends.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError
from evenmatch.files import replace_file
from evenmatch.frontends.terminal import saves
from evenmatch.players import Player

VERSION = 1


def path_of(game_id: str, opponent: str, person: str) -> Path:
    """Return the file of what ``opponent`` (a spec) knows of ``person``."""
    return _path(game_id, opponent, person.casefold())


def recall(player: Player, game_id: str, opponent: str, person: str) -> bool:
    """Let a player's next game go on from what it knows; False if it knows nothing.

    Raises StateError, saying how to mend it, for a file that is broken, of another version or of
    another game, player or person.
    """
    state = _read(game_id, opponent, person)
    if state is None:
        player.forget(0)
        return False
    try:
        player.recall(0, state)
    except StateError as error:
        raise _unusable(_found(game_id, opponent, person), error) from None
    return True


def learn(
    player: Player,
    game_id: str,
    opponent: str,
    person: str,
    result: float | None,
    anew: bool = False,
) -> None:
    """Let a player hear the result of its game, and keep what it knows then, if it learns.

    What other games taught meanwhile is kept too; ``anew``: what was known before is not. Raises
    OSError if it cannot be written, StateError as ``recall``; the player has heard in any case.
    """
    heard = False
    try:
        with saves.alone():
            player.rebase(0, None if anew else _read(game_id, opponent, person))
            player.finish(0, result)
            heard = True
            _write(player.remember(0), game_id, opponent, person)
    finally:
        if not heard:
            player.finish(0, result)


def forget(game_id: str, opponent: str, person: str) -> None:
    """Delete what a player knows of a person. Raises OSError if it cannot."""
    with saves.alone():
        for path in _paths(game_id, opponent, person):
            path.unlink(missing_ok=True)


def games_known(game_id: str, opponent: str, person: str) -> int | None:
    """Return from how many games a player knows a person, None if it knows nothing.

    What cannot be read counts as no game.
    """
    try:
        state = _read(game_id, opponent, person)
    except StateError:
        return 0
    return None if state is None else int(state.get("games", 0))


def _read(game_id: str, opponent: str, person: str) -> dict[str, Any] | None:
    """Return what is known; None for nothing, StateError for what cannot be used."""
    path = _found(game_id, opponent, person)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):  # nobody was remembered there
        return None
    except OSError as error:
        raise StateError(f"cannot read {path} ({error.strerror}); check its permissions") from None
    except (ValueError, RecursionError):  # the latter: nested too deep to read
        raise _unusable(path, "it is not JSON") from None
    wanted = {"version": VERSION, "game": game_id, "opponent": opponent, "person": person}
    for key, value in wanted.items():
        held = data.get(key) if isinstance(data, dict) else None
        if str(held).casefold() != str(value).casefold():
            raise _unusable(path, f"its {key} is {held!r}, not {value!r}")
    if not isinstance(data.get("state"), dict):
        raise _unusable(path, "it has no state")
    return data["state"]


def _write(state: dict[str, Any] | None, game_id: str, opponent: str, person: str) -> None:
    if state is None:
        return
    known: dict[str, Any] = {"version": VERSION, "game": game_id, "opponent": opponent}
    known |= {"person": person, "state": state}
    path, *older = _paths(game_id, opponent, person)
    replace_file(path, json.dumps(known) + "\n", saves.THEIRS_ALONE)
    for other in older:
        other.unlink(missing_ok=True)


def _found(game_id: str, opponent: str, person: str) -> Path:
    """Return the file that is there, else the one that will be."""
    paths = _paths(game_id, opponent, person)
    return next((path for path in paths if path.exists()), paths[0])


def _paths(game_id: str, opponent: str, person: str) -> list[Path]:
    """Return the person's file, and the one of versions that told Ada from ada, if another."""
    older = _path(game_id, opponent, person)
    path = path_of(game_id, opponent, person)
    return [path] if path == older else [path, older]


def _path(game_id: str, opponent: str, person: str) -> Path:
    key = hashlib.sha256(f"{opponent}\n{person}".encode()).hexdigest()[:12]
    return saves.folder() / "memory" / f"{game_id}-{opponent.partition(':')[0]}-{key}.json"


def _unusable(path: Path, why: object) -> StateError:
    text = str(why).partition(";")[0]
    return StateError(f"{path} cannot be used: {text}; start anew with --forget")
