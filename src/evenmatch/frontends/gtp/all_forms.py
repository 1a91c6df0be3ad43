"""The form of each game that is played by this protocol."""

from evenmatch.frontends.gtp.forms import Connect4Form, Form, OthelloForm
from evenmatch.frontends.gtp.go_rules import SIZES, GoForm, board_of
from evenmatch.games import get_game

FORMS: dict[str, type[Form]] = {
    "othello": OthelloForm,
    "othello6": OthelloForm,
    "connect4": Connect4Form,
}


def form_of(game_id: str) -> Form:
    """Return the form of a game at its usual size."""
    if game_id in SIZES:
        return GoForm(board_of(SIZES[game_id]))
    return FORMS[game_id](get_game(game_id))
