"""Games that were played elsewhere: each is added once, and completed when more is told."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from evenmatch.errors import UsageError
from evenmatch.profiles import record_facts, rows
from evenmatch.profiles.database import Database
from evenmatch.profiles.finished import FinishedGames
from evenmatch.profiles.played import Finished


class Added(NamedTuple):
    """What became of games that were to be added; those that were there already are left out."""

    new: int
    turned: int  #: were there as the other player's
    completed: int  #: were there without what their record tells


def add(
    database: Database,
    finished: FinishedGames,
    games: Iterable[tuple[str, Finished]],
    most: int | None = None,
) -> Added:
    """Add games that were played elsewhere, each with what it is known by.

    Those that are there already are passed over, with two exceptions. If one is there as the
    other player's, it is this one's now. If it is there without what its record tells, that is
    added. StateError if they cannot be written; UsageError if more than ``most`` are new.
    """
    with database.told(), database.changing() as connection:
        new, there = _sorted_out(connection, finished, games)
        if most is not None and len(new) > most:
            raise UsageError(
                f"there is room for {most:,} new games, and these are {len(new):,}; send fewer"
            )
        turned = completed = 0
        for known, key, game in there:
            told_anew, other = _complete(connection, known.row, game), False
            if known.side != game.saved.side:
                _turn(connection, known, key, game)
                other = True
            turned, completed = turned + other, completed + (told_anew and not other)
        for (_, key), game in new.items():
            _insert(connection, key, game)
    return Added(len(new), turned, completed)


def _sorted_out(
    connection: sqlite3.Connection, finished: FinishedGames, games: Iterable[tuple[str, Finished]]
) -> tuple[dict[tuple[str, str], Finished], list[tuple[rows.Known, str, Finished]]]:
    """Return games that are new, by person and key, and those that are there.

    Those that were played here are in neither.
    """
    new: dict[tuple[str, str], Finished] = {}
    there: list[tuple[rows.Known, str, Finished]] = []
    here: dict[tuple[str, str], set[object]] = {}
    for key, game in games:
        who = game.saved.person, game.saved.game
        if who not in here:
            played = [one for one in finished.finished(*who) if not one.imported]
            here[who] = set(map(_as_played, played))
        if _as_played(game) in here[who]:
            continue
        known = rows.known(connection, who[0], key)
        if known is None:
            new.setdefault((who[0], key), game)
        else:
            there.append((known, key, game))
    return new, there


def _insert(connection: sqlite3.Connection, key: str, game: Finished) -> None:
    """Add a finished game that was played elsewhere."""
    row = rows.insert(connection, game.saved.game, None, game.saved, game.ended)
    rows.write(connection, row, game.saved, None)
    rows.finish(connection, row, *game.outcome, ended=game.ended, imported=key)
    if game.told is not None:
        record_facts.write(connection, row, game.told)


def _complete(connection: sqlite3.Connection, row: int, game: Finished) -> bool:
    """Keep what the record of a game tells and is not there yet; return whether there was any."""
    before = record_facts.read(connection, row)
    now = game.told if before is None or game.told is None else before.filled_by(game.told)
    if now is None or now == before:
        return False
    record_facts.write(connection, row, now)
    if now.date and (before is None or now.date != before.date):
        rows.set_ended(connection, row, game.ended)
    rows.forget_evidence(connection, row)  # was judged without it
    return True


def _turn(connection: sqlite3.Connection, known: rows.Known, key: str, game: Finished) -> None:
    """Let a game that is kept as one player's be the other's; it is judged anew."""
    rows.write(connection, known.row, game.saved, rows.read(connection, known.row))
    rows.finish(connection, known.row, *game.outcome, ended=known.ended, imported=key)
    rows.forget_evidence(connection, known.row)


def _as_played(game: Finished) -> object:
    """Return what two records of one game have in common."""
    return game.saved.side, game.saved.start, game.saved.actions, game.outcome.result
