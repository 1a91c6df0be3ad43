"""Games: pure rules as batched kernels over packed positions.

``GAMES`` is the one table; the command line, the docs and the tests derive from it.
"""

from evenmatch.errors import UnknownGameError, quoted
from evenmatch.games.chess import Chess
from evenmatch.games.connect4 import Connect4
from evenmatch.games.game import Game, check_game, expand, perft, random_positions
from evenmatch.games.go import Go
from evenmatch.games.othello import Othello

GAMES: dict[str, Game] = {
    game.id: game for game in (Connect4(), Othello(6), Othello(8), Chess(), Go(9), Go(13), Go(19))
}


def get_game(name: str) -> Game:
    """Return a game by id, in any case; UnknownGameError listing the valid ones if none."""
    try:
        return GAMES[name.lower()]
    except KeyError:
        raise UnknownGameError(
            f"unknown game {quoted(name)}; choose one of: {', '.join(GAMES)}"
        ) from None


__all__ = ["GAMES", "Game", "check_game", "expand", "get_game", "perft", "random_positions"]
