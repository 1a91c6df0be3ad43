"""evenmatch: a board-game opponent of your strength.

Five lines play a hundred games and say how even they were::

    import evenmatch

    othello = evenmatch.get_game("othello")
    match = evenmatch.play_match("alphadda1", "mcts", othello, games=100, seed=1)
    print(match.score, match.score.elo_interval())

Names are imported when first used, so that ``import evenmatch`` is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evenmatch.errors import EvenmatchError
    from evenmatch.games import GAMES, Game, check_game, get_game, perft
    from evenmatch.games.line import Line
    from evenmatch.opponents import (
        PLAYERS,
        Controller,
        Decision,
        Engine,
        Mind,
        Opponent,
        Player,
        PlayerKind,
        Turn,
        check_controller,
        load_evaluator,
        resolve,
    )
    from evenmatch.play.arena import MatchResult, Pairing, play, play_match, round_robin
    from evenmatch.play.session import Session
    from evenmatch.ratings import BradleyTerry, Score, Sprt
    from evenmatch.search import Evaluation, Evaluator, Plan, RootStats, Search

_HOMES = {
    "errors": ("EvenmatchError",),
    "games": ("GAMES", "Game", "check_game", "get_game", "perft"),
    "games.line": ("Line",),
    "opponents": (
        "PLAYERS",
        "Controller",
        "Decision",
        "Engine",
        "Mind",
        "Opponent",
        "Player",
        "PlayerKind",
        "Turn",
        "check_controller",
        "load_evaluator",
        "resolve",
    ),
    "play.arena": ("MatchResult", "Pairing", "play", "play_match", "round_robin"),
    "play.session": ("Session",),
    "ratings": ("BradleyTerry", "Score", "Sprt"),
    "search": ("Evaluation", "Evaluator", "Plan", "RootStats", "Search"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> object:
    """Import a public name from the module that holds it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'evenmatch' has no attribute {name!r}")
    return getattr(import_module(f"evenmatch.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
