"""People of the web page: guests with a made-up name, and people with a name and a passphrase.

A browser is known by the token of its login. Only the token's hash is kept, so that who reads the
database can enter as nobody. Changes raise OSError if they cannot be written.
"""

import hashlib
import secrets
import sqlite3
import threading
import time
import unicodedata
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from evenmatch.errors import MissingExtraError, StateError, UsageError, quoted
from evenmatch.play.saved import YOU
from evenmatch.profiles.database import Database
from evenmatch.profiles.people import named, rename

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LONGEST_NAME = 40  #: characters
SHORTEST_PASSPHRASE, LONGEST_PASSPHRASE = 8, 200  #: characters
HOUR, DAY = 3600.0, 86_400.0  #: seconds
UNUSED = 180 * DAY  #: after which a login ends, and a guest is forgotten
WRONG = "that name and passphrase do not belong together"

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


def as_kept(name: str) -> str:
    """Return a name as it is kept: with single spaces, and each letter written in one way."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def default_hasher() -> "PasswordHasher":
    """Return what hashes passphrases, argon2id; MissingExtraError if it is not installed."""
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingExtraError(
            "passphrases need argon2; install it: pip install 'evenmatch[web]'"
        ) from None
    return PasswordHasher()


class Accounts:
    """The guests, the passphrases and the logins of a profile. Threads may share it."""

    def __init__(
        self,
        database: Database,
        hasher: "Callable[[], PasswordHasher]" = default_hasher,
        clock: Callable[[], float] = time.time,
    ):
        self._database, self._make_hasher, self._clock = database, hasher, clock
        self._hashing = threading.Lock()  # one at a time: each takes 64 MB

    # -- guests --------------------------------------------------------------------------------

    def guest(self) -> str:
        """Make a new person with a name that nobody has; return the name.

        `tidy` keeps them for an hour at least: a login that nobody holds stands for that.
        """
        with self._database.changing() as connection:
            while True:
                name = GUEST + secrets.token_hex(GUEST_DIGITS // 2)
                sentence = "INSERT OR IGNORE INTO person (name, folded) VALUES (?, ?)"
                if connection.execute(sentence, (name, name)).rowcount:
                    self._add_login(connection, name, HOUR)
                    return name

    def is_guest(self, person: str) -> bool:
        """Return whether a person has a made-up name and no passphrase."""
        question = (
            "SELECT 1 FROM person WHERE folded = ? AND folded GLOB ? "
            "AND id NOT IN (SELECT person FROM account)"
        )
        return bool(self._database.rows(question, person.casefold(), MADE_UP))

    def join(self, person: str, name: str, passphrase: str) -> str:
        """Give a guest a name and a passphrase of their own; return the name as it is kept.

        UsageError, with the fix, if either is none; StateError if the name is taken. The caller
        closes the guest's logins then and opens a new one, because an old one may be shared.
        """
        name = _checked_name(name)
        _check_passphrase(passphrase)
        with self._hashing:
            hashed = self._hasher.hash(_as_bytes(passphrase))
        with self._database.changing() as connection:
            if not self.is_guest(person):
                raise StateError("only a guest can choose a name; leave first, then choose one")
            rename(connection, person, name)
            sentence = "INSERT INTO account (person, hash, made) SELECT id, ?, ? FROM person"
            values = hashed, self._clock(), name.casefold()
            connection.execute(f"{sentence} WHERE folded = ?", values)
        return name

    # -- passphrases ---------------------------------------------------------------------------

    def enter(self, name: str, passphrase: str) -> str:
        """Return a person's name; UsageError if the passphrase is not theirs, or nobody's."""
        question = (
            "SELECT name, hash FROM account JOIN person ON person.id = person WHERE folded = ?"
        )
        name = as_kept(name)
        found = self._database.rows(question, name.casefold()) if name.isprintable() else []
        with self._hashing:
            dummy = self._dummy  # so that a name that nobody has takes as long
            fits = self._fits(found[0]["hash"] if found else dummy, passphrase)
        if not found or not fits:
            raise UsageError(WRONG)
        self._renew_hash(found[0]["hash"], passphrase)
        return str(found[0]["name"])

    def _fits(self, hashed: str, passphrase: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return self._hasher.verify(hashed, _as_bytes(passphrase))
        except (VerificationError, InvalidHashError):
            return False

    def _renew_hash(self, hashed: str, passphrase: str) -> None:
        """Hash a passphrase again if the parameters have changed."""
        if not self._hasher.check_needs_rehash(hashed):
            return
        with self._hashing:
            new = self._hasher.hash(_as_bytes(passphrase))
        with self._database.changing() as connection:
            connection.execute("UPDATE account SET hash = ? WHERE hash = ?", (new, hashed))

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        return self._make_hasher()

    @cached_property
    def _dummy(self) -> str:
        """The hash of a passphrase that nobody knows."""
        return self._hasher.hash(secrets.token_bytes(32))

    # -- logins --------------------------------------------------------------------------------

    def open(self, person: str) -> str:
        """Return the token of a new login. StateError if there is no such person."""
        with self._database.changing() as connection:
            return self._add_login(connection, person, UNUSED)

    def person_of(self, token: str) -> str | None:
        """Return whose login a token is; None if it is nobody's, or ended."""
        question = (
            "SELECT name FROM login JOIN person ON person.id = person WHERE token = ? AND until > ?"
        )
        found = self._database.rows(question, _digest(token), self._clock())
        return str(found[0]["name"]) if found else None

    def renew(self, token: str) -> bool:
        """Let a login last as long from now; False if that is too early yet, or it has ended."""
        digest, now = _digest(token), self._clock()
        due, values = "token = ? AND until > ? AND used <= ?", (digest, now, now - HOUR)
        if not self._database.rows(f"SELECT 1 FROM login WHERE {due}", *values):
            return False
        with self._database.changing() as connection:
            sentence = f"UPDATE login SET used = ?, until = ? WHERE {due}"
            return bool(connection.execute(sentence, (now, now + UNUSED, *values)).rowcount)

    def close(self, token: str) -> None:
        """End a login, if it is one."""
        with self._database.changing() as connection:
            connection.execute("DELETE FROM login WHERE token = ?", (_digest(token),))

    def close_all(self, person: str, but: str = "") -> None:
        """End all logins of a person, but that of a token."""
        of = "(SELECT id FROM person WHERE folded = ?)"
        with self._database.changing() as connection:
            connection.execute(
                f"DELETE FROM login WHERE person IN {of} AND token != ?",
                (person.casefold(), _digest(but)),
            )

    def tidy(self) -> None:
        """Delete the logins that ended, and guests without one of whom nothing is kept."""
        if self._database.exists:
            with self._database.changing() as connection:
                connection.execute("DELETE FROM login WHERE until <= ?", (self._clock(),))
                connection.execute(
                    f"DELETE FROM person WHERE id IN ({GUESTS}{NOTHING_KEPT})", (MADE_UP,)
                )

    def forget(self, most: int = MOST_KEPT) -> int:
        """Delete some guests who did nothing for `UNUSED` seconds, or some games beyond the most.

        Return how many, 0 once all are gone: others may use the database in between. A guest has
        no login then; a login lasts as long from the last visit. People of the terminal and their
        games are left alone. After the last the log of what was deleted is cleared.
        """
        if not self._database.exists:
            return 0
        since = self._clock() - UNUSED
        with self._database.changing() as connection:
            deleted = _delete(connection, "person", GUESTS + UNSEEN, MADE_UP, since, since)
            if not deleted:
                deleted = _delete(connection, "game", BEYOND, most, MADE_UP, most)
        if not deleted:
            self._database.tidy()
        return deleted

    def _add_login(self, connection: sqlite3.Connection, person: str, lasts: float) -> str:
        token, now = secrets.token_urlsafe(32), self._clock()
        added = connection.execute(
            "INSERT INTO login (token, person, until, used) "
            "SELECT ?, id, ?, ? FROM person WHERE folded = ?",
            (_digest(token), now + lasts, now, person.casefold()),
        )
        if not added.rowcount:
            raise StateError(f"nobody is called {quoted(person)} here; enter again")
        return token


def _checked_name(name: str) -> str:
    """Return a wanted name as it is kept; UsageError if it is not allowed."""
    name = named(unicodedata.normalize("NFC", name), LONGEST_NAME, "one")
    if name.casefold().startswith(GUEST):
        raise UsageError(f"only guests have names that begin with {GUEST.strip()}; choose another")
    if name.casefold() == YOU:
        raise UsageError(f"nobody can be called {quoted(name)} here; choose another name")
    return name


def _check_passphrase(passphrase: str) -> None:
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise UsageError(
            f"a passphrase has at least {SHORTEST_PASSPHRASE} characters; choose a longer one"
        )
    if len(passphrase) > LONGEST_PASSPHRASE:
        raise UsageError(
            f"a passphrase has at most {LONGEST_PASSPHRASE} characters; choose a shorter one"
        )


def _as_bytes(passphrase: str) -> bytes:
    """Return what is hashed of a passphrase, the same on every keyboard."""
    return unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _delete(connection: sqlite3.Connection, table: str, found: str, *values: str | float) -> int:
    """Delete some rows whose ids a query finds; return how many."""
    sentence = f"DELETE FROM {table} WHERE id IN ({found} LIMIT {AT_ONCE})"
    return connection.execute(sentence, values).rowcount
