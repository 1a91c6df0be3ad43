"""Keys and look-ups that rows of the table of players share."""

from collections.abc import Mapping
from typing import TypeVar

from evenmatch.errors import SpecError
from evenmatch.games.catalog import CATALOG
from evenmatch.games.game import Game
from evenmatch.players.spec import Key

T = TypeVar("T")

SIMULATIONS = {info.game: info.simulations for info in CATALOG.values()}
SIMS = Key(int, SIMULATIONS, "positions it looks at for a move: more is stronger")
NET = Key(str, None, "a network file of yours", "the one that ships")
PER_GAME = "fitted to each game"


def settings_of(game: Game, table: Mapping[str, T]) -> T:
    """Return what a table by game id holds for a game; SpecError if nothing."""
    if game.id not in table:
        raise SpecError(f"this player has no settings for {game.id}; it plays {', '.join(table)}")
    return table[game.id]
