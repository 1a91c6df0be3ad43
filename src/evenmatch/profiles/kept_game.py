"""A game at hand and its place in the profile: written as it goes on, finished once it is over."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from evenmatch.errors import EvenmatchError
from evenmatch.profiles.place import Place
from evenmatch.profiles.played import Outcome

if TYPE_CHECKING:
    from evenmatch.profiles.profile import Profile
    from evenmatch.sessions.session import Session


class KeptGame:
    """Keeps the game at hand, once there is something to keep."""

    def __init__(self, profile: Profile, place: Place | None):
        """``place`` is where the game at hand is kept already; None for a new one."""
        self.profile = profile
        self.place = place

    def write(self, session: Session) -> None:
        """Write the game, or remove what was written of one in which nothing is left to keep.

        Raises OSError or StateError if that cannot be done.
        """
        if not session.worth_keeping:
            self._remove()
            return
        if self.place is None:
            self.place = self.profile.games.take(session.game.id)
        self.place.write(session.saved)

    def finish(self, session: Session) -> None:
        """Let the opponent learn from a game that is over, and the game be finished, in one step.

        Raises OSError or an EvenmatchError if what the opponent learned cannot be kept; the game is
        finished in any case, if that can be written.
        """
        outcome, heard = Outcome.of(session), False
        try:
            if not session.begun:
                self._remove()
                return
            self.write(session)
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
            self.place = None

    def leave(self) -> None:
        """Let other programs go on with the game."""
        if self.place is not None:
            self.place.leave()

    def _remove(self) -> None:
        place, self.place = self.place, None
        if place is not None:
            place.remove()
