"""Games as they are kept: how far each went, and how it ended."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evenmatch.players.table import player_name
from evenmatch.profiles.record_facts import RecordFacts
from evenmatch.sessions.saved import Saved

if TYPE_CHECKING:
    from evenmatch.sessions.played_game import PlayedGame


class Outcome(NamedTuple):
    """How a game ended."""

    result: int  #: for the person: 1, 0 or -1
    ending: str  #: in words, such as resignation
    level: float | None = None  #: the rating that the opponent played at
    score: float | None = None  #: points by which who moves first leads, at Go
    counts: bool = True  #: whether the result tells of the person's strength

    @classmethod
    def of(cls, session: "PlayedGame") -> "Outcome":
        """Return how a game that is over ended."""
        score, end = session.score(), session.end
        return cls(
            result=session.result,
            ending=session.game.ending(session.state) if end is None else end.value[1],
            level=session.played_at,
            score=None if score is None else score.lead,
            counts=session.counts,
        )


@dataclass(frozen=True, kw_only=True)
class Played:
    """A game as far as it went. Times are in seconds since 1970."""

    saved: Saved
    outcome: Outcome | None  #: None while it is unfinished
    begun: float
    ended: float  #: when the latest was played, of an unfinished game
    imported: bool = False  #: whether it was played elsewhere; ``saved.opponent`` is a name then
    told: RecordFacts | None = None  #: what its record told, if it was played elsewhere
    row: int = 0  #: in the database


@dataclass(frozen=True, kw_only=True)
class Finished(Played):
    """A finished game."""

    outcome: Outcome


def fits_itself(game: Played) -> bool:
    """Tell whether the opponent fitted itself to the person: its level is what it came to."""
    return not game.imported and player_name(game.saved.opponent) == "even"
