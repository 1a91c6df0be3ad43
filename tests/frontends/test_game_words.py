"""What opponents are called, and how a game stands in words, on every screen."""

import re

import numpy as np
import pytest

from evenmatch.app.game_words import (
    against,
    evenness,
    how_ended,
    moves_of,
    name_of,
    story_of,
    who_plays,
)
from evenmatch.frontends.cli.play import _cells
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.opponents.controller import LevelPath
from evenmatch.opponents.rating_range import title_of
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, SavedGame


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
    listed = _cells(SavedGame(saved=saved, outcome=None, begun=0, ended=0), False)[1]
    shown = (name_of(Playing(game, spec)), title_of(game, spec), against(finished), listed)
    assert shown == (name,) * 4


def test_even_is_said_to_be_at_about_your_level_and_no_other():
    assert who_plays("chess", "even:elo=1432,unsure=90") == "Evenmatch, at about your level"
    assert who_plays("chess", "pikl:elo=1500") == "Evenmatch at 1500"
    assert who_plays("go9", "mcts") == "mcts"


@pytest.mark.parametrize(
    ("game", "path", "story"),
    [
        ("chess", (1447, 1595, 1622, False, 0), "It began at about 1450, took you for 1620 by this "
         "game, and ended at 1600."),
        ("chess", (1447, 1800, 1622, True, 0), "It began at about 1450, took you for 1620 by this "
         "game, and ended at 1800, to catch up with you."),
        ("chess", (1447, 1800, 1622, False, 0), "It began at about 1450, took you for 1620 by this "
         "game, and ended at 1800, above that as it was not sure."),
        ("chess", (1447, 1020, 800, False, -1), "It began at about 1450, took you for 800 by this "
         "game, and ended at 1020, the weakest that it can play."),
        ("chess", (1447, 1452, 1444, False, 0), "It took you for 1440 by this game, and "
         "played at about 1450."),
        ("chess", (1700, 1200, 1600, False, 0), "It began at about 1700, took you for 1600 by this "
         "game, and ended at 1200, below that as it was ahead."),
        ("go9", (2300, 2610, 2580, False, 0), "It began at about 8k, took you for 5k by this "
         "game, and ended at 5k."),
    ],
)  # fmt: skip
def test_how_a_level_moved_and_why(game, path, story):
    path = LevelPath(*path)
    assert story_of(game, path) == story
    known = story_of(game, path, known=True)
    assert known == story.replace("this game", "what it knew of you and this game")


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


def finished(game, actions=(), side=1, ending="", **how):
    saved = Saved(game=game, opponent="random", side=side, seed=1, actions=tuple(actions))
    return Finished(saved=saved, outcome=Outcome(1, ending, **how), begun=0, ended=0)


def to_the_end(game_id, seed):
    """Play random legal moves to the end; return the actions."""
    line, rng = Line(get_game(game_id)), np.random.default_rng(seed)
    while line.legal:
        line.push(int(rng.choice(line.legal)))
    return line.actions


def test_how_a_game_ended_is_said_on_every_board():
    assert how_ended(finished("connect4", [3, 2, 3, 2, 3, 2, 3])) == "four in a row"
    assert how_ended(finished("connect4", [3], ending="resignation")) == "resignation"
    assert how_ended(finished("go9", ending="resignation", score=8.0)) == "resignation"
    assert how_ended(finished("connect4", [3])) == "not on the board"
    mine, theirs = re.fullmatch(
        r"(\d+) to (\d+) discs", how_ended(finished("othello6", to_the_end("othello6", 1)))
    ).groups()
    assert 0 < int(mine) + int(theirs) <= 36
    assert how_ended(finished("go9", ending="two passes", score=-3.5)) == "two passes, by 3.5"


def test_passes_are_no_moves():
    """Sixteen games of 6x6 Othello have some; a board of 36 has room for 32 moves."""
    games = [to_the_end("othello6", seed) for seed in range(16)]
    assert any(len(actions) > 32 for actions in games), "with passes"
    assert all(moves_of(finished("othello6", actions)) <= 32 for actions in games)


def test_moves_are_counted_as_the_game_counts_them():
    assert moves_of(finished("connect4", [3, 2, 3])) == 3
    line = Line(get_game("chess"))
    for word in ["e4", "e5", "Nf3"]:
        line.push(line.game.read_action(line.state, word))
    assert moves_of(finished("chess", line.actions)) == 2
