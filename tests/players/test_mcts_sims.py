"""How many random games `mcts` plays by default."""

import pytest

from evenmatch.games import get_game
from evenmatch.players import make_player
from evenmatch.strength.controller import View


@pytest.mark.parametrize(
    ("game", "sims"), [("connect4", 300), ("chess", 300), ("go9", 300), ("go13", 720), ("go", 1500)]
)
def test_large_boards_have_more_random_games(game, sims):
    player = make_player("mcts", get_game(game))
    assert player.make_controller().plan(View(0, 1, None)).simulations == sims
    player = make_player("mcts:sims=7", get_game(game))
    assert player.make_controller().plan(View(0, 1, None)).simulations == 7
