"""What is no longer kept of those who play on the web page, and when it goes.

Logins end; a guest whom nobody can be any more is forgotten with their games; of the games of one
person the latest are kept. People of the terminal are left alone. Each piece of work is small, so
that others can use the database in between.
"""

import sqlite3

from evenmatch.profiles.database import Database

GUEST = "guest "  #: what the names of guests begin with
GUEST_DIGITS = 12  #: hexadecimal ones of a guest's name: 48 random bits
MADE_UP = GUEST + "[0-9a-f]" * GUEST_DIGITS  #: the names of guests, as SQLite's GLOB matches them
MOST_KEPT = 2000  #: finished games of a person
AT_ONCE = 5  #: guests or games that are deleted together

GUESTS = (
    "SELECT id FROM person WHERE folded GLOB ? AND id NOT IN (SELECT person FROM account) "
    "AND id NOT IN (SELECT person FROM login)"
)
NOTHING_KEPT = " AND id NOT IN (SELECT person FROM game) AND id NOT IN (SELECT person FROM guess)"
UNSEEN = (
    " AND id NOT IN (SELECT person FROM game WHERE changed > ?) "
    "AND id NOT IN (SELECT person FROM guess WHERE made > ?)"
)
VISITORS = "SELECT person FROM account UNION SELECT id FROM person WHERE folded GLOB ?"
WITH_MANY = "SELECT person FROM game WHERE ended IS NOT NULL GROUP BY person HAVING count(*) > ?"
#: Finished games of visitors, beyond the most that are kept of each.
BEYOND = (
    "SELECT id FROM (SELECT id, row_number() OVER "
    "(PARTITION BY person ORDER BY ended DESC, id DESC) AS place FROM game "
    f"WHERE ended IS NOT NULL AND person IN ({WITH_MANY}) AND person IN ({VISITORS})) "
    "WHERE place > ?"
)


def forget_logins(database: Database, now: float) -> None:
    """Delete the logins that ended, and guests without one of whom nothing is kept."""
    if database.exists:
        with database.changing() as connection:
            connection.execute("DELETE FROM login WHERE until <= ?", (now,))
            connection.execute(
                f"DELETE FROM person WHERE id IN ({GUESTS}{NOTHING_KEPT})", (MADE_UP,)
            )


def forget_some(database: Database, since: float, most: int = MOST_KEPT) -> int:
    """Delete some guests who did nothing since, or some games beyond the most; return how many.

    A guest has no login then. Logins last from the last visit, so nobody saw the guest for as long.
    Once nothing is left to delete, the log of what was is cleared.
    """
    if not database.exists:
        return 0
    with database.changing() as connection:
        deleted = _delete(connection, "person", GUESTS + UNSEEN, MADE_UP, since, since)
        if not deleted:
            deleted = _delete(connection, "game", BEYOND, most, MADE_UP, most)
    if not deleted:
        database.tidy()
    return deleted


def _delete(connection: sqlite3.Connection, table: str, found: str, *values: str | float) -> int:
    """Delete some rows whose ids a query finds; return how many."""
    sentence = f"DELETE FROM {table} WHERE id IN ({found} LIMIT {AT_ONCE})"
    return connection.execute(sentence, values).rowcount
