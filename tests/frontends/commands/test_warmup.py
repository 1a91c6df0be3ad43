"""`evenmatch warmup` goes through all players, those too that do not play a game."""

from evenmatch.frontends.commands import warmup
from evenmatch.games import GAMES


def test_players_that_do_not_play_a_game_are_passed_over():
    assert "chess alone, not connect4" in warmup._players(GAMES["connect4"])
