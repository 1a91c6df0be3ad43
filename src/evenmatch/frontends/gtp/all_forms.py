"""The form of each game that is played by this protocol."""

from collections.abc import Callable
from typing import Any

from evenmatch.frontends.gtp.forms import Connect4Form, Form, OthelloForm
from evenmatch.frontends.gtp.go_rules import GoForm
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info

FORMS: dict[str, Callable[[Any], Form]] = {
    "": Form,
    "go": GoForm,
    "othello": OthelloForm,
    "connect4": Connect4Form,
}  #: by `GameInfo.gtp_dialect`


def form_of(game_id: str) -> Form:
    """Return the form of a game at its usual size."""
    return FORMS[game_info(game_id).gtp_dialect](get_game(game_id))
