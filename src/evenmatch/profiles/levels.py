"""How strong a person is: a level after each of their games, from moves and results.

What the moves of a game say of every rating is asked of the estimator once, and kept; results count
against opponents whose rating is known (`estimation/level.py`).
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.estimation.level import UNSURE, GameSays, level, result_says
from evenmatch.games.catalog import game_info
from evenmatch.players.anchors import rating_of_anchor
from evenmatch.players.even import UNSURE as UNSURE_OF
from evenmatch.players.measured import strength_of
from evenmatch.players.rated import RATED, rating_asked
from evenmatch.players.table import player_name
from evenmatch.profiles.database import Database
from evenmatch.profiles.dates import at_second, when_of
from evenmatch.profiles.finished import FinishedGames
from evenmatch.profiles.judges import (
    DIAL,
    LADDER,
    Judge,
    Judged,
    is_elo,
    judge_of,
    own_moves,
    scale_of,
)
from evenmatch.profiles.people import person_number
from evenmatch.profiles.played import Finished, fits_itself
from evenmatch.profiles.sound import is_number
from evenmatch.progress import Progress
from evenmatch.strength.constants import EVEN_UNSURE

DAY = 86_400.0  #: seconds
BATCH = 64  #: games judged at once
MOST_POINTS = 100  #: of a history
MOST_RESULTS, MOST_DAYS = 30, 180.0  #: games and days back to which results choose an opponent
CLAIM_DEVIATION = 250.0  #: of what people say of their own rating, before they have played
BEYOND = 4 * CLAIM_DEVIATION  #: how far beyond what moves can tell people's own word is believed
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
        """Whether games tell it too uncertainly to be shown but roundly."""
        return self.games > 0 and bool(self.high - self.low > WIDE)

    @property
    def shown(self) -> float:
        """The rating as it is to be shown: that of a provisional level is rounded."""
        return COARSE * round(self.rating / COARSE) if self.provisional else self.rating


def first_guess(
    grid: NDArray[np.float64], kind: str, scale: str, said: float | None = None
) -> NDArray[np.float64] | None:
    """Return the log weights [S] of ratings before any game, up to a constant; None: all alike.

    They are of what the person ``said``, else of a stranger among people, as `even` takes them. On
    the scale of evenmatch's own players nothing is known of strangers.
    """
    if said is not None:
        return -((grid - said) ** 2) / (2 * CLAIM_DEVIATION**2)
    if scale == LADDER:
        return None
    return -((grid - rating_asked(kind)) ** 2) / (2 * UNSURE_OF[game_info(kind).written] ** 2)


class Levels:
    """The levels of a profile's people."""

    def __init__(self, database: Database):
        self._database = database
        self._games = FinishedGames(database)

    def history(
        self,
        person: str,
        kind: str,
        progress: Progress = lambda done, due: None,
        most: int = MOST_POINTS,
        at: float | None = None,
        judging: int | None = None,
        games: Sequence[Finished] | None = None,
    ) -> list[Level]:
        """Return a person's level after each of their latest games of a kind, ``most``, in order.

        Games that say nothing are left out; all do where the game has no rating scale. ``progress``
        hears of games that are judged for the first time. StateError if what they say cannot be
        kept, NetworkError if the estimator does not load. ``at`` is the time to tell the level of,
        by default when each game ended. ``judging`` is how many of the latest games are judged for
        the first time, by default all; the others say nothing yet. ``games`` are all finished ones
        of the kind, where they were read before.
        """
        games = self._games.finished(person, kind) if games is None else games
        judge = judge_of(kind) if games else None
        if judge is None:
            return []
        self._judge(judge, person, kind, judging, progress)
        said = self.claimed(person, kind)
        more = 0 if said is None else round(BEYOND / (judge.grid[1] - judge.grid[0]))
        grid = widened(judge.grid, more)
        prior = first_guess(grid, kind, judge.scale, said)
        kept = self._kept(judge, person, kind)
        judged = [(game, *kept[game.row]) for game in games if game.row in kept]
        says = [(one[0], _of_game(*one, judge, more)) for one in judged]
        telling = [one for _, one in says if one is not None]
        ended = [when_of(game) for game, one in says if one is not None]
        missing = _moves_missing([game for game, one in says if one is not None])
        found = []
        for count in range(max(len(telling) - most, 0) + 1, len(telling) + 1):
            day = telling[count - 1].day if at is None else at / DAY
            belief = level(
                grid, telling[:count], day,
                correlation=judge.correlation, drift=judge.drift, unlike=judge.unlike, prior=prior,
            )  # fmt: skip
            low, high = belief.interval()
            date = ended[count - 1] if at is None else at_second(at)
            results = sum(one.result is not None for one in telling[:count])
            found.append(
                Level(
                    judge.scale, belief.mean, low, high, count, day * DAY, date, results,
                    missing[count - 1],
                )
            )  # fmt: skip
        return found

    def now(
        self,
        person: str,
        kind: str,
        progress: Progress = lambda done, due: None,
        judging: int | None = None,
        games: Sequence[Finished] | None = None,
    ) -> Level | None:
        """Return a person's level by their games, else by their word; None if there is neither.

        ``judging`` and ``games`` are as `history` has them.
        """
        history = self.history(person, kind, progress, 1, time.time(), judging, games)
        if history:
            return history[-1]
        said, scale = self.claimed(person, kind), scale_of(kind)
        if said is None or scale is None:
            return None
        far = 1.96 * CLAIM_DEVIATION
        return Level(scale, said, said - far, said + far, 0, 0.0)

    def judge(self, person: str, kind: str, most: int) -> int:
        """Judge the latest games that were not judged yet, at most so many; return how many were.

        Raises as `history` does.
        """
        judge = judge_of(kind)
        return 0 if judge is None else self._judge(judge, person, kind, most)

    def due(self, person: str, kind: str) -> int:
        """Return how many games of a kind were not judged yet; 0 where levels cannot be told."""
        judge = judge_of(kind)
        if judge is None:
            return 0
        return self._games.count_unjudged(person, kind, judge.scale, judge.key)

    def results(
        self, person: str, kind: str, most: int = MOST_RESULTS
    ) -> list[tuple[float, float]]:
        """Return the latest results that count against the game's player of a rating, as it ships.

        Each is (that rating, the person's points). None do where ratings foretell no results.
        """
        since = time.time() - MOST_DAYS * DAY
        found = [
            (rating, (1 + game.outcome.result) / 2)
            for game in self._games.finished(person, kind)
            if game.ended >= since
            and _is_default(game)
            and (rating := _rating_of_opponent(game)) is not None
        ]
        return found[-most:]

    def claim(self, person: str, kind: str, rating: float) -> None:
        """Keep what a person says of their rating: what is believed before their first game."""
        with self._database.told(), self._database.changing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO claim (person, kind, rating) VALUES (?, ?, ?)",
                (person_number(connection, person), kind, rating),
            )

    def claimed(self, person: str, kind: str) -> float | None:
        """Return what a person said of their rating, None if nothing."""
        rows = self._database.rows(
            "SELECT rating FROM claim JOIN person ON person.id = person "
            "WHERE folded = ? AND kind = ?",
            person.casefold(), kind,
        )  # fmt: skip
        if not rows:
            return None
        if not is_number(rows[0]["rating"]):
            raise StateError(f"what {person} said of their rating is damaged; say it anew")
        return float(rows[0]["rating"])

    def _judge(
        self,
        judge: Judge,
        person: str,
        kind: str,
        most: int | None,
        progress: Progress = lambda done, due: None,
    ) -> int:
        """Judge the latest games of which nothing is kept, ``most`` or all; return how many."""
        new = self._games.unjudged(person, kind, judge.scale, judge.key, most)
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            self._keep(judge, batch, judge.judged(batch))
            progress(min(at + BATCH, len(new)), len(new))
        return len(new)

    def _kept(self, judge: Judge, person: str, kind: str) -> dict[int, Judged]:
        """Return what was judged, by row: how many moves, and what they say."""
        rows = self._database.rows(
            "SELECT game.id, moves, says FROM evidence JOIN game ON game.id = evidence.game "
            "JOIN person ON person.id = person "
            "WHERE folded = ? AND game.kind = ? AND scale = ? AND method = ?",
            person.casefold(), kind, judge.scale, judge.key,
        )  # fmt: skip
        return {row["id"]: (row["moves"], np.frombuffer(row["says"], np.float64)) for row in rows}

    def _keep(self, judge: Judge, games: Sequence[Finished], judged: Sequence[Judged]) -> None:
        """Keep what games say, but of those that were deleted, turned or completed meanwhile."""
        with self._database.told(), self._database.changing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO evidence (game, scale, method, moves, says) "
                f"SELECT id, ?, ?, ?, ? FROM game WHERE id = ? AND side = ? AND {BYTES_TOLD} = ?",
                [
                    (judge.scale, judge.key, moves, says.tobytes(), *_as_judged(game))
                    for game, (moves, says) in zip(games, judged, strict=True)
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


BYTES_TOLD = (
    "ifnull((SELECT length(evals) + length(clocks) FROM told WHERE told.game = game.id), -1)"
)


def _as_judged(game: Finished) -> tuple[int, int, int]:
    """Return the row, the side, and how many bytes of evaluations and clocks the record told."""
    told = game.told
    return game.row, game.saved.side, -1 if told is None else len(told.evals) + len(told.clocks)


def _of_game(
    game: Finished, moves: int, says: NDArray[np.float64], judge: Judge, more: int
) -> GameSays | None:
    """Return what a game says of its player, None if nothing.

    Beyond the judge's grid moves say what they say at its ends.
    """
    opponent = _rating_of_opponent(game)
    result = None
    if opponent is not None:
        grid, points = widened(judge.grid, more), (1 + game.outcome.result) / 2
        unsure = EVEN_UNSURE if fits_itself(game) else UNSURE
        result = result_says(grid, opponent, points, unsure)
    if not moves and result is None:
        return None
    told = np.pad(judge.on_grid(says), more, mode="edge") if moves else None
    return GameSays(game.ended / DAY, told, result)


def widened(grid: NDArray[np.float64], more: int) -> NDArray[np.float64]:
    """Return an even grid with ``more`` values at either end."""
    step = grid[1] - grid[0]
    return np.arange(-more, len(grid) + more) * step + grid[0]


def _is_default(game: Finished) -> bool:
    """Tell whether the opponent was the game's player of a rating, with nothing else set."""
    info, (name, _, keys) = game_info(game.saved.game), game.saved.opponent.partition(":")
    set_ = {pair.partition("=")[0].strip() for pair in keys.split(",") if pair}
    return not game.imported and name == info.rated and set_ <= {info.level, "calibrated"}


def is_set_aside(game: Finished) -> bool:
    """Tell whether a result does not count that would, had the game been played out by oneself.

    It does not in a game from a set-up position, with hints or with moves taken back, nor in one
    that was given up while it was open.
    """
    known = is_elo(game.saved.game) and scale_of(game.saved.game) is not None
    return known and (not game.outcome.counts or any(game.saved.marks))


def _rating_of_opponent(game: Finished) -> float | None:
    """Return the opponent's rating where the result counts against it, else None.

    It is that in games, whatever people's mistakes the opponent was set by. A result does not count
    where ratings are no Elo, nor where it is set aside.
    """
    level, spec = game.outcome.level, game.saved.opponent
    if not is_elo(game.saved.game) or is_set_aside(game):
        return None
    if not game.imported and (anchor := rating_of_anchor(game.saved.game, spec)) is not None:
        return anchor
    if game.imported or level is None:
        return level
    rated = player_name(spec) in (*RATED, DIAL) or fits_itself(game)
    return strength_of(game.saved.game, spec, level) if rated else None
