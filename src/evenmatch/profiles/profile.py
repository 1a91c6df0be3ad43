"""A profile: all that is kept of the people who play here, in one database.

It has no screen and reads no input. Any number of programs may use one at once: the terminal, a web
page, an engine.
"""

import sqlite3
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evenmatch.files import state_folder
from evenmatch.profiles.database import Database
from evenmatch.profiles.games import Games
from evenmatch.profiles.people import Guesses, Memories, People

if TYPE_CHECKING:
    from evenmatch.profiles.accounts import Accounts
    from evenmatch.profiles.levels import Levels


class Profile:
    """The profile of a folder, by default the state folder.

    Changes raise OSError where the folder cannot be written, and StateError where the database is
    damaged or of another version. Nothing is written before the first change.
    """

    def __init__(self, where: Path | None = None):
        self.folder = where or state_folder()
        self._database = Database(self.folder)
        self.games = Games(self._database)
        self.memories = Memories(self._database)
        self.guesses = Guesses(self._database)
        self.people = People(self._database, self.games.held)

    @cached_property
    def levels(self) -> "Levels":
        """The levels of people, by what their games say."""
        from evenmatch.profiles.levels import Levels

        return Levels(self._database, self.games)

    @cached_property
    def accounts(self) -> "Accounts":
        """Guests of the web page, and people with a passphrase."""
        from evenmatch.profiles.accounts import Accounts

        return Accounts(self._database)

    def together(self) -> AbstractContextManager[sqlite3.Connection]:
        """Let all changes made meanwhile be one: they happen, or none of them does."""
        return self._database.changing()

    def close(self) -> None:
        """Let go of the database; the next use opens it again."""
        self._database.close()
