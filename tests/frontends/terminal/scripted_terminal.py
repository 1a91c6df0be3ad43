"""A terminal whose words come from a test, and what tests of it share."""

import numpy as np

from evenmatch.profiles import Profile

FIRST_COLUMNS = " ".join("1234567" * 6)


class Scripted:
    """A person who types these words."""

    interactive = True
    live = False

    def __init__(self, words):
        self._words = iter(words.split())

    def next(self, prompt):
        return next(self._words, None)


def saved(game):
    """Return the one unfinished game, as it was saved."""
    [one] = Profile().games.unfinished()
    assert one.name == f"{game}-1"
    return one.saved


def unfinished():
    """Return the names of the unfinished games, the latest first."""
    return Profile().games.names()


def game_named(name):
    """Return an unfinished game, as it was saved."""
    return next(one.saved for one in Profile().games.unfinished() if one.name == name)


def whole_game(run, game, side, seed):
    """Play random legal moves through the pipe by asking which are legal; return the output."""
    rng = np.random.default_rng(seed)
    begin = ("play", game, "-o", "random", "--as", side, "-s", "1")
    result = run(*begin, lines="moves")  # not kept, for nothing was played
    for number in range(100):
        if result.exit_code == 0:
            return result.stdout
        assert "input ended in the middle of the game" in result.stderr
        legal = result.stdout.rpartition("Legal moves: ")[2].split("\n")[0].split()
        again = ("play", game, "--resume") if number else begin
        result = run(*again, lines=f"{rng.choice(legal)} moves")
    raise AssertionError("the game does not end")
