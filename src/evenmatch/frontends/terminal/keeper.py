"""The game at hand in the profile: saved after every move, finished once it is over."""

from contextlib import suppress

from evenmatch.errors import EvenmatchError
from evenmatch.frontends import console
from evenmatch.profiles import Outcome, Place, Profile
from evenmatch.profiles.folder import WRITABLE
from evenmatch.sessions.session import Session


class Keeper:
    """Keeps the game at hand, once there is something to keep."""

    def __init__(self, profile: Profile, place: Place | None):
        """``place`` is where the game at hand is kept already; None for a new one."""
        self.profile = profile
        self.place = place
        self.problem = ""  #: why the latest save failed; empty if it did not
        self._warned = False

    def keep(self, session: Session) -> None:
        """Save the game, or remove what was saved of one in which nothing is left to keep."""
        try:
            self._keep(session)
            self.problem = ""
        except (OSError, EvenmatchError) as error:
            self.problem = f"{self.profile.folder}: {getattr(error, 'strerror', None) or error}"
            self._warn()

    def _keep(self, session: Session) -> None:
        if not session.worth_keeping:
            self._forget()
            return
        if self.place is None:
            self.place = self.profile.games.take(session.game.id)
        self.place.write(session.saved)

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            console.errors().print(
                f"warning: the game cannot be saved ({self.problem}); {WRITABLE}",
                style="yellow", markup=False, soft_wrap=True,
            )  # fmt: skip

    def _forget(self) -> None:
        """Remove what was saved. Raises OSError if that cannot be done."""
        place, self.place = self.place, None
        if place is not None:
            place.remove()

    def finish(self, session: Session) -> None:
        """Let the opponent learn from a game that is over, and the game be finished, in one step.

        Raises OSError or an EvenmatchError if what the opponent learned cannot be kept; the game is
        finished in any case, if that can be written.
        """
        outcome, heard = Outcome.of(session), False
        try:
            if not session.begun:
                self._forget()
                return
            self._keep(session)
            assert self.place is not None
            try:
                with self.profile.together():
                    self.place.end(outcome)
                    heard = True
                    session.finish()
            except EvenmatchError:  # what the opponent knew before cannot be used
                self.place.end(outcome)
                raise
        finally:
            if not heard:
                with suppress(OSError, EvenmatchError):
                    session.finish()
            self.leave()
            self.place, self.problem = None, ""

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
