"""Games: pure rules as batched kernels over packed positions, and the catalog of games.

``CATALOG`` in `evenmatch.games.catalog` is the one table of games; ``GAMES`` holds their rules.
Names are imported when first used, so that a look-up in the catalog compiles no kernel.
"""

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from evenmatch.errors import UnknownGameError, quoted
from evenmatch.games.catalog import CATALOG, GameInfo

if TYPE_CHECKING:
    from evenmatch.games.game import Game, check_game, expand, perft, random_positions

    GAMES: dict[str, Game]  #: by id

__all__ = ["GAMES", "Game", "check_game", "expand", "get_game", "perft", "random_positions"]


def get_game(name: str) -> "Game":
    """Return a game by id, in any case; UnknownGameError listing the valid ones if none."""
    from evenmatch.games import GAMES

    try:
        return GAMES[name.lower()]
    except KeyError:
        near = get_close_matches(name.lower(), GAMES, 1)
        meant = f"did you mean {near[0]}? The games are" if near else "choose one of"
        raise UnknownGameError(
            f"unknown game {quoted(name)}; {meant}: {', '.join(GAMES)}"
        ) from None


def _rules(info: GameInfo) -> "Game":
    module, _, name = info.rules.partition(":")
    rules = getattr(import_module(f"evenmatch.games.{module}"), name)
    return rules() if info.size is None else rules(info.size)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name == "GAMES":
        found: object = {info.game: _rules(info) for info in CATALOG.values()}
    elif name in __all__:
        found = getattr(import_module("evenmatch.games.game"), name)
    else:
        raise AttributeError(f"module 'evenmatch.games' has no attribute {name!r}")
    globals()[name] = found
    return found
