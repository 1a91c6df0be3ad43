"""The game at hand on disk: saved after every move, removed once it is over."""

from evenmatch.frontends import console
from evenmatch.frontends.terminal import saves
from evenmatch.frontends.terminal.saves import Place
from evenmatch.sessions.session import Session

WRITABLE = "set EVENMATCH_STATE to a folder that can be written"


class Keeper:
    """Keeps the unfinished game on disk, once there is something to keep."""

    def __init__(self, place: Place | None):
        """``place`` is where the game at hand is on disk already; None for a new one."""
        self.place = place
        self.problem = ""  #: why the latest save failed; empty if it did not
        self._warned = False

    def keep(self, session: Session) -> None:
        """Save the game, or remove what was saved of one in which nothing is left to keep."""
        try:
            if not session.worth_keeping:
                self.forget()
                return
            if self.place is None:
                self.place = saves.take(session.game.id)
            self.place.write(session.saved)
            self.problem = ""
        except OSError as error:
            self.problem = f"{saves.folder()}: {error.strerror or error}"
            self._warn()

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            console.errors().print(
                f"warning: the game cannot be saved ({self.problem}); {WRITABLE}",
                style="yellow", markup=False, soft_wrap=True,
            )  # fmt: skip

    def forget(self) -> None:
        """Remove a game that is over. Raises OSError if it cannot be removed."""
        place, self.place, self.problem = self.place, None, ""
        if place is not None:
            place.remove()

    def leave(self) -> None:
        """Let other programs go on with the game."""
        if self.place is not None:
            self.place.leave()

    @property
    def notice(self) -> str:
        """What the person must know as long as the game is not saved."""
        return f"This game is not saved ({self.problem})" if self.problem else ""

    def whereabouts(self, session: Session, command: str) -> str:
        """Say how to go on with a game that was left, or how to start it again."""
        if self.problem:
            return f"the game could not be saved ({self.problem}); {WRITABLE}"
        if self.place is None:
            return f"nothing was played; start again with: {command}"
        return f"the game is saved; go on with: evenmatch play {self.place.name}"
