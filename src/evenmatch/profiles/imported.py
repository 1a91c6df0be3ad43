"""Games that were played elsewhere: each is added once, and completed when more is known of it."""

import sqlite3
from collections.abc import Callable, Iterable
from typing import NamedTuple

from evenmatch.errors import UsageError
from evenmatch.profiles.database import Database
from evenmatch.profiles.saved_game import GAMES, Finished, as_json, game_of, insert, update


class Added(NamedTuple):
    """What became of games that were to be added; those that were there already are left out."""

    new: int
    turned: int  #: were there as the other player's
    completed: int  #: were there without some of their record's metadata


def add_imported(
    database: Database,
    finished: Callable[[str, str], list[Finished]],
    games: Iterable[tuple[str, Finished]],
    most: int | None = None,
) -> Added:
    """Add games that were played elsewhere, each with the key that it is known by.

    ``finished`` returns a person's finished games of one game. Games that are there already are
    passed over, with two exceptions: one that is there as the other player's becomes this
    player's, and missing metadata is added. StateError if they cannot be written; UsageError if
    more than ``most`` are new.
    """
    with database.reported(), database.changing() as connection:
        new, there = _sorted_out(database, finished, games)
        if most is not None and len(new) > most:
            raise UsageError(
                f"there is room for {most:,} new games, and these are {len(new):,}; send fewer"
            )
        turned = completed = 0
        for known, game in there:
            is_completed = _complete(connection, known, game)
            is_turned = known.saved.side != game.saved.side
            if is_turned:
                _turn(connection, known, game)
            turned += is_turned
            completed += is_completed and not is_turned
        for (_, key), game in new.items():
            insert(
                connection, game.saved, game.ended, ended=game.ended,
                outcome=as_json(game.outcome), imported=key, metadata=as_json(game.metadata),
            )  # fmt: skip
    return Added(len(new), turned, completed)


def _sorted_out(
    database: Database,
    finished: Callable[[str, str], list[Finished]],
    games: Iterable[tuple[str, Finished]],
) -> tuple[dict[tuple[str, str], Finished], list[tuple[Finished, Finished]]]:
    """Return games that are new, by person and key, and those that are there, old and new.

    Those that were played here are in neither.
    """
    new: dict[tuple[str, str], Finished] = {}
    there: list[tuple[Finished, Finished]] = []
    here: dict[tuple[str, str], set[object]] = {}
    for key, game in games:
        who = game.saved.person, game.saved.game
        if who not in here:
            played = [one for one in finished(*who) if not one.imported]
            here[who] = set(map(_identity, played))
        if _identity(game) in here[who]:
            continue
        query = f"{GAMES} WHERE folded = ? AND imported = ?"
        found = database.rows(query, who[0].casefold(), key)
        known = game_of(found[0]) if found else None
        if isinstance(known, Finished):
            there.append((known, game))
        else:
            new.setdefault((who[0], key), game)
    return new, there


def _complete(connection: sqlite3.Connection, known: Finished, game: Finished) -> bool:
    """Keep metadata that is not there yet; return whether there was any."""
    before, now = known.metadata, game.metadata
    if before is not None and now is not None:
        now = before.filled_by(now)
    if now is None or now == before:
        return False
    update(connection, known.row, metadata=as_json(now))
    if now.date and (before is None or now.date != before.date):
        update(connection, known.row, begun=game.ended, ended=game.ended)
    _forget_evidence(connection, known.row)
    return True


def _turn(connection: sqlite3.Connection, known: Finished, game: Finished) -> None:
    """Let a game that is kept as one player's be the other's."""
    update(
        connection, known.row, side=game.saved.side, saved=as_json(game.saved),
        outcome=as_json(game.outcome),
    )  # fmt: skip
    _forget_evidence(connection, known.row)


def _forget_evidence(connection: sqlite3.Connection, row: int) -> None:
    """Let a game's moves be rated anew."""
    connection.execute("DELETE FROM evidence WHERE game = ?", (row,))


def _identity(game: Finished) -> object:
    """Return what two records of one game have in common."""
    return game.saved.side, game.saved.start, game.saved.actions, game.outcome.result
