"""How strong a person is: a level after each of their games, from moves and results.

What the moves of a game say of every rating is asked of the estimator once, and kept; results count
against opponents whose rating is known (`estimation/level.py`).
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.domains import domain_of
from evenmatch.estimation.estimator_files import (
    ALONE,
    nets,
    shipped_estimator,
    shipped_method,
)
from evenmatch.estimation.level import DRIFT, GameSays, level, result_says
from evenmatch.estimation.strength_estimator import PlayerGame, Scorer, StrengthEstimator
from evenmatch.network.artifact import digest_of
from evenmatch.players.rated import RATED
from evenmatch.players.table import parse_spec
from evenmatch.profiles.database import Database
from evenmatch.profiles.games import Finished, Games
from evenmatch.profiles.people import person_number
from evenmatch.profiles.texts import line_of, names_of
from evenmatch.progress import Progress
from evenmatch.records.form import form_of
from evenmatch.records.marks import OWN
from evenmatch.records.record import GameRecord

DAY = 86_400.0  #: seconds
BATCH = 64  #: games judged at once
MOST_POINTS = 100  #: of a history
CLAIM_DEVIATION = 250.0  #: of what people say of their own rating, before they have played


class Level(NamedTuple):
    """What is believed of a person's rating."""

    scale: str  #: such as lichess-rapid
    rating: float
    low: float  #: 2.5% are below
    high: float  #: 2.5% are above
    games: int  #: that say something
    when: float  #: seconds since 1970


class Levels:
    """The levels of a profile's people."""

    def __init__(self, database: Database):
        self._database = database
        self._games = Games(database)

    def history(
        self,
        person: str,
        kind: str,
        progress: Progress = lambda done, due: None,
        most: int = MOST_POINTS,
        at: float | None = None,
    ) -> list[Level]:
        """Return a person's level after each of their latest games of a kind, ``most``, in order.

        Games that say nothing are left out; all do where the game has no rating scale. ``progress``
        hears of games that are judged for the first time. StateError if what they say cannot be
        kept, NetworkError if the estimator does not load. ``at`` is the time to tell the level of,
        by default when each game ended.
        """
        scale, games = scale_of(kind), self._games.finished(person, kind)
        if scale is None or not games:
            return []
        estimator = _Estimator(scale)
        grid, correlation = estimator.method.grid, estimator.method.correlation
        prior = self._prior(person, kind, grid)
        drift = DRIFT if is_elo(kind) else 0.0
        says = self._says(scale, estimator, games, progress)
        telling = [one for one in says if one is not None]
        found = []
        for count in range(max(len(telling) - most, 0) + 1, len(telling) + 1):
            day = telling[count - 1].day if at is None else at / DAY
            belief = level(
                grid, telling[:count], day, correlation=correlation, drift=drift, prior=prior
            )
            low, high = belief.interval()
            found.append(Level(scale, belief.mean, low, high, count, day * DAY))
        return found

    def now(
        self, person: str, kind: str, progress: Progress = lambda done, due: None
    ) -> Level | None:
        """Return a person's level by their games, else by their word; None if there is neither."""
        history = self.history(person, kind, progress, 1, time.time())
        if history:
            return history[-1]
        said, scale = self.claimed(person, kind), scale_of(kind)
        if said is None or scale is None:
            return None
        far = 1.96 * CLAIM_DEVIATION
        return Level(scale, said, said - far, said + far, 0, 0.0)

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
        return float(rows[0]["rating"]) if rows else None

    def _prior(
        self, person: str, kind: str, grid: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        said = self.claimed(person, kind)
        return None if said is None else -((grid - said) ** 2) / (2 * CLAIM_DEVIATION**2)

    def _says(
        self, scale: str, estimator: "_Estimator", games: Sequence[Finished], progress: Progress
    ) -> list[GameSays | None]:
        """Return what each game says; None if nothing."""
        digest = digest_of(nets() / ALONE.format(games[0].saved.game, scale))
        kept = self._kept(scale, digest, games)
        new = [game for game in games if game.row not in kept]
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            judged = _judged(estimator, batch)
            self._keep(scale, digest, batch, judged)
            kept |= dict(zip([game.row for game in batch], judged, strict=True))
            progress(min(at + BATCH, len(new)), len(new))
        grid = estimator.method.grid
        return [_of_game(game, *kept[game.row], grid) for game in games]

    def _kept(
        self, scale: str, digest: str, games: Sequence[Finished]
    ) -> dict[int, tuple[int, NDArray[np.float64]]]:
        """Return what was judged before, by row: how many moves, and what they say."""
        rows = self._database.rows(
            "SELECT game, moves, says FROM evidence WHERE scale = ? AND method = ?", scale, digest
        )
        wanted = {game.row for game in games}
        return {
            row["game"]: (row["moves"], np.frombuffer(row["says"], np.float64))
            for row in rows
            if row["game"] in wanted
        }

    def _keep(
        self,
        scale: str,
        digest: str,
        games: Sequence[Finished],
        judged: Sequence[tuple[int, NDArray[np.float64]]],
    ) -> None:
        with self._database.told(), self._database.changing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO evidence (game, scale, method, moves, says) "
                "SELECT id, ?, ?, ?, ? FROM game WHERE id = ?",  # if it is still there
                [
                    (scale, digest, moves, says.tobytes(), game.row)
                    for game, (moves, says) in zip(games, judged, strict=True)
                ],
            )


class _Estimator:
    """The estimator of a scale; its network is loaded when a game is judged: that takes seconds."""

    def __init__(self, scale: str):
        self.scale = scale
        self.method = shipped_method(scale)
        self._whole: StrengthEstimator | None = None

    @property
    def scorer(self) -> Scorer:
        """What rates moves."""
        if self._whole is None:
            self._whole = shipped_estimator(self.scale)
        return self._whole.scorer


def scale_of(kind: str) -> str | None:
    """Return the rating scale that levels in a game are told on, None if there is none."""
    sources = [one for one in domain_of(kind).sources if one.ships and not one.on_request]
    return sources[0].name if sources else None


def is_elo(kind: str) -> bool:
    """Tell whether a game's ratings foretell results, and how fast they move is known.

    Steps of ranks are of no known strength.
    """
    return domain_of(kind).written == "elo"


def _judged(
    estimator: _Estimator, games: Sequence[Finished]
) -> list[tuple[int, NDArray[np.float64]]]:
    """Return how many moves of each game were judged, and what they say of every rating."""
    moves = estimator.scorer([PlayerGame(record_of(game), game.saved.side) for game in games])
    evidence = estimator.method.evidence(moves)
    return [(int(count), row[:-1]) for count, row in zip(moves.counts, evidence, strict=True)]


def record_of(game: Finished) -> GameRecord:
    """Return a game as a record."""
    saved, line = game.saved, line_of(game)
    marks = saved.marks or (OWN,) * len(saved.actions)
    return GameRecord(
        game=saved.game,
        moves=form_of(saved.game).recorded(line.states[:-1], np.array(saved.actions, np.int64)),
        result=game.outcome.result * saved.side,
        players=names_of(game),
        aided=np.array([mark != OWN for mark in marks], np.bool_),
        start=saved.start,
    )


def _of_game(
    game: Finished, moves: int, says: NDArray[np.float64], grid: NDArray[np.float64]
) -> GameSays | None:
    """Return what a game says of its player, None if nothing."""
    opponent = _rating_of_opponent(game)
    result = None
    if opponent is not None:
        result = result_says(grid, opponent, (1 + game.outcome.result) / 2)
    if not moves and result is None:
        return None
    return GameSays(game.ended / DAY, says if moves else None, result)


def _rating_of_opponent(game: Finished) -> float | None:
    """Return the opponent's rating where the result counts against it, else None.

    It does not where ratings are no Elo, in a game from a set-up position, with hints or with moves
    taken back, nor in one that was given up while it was open.
    """
    known = game.outcome.level is not None and is_elo(game.saved.game)
    if not known or not game.outcome.counts or any(game.saved.marks):
        return None
    if game.imported or parse_spec(game.saved.opponent)[0] in RATED:
        return game.outcome.level
    return None
