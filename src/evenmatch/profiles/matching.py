"""Who plays next: the opponent at a person's level, by what their games and their word tell.

The opponent has that rating in games: it is set by its curve, where it has one (`dials.py`).
Where results with such opponents say more or less than the level, the opponent follows them
(`estimation/by_results.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evenmatch.estimation.by_results import offset
from evenmatch.games.catalog import game_info
from evenmatch.players.measured import at_strength
from evenmatch.progress import Progress
from evenmatch.ratings import elo_from_score

if TYPE_CHECKING:
    from evenmatch.profiles.levels import Level
    from evenmatch.profiles.profile import Profile

EVEN = 0.5


class Match(NamedTuple):
    """An opponent for a person."""

    spec: str
    note: str  #: what is to be told of the spec; empty if nothing
    level: Level  #: the person's, by which it was chosen
    offset: float  #: Elo that the person's results add to the level; 0 without any


def matched(
    profile: Profile,
    person: str,
    game: str,
    target: float = EVEN,
    progress: Progress = lambda done, due: None,
    judging: int | None = None,
) -> Match | None:
    """Return the opponent against whom the person is to expect a share ``target`` of the points.

    None where no level is known, or nobody plays at one. ``progress`` hears of games that are
    judged for the first time; ``judging`` is how many at most. Raises as `Levels.now` does.
    """
    info = game_info(game)
    level = profile.levels.now(person, game, progress, judging)
    if level is None or info.rated is None:
        return None
    results = profile.levels.results(person, game)
    beyond = offset(level.rating, results) if results else 0.0
    wanted = level.rating + beyond - elo_from_score(target)
    return Match(*at_strength(game, wanted), level, beyond)
