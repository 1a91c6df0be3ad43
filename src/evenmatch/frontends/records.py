"""Files of finished games: one JSON object a line, replaced whole or left as they were."""

import json
import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.arena import Played
from evenmatch.errors import UsageError
from evenmatch.files import replace_file, umask
from evenmatch.games.game import Game


class Record:
    """Where the games of a match go; without a path they go nowhere."""

    def __init__(self, path: Path | None, game: Game, specs: Sequence[str]):
        """Refuse now, before any game is played, what cannot be written later: UsageError."""
        self.path = path
        self._game, self._specs = game, specs
        if path is not None:
            self._target = Path(os.path.realpath(path))  # a link stays, what it names is replaced
            self._mode = _checked(path, self._target)

    def save(self, games: Iterable[Played]) -> None:
        """Replace the file. Raises UsageError, such as for a full disk."""
        if self.path is None:
            return
        lines = [json.dumps(record_line(self._game, self._specs, played)) for played in games]
        try:
            replace_file(self._target, "".join(f"{line}\n" for line in lines), self._mode)
        except OSError as error:
            raise _unwritable(self.path, error.strerror) from None

    def rescue(self, games: Sequence[Played]) -> str:
        """Save what an interrupted match has finished, if anything; say what became of it."""
        if self.path is None or not games:
            return "nothing was recorded"
        try:
            self.save(games)
        except UsageError as error:
            return f"nothing was recorded: {error}"
        some = "1 finished game is" if len(games) == 1 else f"{len(games)} finished games are"
        return f"{some} in {self.path}"


def record_line(game: Game, specs: Sequence[str], played: Played) -> dict[str, Any]:
    """Return a game as plain data: the players in order of moving, the moves, the result."""
    state, moves = game.initial(), []
    for action in played.actions:
        moves.append(game.action_text(state[0], action))
        state = game.after(state, np.array([action]))
    return {
        "game": game.id,
        "first": specs[played.pairing.first],
        "second": specs[played.pairing.second],
        "result": played.result,
        "moves": moves,
    }


def _checked(path: Path, target: Path) -> int:
    """Return the permissions the file is to have; UsageError if it cannot be replaced."""
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass  # the folder can be written
        mode = target.stat().st_mode
    except FileNotFoundError as error:
        if not target.parent.is_dir():
            raise _unwritable(path, error.strerror) from None
        return 0o666 & ~umask()
    except OSError as error:
        raise _unwritable(path, error.strerror) from None
    if stat.S_ISDIR(mode):
        raise _unwritable(path, "a folder")
    if not stat.S_ISREG(mode):
        raise _unwritable(path, "no regular file")
    return stat.S_IMODE(mode)


def _unwritable(path: Path, why: str | None) -> UsageError:
    return UsageError(f"cannot write {path} ({why}); choose another --record")
