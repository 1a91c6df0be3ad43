"""How strong a person is: a level after each of their games, and the opponent at that level.

The evidence of a game's moves for every rating is computed once, and kept; results count against
opponents whose rating is known (`estimation/level.py`).
"""

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.estimation.level import (
    OF_STRANGERS,
    UNSURE,
    GameSays,
    RatedResult,
    level,
    result_says,
    results_offset,
)
from evenmatch.games.catalog import game_info
from evenmatch.opponents.rated import OWN_NUMBERS, requested_rating
from evenmatch.opponents.rating_range import rating_of_anchor, spec_of_belief, spec_of_strength
from evenmatch.opponents.table import parse_spec
from evenmatch.profiles.database import Database
from evenmatch.profiles.export import at_second, when_of
from evenmatch.profiles.games import Games
from evenmatch.profiles.people import person_number
from evenmatch.profiles.raters import (
    LADDER,
    MoveRater,
    RatedMoves,
    is_elo,
    own_moves,
    rater_of,
    scale_of,
)
from evenmatch.profiles.saved_game import Finished, as_json, plays_even
from evenmatch.progress import Progress
from evenmatch.ratings import elo_from_score

DAY = 86_400.0  #: seconds
BATCH = 64  #: games rated at once
MOST_POINTS = 100  #: of a history
NORMAL_95 = 1.96  #: standard deviations from the mean within which 95% of a normal belief are
MOST_RESULTS, MOST_DAYS = 30, 180.0  #: games and days back to which results choose an opponent
CLAIM_DEVIATION = 250.0  #: of what people say of their own rating, before they have played
BEYOND = 4 * CLAIM_DEVIATION  #: how far beyond the range of moves a claimed rating is believed
EVEN_SCORE = 0.5
EVEN_UNSURE = 200.0  #: standard deviation, Elo, of the mean level that `even` plays at in a game
LEAST_MOVES = 10  #: of one's own before a level is shown
WIDE = 400.0  #: an interval that is wider makes a level provisional
COARSE = 100.0  #: what the rating of a provisional level is rounded to


class Level(NamedTuple):
    """What is believed of a person's rating."""

    scale: str  #: such as lichess-rapid
    rating: float
    low: float  #: 2.5% are below
    high: float  #: 2.5% are above
    games: int  #: that say something
    when: float  #: seconds since 1970
    date: str = ""  #: the same as it is written, as far as it is known
    results: int = 0  #: that count; in the other games moves alone do
    missing: int = 0  #: own moves, until the level may be shown

    @property
    def provisional(self) -> bool:
        """Whether the interval is so wide that only a rounded level is shown."""
        return self.games > 0 and bool(self.high - self.low > WIDE)

    @property
    def deviation(self) -> float:
        """The standard deviation of the rating, by the interval."""
        return (self.high - self.low) / (2 * NORMAL_95)

    @property
    def shown(self) -> float:
        """The rating as it is to be shown: that of a provisional level is rounded."""
        return COARSE * round(self.rating / COARSE) if self.provisional else self.rating


def first_guess(
    grid: NDArray[np.float64], game_id: str, scale: str, said: float | None = None
) -> NDArray[np.float64] | None:
    """Return the log weights [S] of ratings before any game, up to a constant; None: all alike.

    They follow the level that the person ``said``, otherwise that of a stranger among people. On
    the scale of evenmatch's own players nothing is known of strangers.
    """
    if said is not None:
        return -((grid - said) ** 2) / (2 * CLAIM_DEVIATION**2)
    if scale == LADDER:
        return None
    return -((grid - requested_rating(game_id)) ** 2) / (
        2 * OF_STRANGERS[game_info(game_id).written] ** 2
    )


class Levels:
    """The levels of a profile's people."""

    def __init__(self, database: Database, games: Games):
        self._database, self._games = database, games

    def history(
        self,
        person: str,
        game_id: str,
        progress: Progress = lambda done, due: None,
        most: int = MOST_POINTS,
        at: float | None = None,
        max_new: int | None = None,
        games: Sequence[Finished] | None = None,
    ) -> list[Level]:
        """Return a person's level after each of their latest games of one game, ``most``, in order.

        Games that say nothing are left out; all do where the game has no rating scale. ``progress``
        reports the games whose moves are rated for the first time. StateError if their evidence
        cannot be kept, NetworkError if the estimator does not load. ``at`` is the time of the
        level, by default when each game ended. ``max_new`` is how many of the latest
        games are rated for the first time, by default all; the others have no evidence yet.
        ``games`` are all finished ones of the game, where they were read before.
        """
        games = self._games.finished(person, game_id) if games is None else games
        rater = rater_of(game_id) if games else None
        if rater is None:
            return []
        self._rate(rater, person, game_id, max_new, progress)
        said = self.claimed(person, game_id)
        more = 0 if said is None else round(BEYOND / (rater.grid[1] - rater.grid[0]))
        grid = widened(rater.grid, more)
        prior = first_guess(grid, game_id, rater.scale, said)
        kept = self._kept(rater, person, game_id)
        rated = [(game, *kept[game.row]) for game in games if game.row in kept]
        says = [(one[0], _of_game(*one, rater, more)) for one in rated]
        telling = [one for _, one in says if one is not None]
        ended = [when_of(game) for game, one in says if one is not None]
        missing = _moves_missing([game for game, one in says if one is not None])
        found = []
        for count in range(max(len(telling) - most, 0) + 1, len(telling) + 1):
            day = telling[count - 1].day if at is None else at / DAY
            belief = level(
                grid, telling[:count], day,
                correlation=rater.correlation, drift=rater.drift, unlike=rater.unlike, prior=prior,
            )  # fmt: skip
            low, high = belief.interval()
            date = ended[count - 1] if at is None else at_second(at)
            results = sum(one.result is not None for one in telling[:count])
            found.append(
                Level(
                    rater.scale, belief.mean, low, high, count, day * DAY, date, results,
                    missing[count - 1],
                )
            )  # fmt: skip
        return found

    def now(
        self,
        person: str,
        game_id: str,
        progress: Progress = lambda done, due: None,
        max_new: int | None = None,
        games: Sequence[Finished] | None = None,
    ) -> Level | None:
        """Return a person's level by their games, otherwise by their claim; None without either.

        ``max_new`` and ``games`` are as `history` has them.
        """
        history = self.history(person, game_id, progress, 1, time.time(), max_new, games)
        if history:
            return history[-1]
        said, scale = self.claimed(person, game_id), scale_of(game_id)
        if said is None or scale is None:
            return None
        far = NORMAL_95 * CLAIM_DEVIATION
        return Level(scale, said, said - far, said + far, 0, 0.0)

    def rate_new(self, person: str, game_id: str, most: int) -> int:
        """Rate the latest games without evidence, at most ``most``; return how many were rated.

        Raises as `history` does.
        """
        rater = rater_of(game_id)
        return 0 if rater is None else self._rate(rater, person, game_id, most)

    def count_unrated(self, person: str, game_id: str) -> int:
        """Return how many games have no evidence yet; 0 where the game has no rating scale."""
        rater = rater_of(game_id)
        if rater is None:
            return 0
        return self._games.count_unrated(person, game_id, rater.scale, rater.key)

    def results(self, person: str, game_id: str, most: int = MOST_RESULTS) -> list[RatedResult]:
        """Return the latest results that count against the game's opponents at a level.

        Those are `even`, by the mean level that it played at, and the player of a rating. Empty
        where ratings do not predict results.
        """
        since = time.time() - MOST_DAYS * DAY
        found = [
            RatedResult(
                rating, (1 + game.outcome.result) / 2, EVEN_UNSURE if plays_even(game) else 0.0
            )
            for game in self._games.finished(person, game_id)
            if game.ended >= since
            and _is_default(game)
            and (rating := _rating_of_opponent(game)) is not None
        ]
        return found[-most:]

    def claim(self, person: str, game_id: str, rating: float) -> None:
        """Keep what a person says of their rating: what is believed before their first game."""
        with self._database.reported(), self._database.changing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO claim (person, game_id, rating) VALUES (?, ?, ?)",
                (person_number(connection, person), game_id, rating),
            )

    def claimed(self, person: str, game_id: str) -> float | None:
        """Return what a person said of their rating, None if nothing."""
        rows = self._database.rows(
            "SELECT rating FROM claim JOIN person ON person.id = person "
            "WHERE folded = ? AND game_id = ?",
            person.casefold(), game_id,
        )  # fmt: skip
        if not rows:
            return None
        rating = rows[0]["rating"]
        if type(rating) is not float or not math.isfinite(rating):
            raise StateError(f"what {person} said of their rating is damaged; say it again")
        return rating

    def _rate(
        self,
        rater: MoveRater,
        person: str,
        game_id: str,
        most: int | None,
        progress: Progress = lambda done, due: None,
    ) -> int:
        """Rate the latest games without evidence, ``most`` or all; return how many."""
        new = self._games.unrated(person, game_id, rater.scale, rater.key, most)
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            self._keep(rater, batch, rater.rated(batch))
            progress(min(at + BATCH, len(new)), len(new))
        return len(new)

    def _kept(self, rater: MoveRater, person: str, game_id: str) -> dict[int, RatedMoves]:
        """Return the evidence by row: how many moves were rated, and their log-likelihoods."""
        rows = self._database.rows(
            "SELECT game.id, moves, says FROM evidence JOIN game ON game.id = evidence.game "
            "JOIN person ON person.id = person "
            "WHERE folded = ? AND game.game_id = ? AND scale = ? AND method = ?",
            person.casefold(), game_id, rater.scale, rater.key,
        )  # fmt: skip
        return {row["id"]: (row["moves"], np.frombuffer(row["says"], np.float64)) for row in rows}

    def _keep(
        self, rater: MoveRater, games: Sequence[Finished], rated: Sequence[RatedMoves]
    ) -> None:
        """Keep evidence, but of games that were deleted, turned or completed meanwhile."""
        with self._database.reported(), self._database.changing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO evidence (game, scale, method, moves, says) "
                "SELECT id, ?, ?, ?, ? FROM game WHERE id = ? AND side = ? AND metadata IS ?",
                [
                    (
                        rater.scale,
                        rater.key,
                        moves,
                        says.tobytes(),
                        game.row,
                        game.saved.side,
                        as_json(game.metadata),
                    )
                    for game, (moves, says) in zip(games, rated, strict=True)
                ],
            )


def _moves_missing(games: Sequence[Finished]) -> list[int]:
    """Return how many own moves are missing after each game until a level may be shown."""
    found, left = [], LEAST_MOVES
    for game in games:
        if left:  # games are replayed only until there are enough
            left = max(left - int(own_moves(game).sum()), 0)
        found.append(left)
    return found


def _of_game(
    game: Finished, moves: int, says: NDArray[np.float64], rater: MoveRater, more: int
) -> GameSays | None:
    """Return what a game says of its player, None if nothing.

    Beyond the rater's grid the likelihood is that of its ends.
    """
    opponent = _rating_of_opponent(game)
    result = None
    if opponent is not None:
        grid, points = widened(rater.grid, more), (1 + game.outcome.result) / 2
        unsure = EVEN_UNSURE if plays_even(game) else UNSURE
        result = result_says(grid, opponent, points, unsure)
    if not moves and result is None:
        return None
    likelihood = np.pad(rater.on_grid(says), more, mode="edge") if moves else None
    return GameSays(game.ended / DAY, likelihood, result)


def widened(grid: NDArray[np.float64], more: int) -> NDArray[np.float64]:
    """Return an even grid with ``more`` values at either end."""
    step = grid[1] - grid[0]
    return np.arange(-more, len(grid) + more) * step + grid[0]


def _is_default(game: Finished) -> bool:
    """Tell whether the opponent was `even`, as a profile chooses it, or the player of a rating."""
    info, (name, _, keys) = game_info(game.saved.game), game.saved.opponent.partition(":")
    set_ = {pair.partition("=")[0].strip() for pair in keys.split(",") if pair}
    if plays_even(game):
        return set_ <= {info.level, "unsure", "moves"}
    return not game.imported and name == info.rated and set_ <= {info.level}


def is_set_aside(game: Finished) -> bool:
    """Tell whether a result does not count that would, had the game been played out by oneself.

    It does not in a game from a set-up position, with hints or with moves taken back, nor in one
    that was given up while it was open.
    """
    known = is_elo(game.saved.game) and scale_of(game.saved.game) is not None
    return known and (not game.outcome.counts or any(game.saved.marks))


def _rating_of_opponent(game: Finished) -> float | None:
    """Return the opponent's rating where the result counts against it, otherwise None.

    A result does not count where ratings are not Elo, nor where it is set aside, nor against a
    player whose rating is that of people with such moves, because its strength in games differs.
    The player of a rating counts only with the numbers that were fitted to games.
    """
    level, spec = game.outcome.level, game.saved.opponent
    if not is_elo(game.saved.game) or is_set_aside(game):
        return None
    if not game.imported and (anchor := rating_of_anchor(game.saved.game, spec)) is not None:
        return anchor
    if game.imported or level is None:
        return level
    name, values = parse_spec(spec)
    on_dial = name == game_info(game.saved.game).rated and not OWN_NUMBERS & values.keys()
    return level if on_dial or plays_even(game) else None


class Match(NamedTuple):
    """An opponent for a person."""

    spec: str
    note: str  #: for the person, such as that the level is beyond the range; may be empty
    level: Level  #: the person's, by which it was chosen
    offset: float  #: Elo added to the level by the person's results (`estimation/level.py`)


def matched(
    levels: Levels,
    person: str,
    game_id: str,
    target: float = EVEN_SCORE,
    progress: Progress = lambda done, due: None,
    max_new: int | None = None,
) -> Match | None:
    """Return the opponent against whom the person's expected score is ``target``.

    For half a point that is `even`, whose first guess is the level; otherwise the player of a
    rating, which stays at it. None where no level is known, or nobody plays at one. ``progress``
    reports the games whose moves are rated for the first time, ``max_new`` at most. Raises as
    `Levels.now`.
    """
    info = game_info(game_id)
    level = levels.now(person, game_id, progress, max_new)
    if level is None or info.rated is None:
        return None
    results = levels.results(person, game_id)
    beyond, unsure = 0.0, level.deviation
    if results:
        offset = results_offset(level.rating, results)
        beyond, unsure = offset.mean, math.hypot(unsure, offset.deviation)
    strength = level.rating + beyond
    if target == EVEN_SCORE:
        spec, note = spec_of_belief(game_id, strength, unsure, level.games)
    else:
        spec, note = spec_of_strength(game_id, strength - elo_from_score(target))
    return Match(spec, note, level, beyond)
