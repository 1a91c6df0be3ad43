"""The game at hand in the profile, and what a person is told where it cannot be kept."""

from pathlib import Path

from evenmatch.errors import EvenmatchError
from evenmatch.frontends import console
from evenmatch.profiles import KeptGame, Profile
from evenmatch.profiles.database import NAME as DATABASE
from evenmatch.profiles.database import WRITABLE, cause, remedy
from evenmatch.sessions.session import Session


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
