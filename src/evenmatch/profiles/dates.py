"""When games were played, as far as that is known.

The record of a game from elsewhere tells a day such as 2022-03-14, a month such as 2022-03, a year
such as 2022, or nothing. So much is shown and exported. Games are put in order, and old ones count
less, by a moment in the middle of what is known.
"""

import datetime
from collections.abc import Sequence

from evenmatch.profiles.played import Played

#: What makes a moment of a year, a month and a day, by how long they are written.
MIDDLES = {4: "-07-01T00:00:00", 7: "-16T00:00:00", 10: "T12:00:00"}
EARLIEST = "1000"  #: year; clocks of computers do not reach much further back


def moment_of(date: str) -> datetime.datetime | None:
    """Return the middle of a day, a month or a year that is past or goes on; None for others."""
    today = datetime.date.today().isoformat()
    if not EARLIEST <= date <= today[: len(date)]:
        return None
    middle = datetime.datetime.fromisoformat(date + MIDDLES[len(date)])
    return min(middle, datetime.datetime.now())


def date_of(game: Played) -> str:
    """Return what is known of the day a game ended, empty if nothing."""
    if game.told is not None:
        return game.told.date
    moment = _moment(game)
    return moment.date().isoformat()[: 4 if game.imported and _is_of_year(moment) else None]


def when_of(game: Played) -> str:
    """Return the second in which a game of ours ended, of others what is known of the day."""
    return date_of(game) if game.imported else at_second(game.ended)


def since(games: Sequence[Played]) -> str:
    """Return the day of the first game as far as it is known; empty if one tells nothing."""
    return min(map(date_of, games))


def at_second(seconds: float) -> str:
    """Write a moment, in seconds since 1970."""
    return datetime.datetime.fromtimestamp(seconds).isoformat(timespec="seconds")


def _is_of_year(moment: datetime.datetime) -> bool:
    """Tell whether a moment stands for its year: all that is kept by versions before `told`."""
    return moment == datetime.datetime.fromisoformat(f"{moment.year:04}{MIDDLES[4]}")


def _moment(game: Played) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(game.ended)
