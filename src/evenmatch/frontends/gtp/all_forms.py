"""The form of each game that is played by this protocol."""

from collections.abc import Callable
from typing import Any

from evenmatch.domains import domain_of
from evenmatch.frontends.gtp.forms import Connect4Form, Form, OthelloForm
from evenmatch.frontends.gtp.go_rules import GoForm
from evenmatch.games import get_game

FORMS: dict[str, Callable[[Any], Form]] = {
    "": Form,
    "go": GoForm,
    "othello": OthelloForm,
    "connect4": Connect4Form,
}  #: by a domain's ``gtp_form``


def form_of(game_id: str) -> Form:
    """Return the form of a game at its usual size."""
    return FORMS[domain_of(game_id).gtp_form](get_game(game_id))
