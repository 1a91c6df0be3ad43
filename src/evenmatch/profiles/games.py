"""The games of people: unfinished and finished ones, and those from elsewhere."""

from collections.abc import Iterable

from evenmatch.profiles import imported
from evenmatch.profiles.finished import FinishedGames
from evenmatch.profiles.imported import Added
from evenmatch.profiles.played import Finished
from evenmatch.profiles.unfinished import UnfinishedGames


class Games(UnfinishedGames, FinishedGames):
    """The games of a profile."""

    def add(self, games: Iterable[tuple[str, Finished]], most: int | None = None) -> Added:
        """Add games that were played elsewhere, as `imported.add` does."""
        return imported.add(self._database, self, games, most)

    def has(self, person: str, row: int) -> bool:
        """Tell whether a game is a person's, finished or not. StateError if unreadable."""
        question = (
            "SELECT 1 FROM game JOIN person ON person.id = person WHERE game.id = ? AND folded = ?"
        )
        with self._database.told():
            return bool(self._database.rows(question, row, person.casefold()))

    def has_any(self, person: str) -> bool:
        """Tell whether a person began a game that is still kept. StateError if unreadable."""
        question = "SELECT 1 FROM game JOIN person ON person.id = person WHERE folded = ? LIMIT 1"
        with self._database.told():
            return bool(self._database.rows(question, person.casefold()))
