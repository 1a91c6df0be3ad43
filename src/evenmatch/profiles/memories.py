"""What opponents learned of a person from game to game.

An opponent is its spec; another spec knows nothing of the person. Two games may go on at once: what
each taught is added to what is known when it ends.
"""

import json
import math
from collections.abc import Callable
from typing import Any

from evenmatch.errors import StateError
from evenmatch.profiles.database import Database
from evenmatch.profiles.people import person_number


class Memories:
    """The memories of a profile; a `Store` of sessions."""

    def __init__(self, database: Database):
        self._database = database

    def recall(self, game_id: str, opponent: str, person: str) -> dict[str, Any]:
        """Return what an opponent remembers of a person, empty if nothing.

        Raises StateError, which says the fix, where what is stored is damaged.
        """
        try:
            return self._read(game_id, opponent, person) or {}
        except OSError:  # one can play without; that the game cannot be saved is reported then
            return {}

    def learn(
        self,
        game_id: str,
        opponent: str,
        person: str,
        learned: Callable[[dict[str, Any]], dict[str, Any]],
        forget: bool = False,
    ) -> None:
        """Store ``learned`` of what is remembered by now; with ``forget`` of nothing.

        So what other games taught meanwhile is kept too. Raises OSError if it cannot be written,
        StateError as `recall`.
        """
        with self._database.changing() as connection:
            before = {} if forget else self._read(game_id, opponent, person) or {}
            state = learned(before)
            if state:
                who = person_number(connection, person)
                connection.execute(
                    "INSERT OR REPLACE INTO memory (game_id, opponent, person, state) "
                    "VALUES (?, ?, ?, ?)",
                    (game_id, opponent, who, json.dumps(state)),
                )

    def forget(self, game_id: str, opponent: str, person: str) -> None:
        """Delete what a player knows of a person. Raises OSError if it cannot."""
        if not self._database.exists:
            return
        with self._database.changing() as connection:
            connection.execute(
                "DELETE FROM memory WHERE game_id = ? AND opponent = ? AND person IN "
                "(SELECT id FROM person WHERE folded = ?)",
                (game_id, opponent, person.casefold()),
            )

    def games_known(self, game_id: str, opponent: str, person: str) -> int | None:
        """Return from how many games a player knows a person, None if it knows nothing."""
        with self._database.reported():
            state = self._read(game_id, opponent, person)
        games = 0 if state is None else state.get("games", 0)
        if type(games) not in (int, float) or not math.isfinite(games):
            raise _unusable(opponent, person, "its games are no number")
        return None if state is None else int(games)

    def _read(self, game_id: str, opponent: str, person: str) -> dict[str, Any] | None:
        found = self._database.rows(
            "SELECT state FROM memory JOIN person ON person.id = person "
            "WHERE game_id = ? AND opponent = ? AND folded = ?",
            game_id, opponent, person.casefold(),
        )  # fmt: skip
        if not found:
            return None
        try:
            state = json.loads(found[0]["state"])
        except (ValueError, TypeError, RecursionError):
            state = None
        if not isinstance(state, dict):
            raise _unusable(opponent, person, "it is damaged")
        return state


def _unusable(opponent: str, person: str, why: str) -> StateError:
    return StateError(
        f"what {opponent} knows of {person} cannot be used: {why}; start anew with --forget"
    )
