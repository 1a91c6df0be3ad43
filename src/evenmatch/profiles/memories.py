"""What players learned of a person from game to game.

A player is its name and spec: another spec is a stranger. Two games may go on at once: what each
taught is added to what is known when it ends.
"""

import json
import math
from typing import Any

from evenmatch.errors import StateError
from evenmatch.players import Player
from evenmatch.profiles.database import Database
from evenmatch.profiles.people import person_number


class Memories:
    """The memories of a profile; a `Store` of sessions."""

    def __init__(self, database: Database):
        self._database = database

    def recall(self, player: Player, game_id: str, opponent: str, person: str) -> bool:
        """Let a player's next game go on from what it knows; False if it knows nothing.

        Raises StateError, saying how to mend it, where what is known does not fit the player.
        """
        try:
            state = self._read(game_id, opponent, person)
        except OSError:  # one can play without; that the game cannot be saved is told
            state = None
        if state is None:
            player.forget(0)
            return False
        try:
            player.recall(0, state)
        except StateError as error:
            raise _unusable(opponent, person, str(error).partition(";")[0]) from None
        return True

    def learn(
        self,
        player: Player,
        game_id: str,
        opponent: str,
        person: str,
        result: float | None,
        anew: bool = False,
    ) -> None:
        """Let a player hear the result of its game, and keep what it knows then, if it learns.

        What other games taught meanwhile is kept too; ``anew``: what was known before is not.
        Raises OSError if it cannot be written, StateError as `recall`; the player has heard in any
        case.
        """
        heard = False
        try:
            with self._database.changing() as connection:
                player.rebase(0, None if anew else self._read(game_id, opponent, person))
                player.finish(0, result)
                heard = True
                state = player.remember(0)
                if state is not None:
                    who = person_number(connection, person)
                    connection.execute(
                        "INSERT OR REPLACE INTO memory (game_id, opponent, person, state) "
                        "VALUES (?, ?, ?, ?)",
                        (game_id, opponent, who, json.dumps(state)),
                    )
        finally:
            if not heard:
                player.finish(0, result)

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
