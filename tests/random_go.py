"""Small files of random games of Go on 19x19, all of whose moves are legal."""

import numpy as np

from evenmatch.records.go.game_text import SgfGame, write_sgf

POINTS = 361
DANS = ("1d", "2d"), ("3d", "4d"), ("5d", "6d"), ("7d", "8d"), ("9d", "9d")


def random_go_game(rng, number=0, ranks=("1d", "2d"), plies=12, **told) -> SgfGame:
    """A game of stones on points of every second row and column: none is ever captured."""
    grid = [row * 19 + column for row in range(0, 19, 2) for column in range(0, 19, 2)]
    points = rng.permutation(grid)[:plies].tolist()
    facts = {
        "moves": tuple((1 - 2 * (ply % 2), point) for ply, point in enumerate(points)),
        "komi": 7.5,
        "players": (f"black {number}", f"white {number}"),
        "ranks": ranks,
        "result": "B+R" if number % 2 else "W+R",
    }
    return SgfGame(**{**facts, **told})


def random_go_games(games=120, each=3, seed=0) -> str:
    """Games of pairs of players of all dans, one a line; every two meet ``each`` times."""
    rng, pairs = np.random.default_rng(seed), len(DANS)
    lines = []
    for n in range(games):
        number = n % pairs + pairs * (n // (pairs * each))
        lines.append(write_sgf(random_go_game(rng, number, DANS[n % pairs]), one_line=True))
    return "".join(lines)
