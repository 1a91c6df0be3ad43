"""A terminal whose words come from a test, and what tests of it share."""

import numpy as np

from evenmatch.frontends.terminal import saves

FIRST_COLUMNS = " ".join("1234567" * 6)


class Scripted:
    """A person who types these words."""

    interactive = True

    def __init__(self, words):
        self._words = iter(words.split())

    def next(self, prompt):
        return next(self._words, None)


def saved(game):
    """Return the one unfinished game, as it was saved."""
    assert [one.name for one in saves.listed()] == [f"{game}-1"]
    return saves.read(f"{game}-1")


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
