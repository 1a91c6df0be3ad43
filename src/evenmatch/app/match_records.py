"""Files of finished games: PGN, SGF or a JSON object a line, written whole or left as they were."""

import datetime
import json
import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.files import replace_file, umask
from evenmatch.games.catalog import CATALOG, game_info
from evenmatch.games.game import Game
from evenmatch.games.go import Go
from evenmatch.games.line import GIVEN, OWN
from evenmatch.play.arena import Played
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.go.game_text import recorded, result_text, write_sgf

NOTATIONS = {".pgn": "pgn", ".sgf": "sgf"}  #: ends of names of files that hold nothing else
JSON = (".json", ".jsonl")  #: ends of names of files that any game is written to as JSON


class Record:
    """Where the games of a match go; without a path they go nowhere."""

    def __init__(
        self,
        path: Path | None,
        game: Game,
        specs: Sequence[str],
        *,
        openings: int = 0,
        overwrite: bool = False,
    ):
        """Refuse now, before any game is played, what cannot be written later: UsageError.

        The players did not choose the first ``openings`` plies of a game. A file that exists is
        refused too, unless ``overwrite`` allows to replace it.
        """
        self.path = path
        self._game, self._specs, self._openings = game, specs, openings
        self._day = datetime.date.today()
        if path is not None:
            self._target = Path(os.path.realpath(path))  # a link stays, what it names is replaced
            self._mode = _checked(path, self._target)
            if self._target.exists() and not overwrite:
                raise UsageError(f"{path} exists; choose another --record, or add --overwrite")
            own = game_info(game.id).notation
            wanted = NOTATIONS.get(path.suffix.lower(), own)
            if wanted != own:
                held = [info.game for info in CATALOG.values() if info.notation == wanted]
                other = f".{own} or .jsonl" if own else ".jsonl"
                raise UsageError(
                    f"{path} cannot hold {game.title}: {wanted.upper()} is for {', '.join(held)}; "
                    f"choose a --record that ends in {other}"
                )
            if self._notation == "pgn":
                pgn_text(self._tags(0, 1, 1), [], None)  # specs that no tag can hold

    def save(self, games: Iterable[Played]) -> None:
        """Replace the file. Raises UsageError, such as for a full disk."""
        if self.path is None:
            return
        write = {"pgn": self._pgn, "sgf": self._sgf, "": self._json}[self._notation]
        text = "".join(write(played, number) for number, played in enumerate(games, start=1))
        try:
            replace_file(self._target, text, self._mode)
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

    @property
    def _notation(self) -> str:
        """What the games are written as: pgn, sgf, or empty for JSON."""
        assert self.path is not None, "there is a file"
        return "" if self.path.suffix.lower() in JSON else game_info(self._game.id).notation

    def _json(self, played: Played, number: int) -> str:
        return f"{json.dumps(record_line(self._game, self._specs, played))}\n"

    def _pgn(self, played: Played, number: int) -> str:
        moves = record_line(self._game, self._specs, played)["moves"]
        tags = self._tags(played.pairing.first, played.pairing.second, number)
        return pgn_text(tags, moves, played.result, marks=self._marks(played))

    def _sgf(self, played: Played, number: int) -> str:
        game, first, second = cast(Go, self._game), played.pairing.first, played.pairing.second
        written = recorded(
            game,
            game.initial()[0],
            played.actions,
            result=result_text(int(played.result), _margin(game, played)),
            players=(self._specs[first], self._specs[second]),
            date=self._day.isoformat(),
            event=f"evenmatch match, game {number}",
        )
        return f"{write_sgf(written, marks=self._marks(played))}\n"

    def _marks(self, played: Played) -> list[str]:
        """Return why each move is not its player's own, or OWN."""
        given = min(self._openings, len(played.actions))
        return [GIVEN] * given + [OWN] * (len(played.actions) - given)

    def _tags(self, first: int, second: int, number: int) -> dict[str, str]:
        return {
            "Event": "evenmatch match",
            "Date": self._day.strftime("%Y.%m.%d"),
            "Round": str(number),
            "White": self._specs[first],
            "Black": self._specs[second],
        }


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


def _margin(game: Go, played: Played) -> float | str:
    """Return by how much a game was won as it stands, R for a resignation."""
    state = game.initial()
    for action in played.actions:
        state = game.after(state, np.array([action]))
    return abs(float(game.lead(state)[0])) if game.outcome(state)[0][0] else "R"


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
