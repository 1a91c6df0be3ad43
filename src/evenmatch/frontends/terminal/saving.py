"""What is kept of a game in the terminal: in the profile, and finished for other programs."""

import os
import time
from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.files import state_folder
from evenmatch.frontends import console
from evenmatch.games.catalog import game_info
from evenmatch.play.session import Session
from evenmatch.profiles import Finished, KeptGame, Outcome, Profile
from evenmatch.profiles.database import NAME as DATABASE
from evenmatch.profiles.database import OWNER_ONLY, WRITABLE, cause, remedy
from evenmatch.profiles.export import text_of


class Keeper:
    """Keeps the game at hand; warns once if that fails."""

    def __init__(self, profile: Profile, kept: KeptGame | None):
        """``kept`` is the game at hand, if it is kept already; None for a new one."""
        self._kept = KeptGame(profile.games) if kept is None else kept
        self.problem = ""  #: why the latest save failed; empty if it did not
        self.remedy = WRITABLE  #: what helps then
        self._warned = False

    @property
    def name(self) -> str:
        """The name by which the game is gone on with; empty if it is not kept."""
        return self._kept.name

    @property
    def path(self) -> Path:
        """The database that it is kept in."""
        return self._kept.folder / DATABASE

    def keep(self, session: Session) -> None:
        """Save the game, or remove what was saved of one in which nothing is left to keep."""
        try:
            self._kept.write(session)
            self.problem = ""
        except (OSError, EvenmatchError) as error:
            folder = self._kept.folder
            self.problem, self.remedy = f"{folder}: {cause(error)}", remedy(error)
            self._warn()

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            console.warn(f"the game cannot be saved ({self.problem}); {self.remedy}")

    def finish(self, session: Session) -> None:
        """Let the game be finished; raises as `KeptGame.finish` does."""
        try:
            self._kept.finish(session)
        finally:
            self.problem = ""

    def leave(self) -> None:
        """Let other programs go on with the game."""
        self._kept.leave()

    @property
    def notice(self) -> str:
        """What the person must know as long as the game is not saved."""
        return f"This game is not saved ({self.problem})" if self.problem else ""

    def whereabouts(self, session: Session, command: str) -> str:
        """Say how to go on with a game that was left, or how to start it again."""
        if self.problem:
            return f"the game could not be saved ({self.problem}); {self.remedy}"
        if not self.name:
            return f"nothing was played; start again with: {command}"
        return f"the game is saved; go on with: evenmatch play {self.name}"


# -- finished games for other programs: chess as PGN, which is rated too, and Go as SGF ----------


def record_path(game_id: str) -> Path:
    """Return the file of all games of a kind."""
    return state_folder() / f"games.{game_info(game_id).notation}"


def record(session: Session) -> Path | None:
    """Add a finished game to the file, and return that; None for a game that has no notation.

    Nothing is kept where the person did not move. Raises OSError if the file cannot be written.
    """
    if not game_info(session.game.id).notation or not session.begun:
        return None
    text, file = text_of(finished_of(session, time.time())), record_path(session.game.id)
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY)
    with os.fdopen(descriptor, "a", encoding="utf-8") as out:
        out.write(text)  # one write of one game: two programs do not mix theirs
        out.flush()
        os.fsync(descriptor)
    return file


def finished_of(session: Session, when: float) -> Finished:
    """Return a game that ended at a time, in seconds since 1970."""
    return Finished(saved=session.saved, outcome=Outcome.of(session), begun=when, ended=when)
