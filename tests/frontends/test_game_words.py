"""What opponents are called, and how a game stands in words, on every screen."""

import pytest

from evenmatch.frontends.commands.saved_games import _cells
from evenmatch.frontends.game_words import against, evenness, name_of, title_of
from evenmatch.profiles import Finished, Listed, Outcome
from evenmatch.sessions.saved import Saved


class Playing:
    """As much of a session as names need."""

    def __init__(self, game, opponent):
        self.game, self.opponent = type("Game", (), {"id": game}), opponent


@pytest.mark.parametrize(
    ("game", "spec", "level", "name"),
    [
        ("chess", "pikl:elo=1500", 1500.0, "Evenmatch at 1500"),
        ("chess", "human:elo=1300", 1300.0, "human at 1300"),
        ("chess", "even", None, "Evenmatch"),
        ("connect4", "random", None, "random"),
        ("connect4", "engine:cmd=/usr/games/rhino --gtp", None, "rhino"),
    ],
)
def test_one_name_while_it_is_played_in_lists_and_afterwards(game, spec, level, name):
    saved = Saved(game=game, opponent=spec, side=1, seed=1)
    finished = Finished(saved=saved, outcome=Outcome(1, "", level), begun=0, ended=0)
    listed = _cells(Listed(f"{game}-1", 0.0, saved, False, 1))[1]
    shown = (name_of(Playing(game, spec)), title_of(game, spec), against(finished), listed)
    assert shown == (name,) * 4


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "even"),
        (-0.19, "even"),
        (0.3, "you are a little ahead"),
        (-0.6, "bob is ahead"),
        (1.0, "you are winning"),
    ],
)
def test_evenness(value, words):
    assert evenness(value, "bob") == words
