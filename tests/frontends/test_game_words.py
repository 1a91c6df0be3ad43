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
    title_of,
)
from evenmatch.frontends.cli.play import _cells
from evenmatch.games import get_game
from evenmatch.games.line import Line
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
