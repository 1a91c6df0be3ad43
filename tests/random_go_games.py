"""Small datasets of random games of Go on 9x9, and a small network to begin from."""

import random

import numpy as np

from evenmatch.games import get_game
from evenmatch.workshop.datasets.build import build

GAME = get_game("go9")
LETTERS = "abcdefghi"


def random_moves(rng, plies):
    """Return the actions of a game of random moves, passes left out."""
    states, actions = GAME.initial(), []
    while len(actions) < plies:
        legal = GAME.legal_actions(states)[0][:-1]
        if not len(legal):
            break
        actions.append(int(rng.choice(legal.tolist())))
        states = GAME.after(states, np.array(actions[-1:]))
    return actions


def sgf(rng, number, ranks, result, comment="", plies=24):
    """Return a game as a line of SGF; its players are named by its number and colour."""
    moves = "".join(
        f";{'BW'[ply % 2]}[{LETTERS[action % 9]}{LETTERS[action // 9]}]"
        for ply, action in enumerate(random_moves(rng, plies))
    )
    names = f"PB[b{number}]PW[w{number}]"
    ranks = "".join(f"{key}[{rank}]" for key, rank in zip(("BR", "WR"), ranks, strict=True) if rank)
    return f"(;GM[1]SZ[9]KM[7]RE[{result}]{names}{ranks}{comment}{moves})\n"


def random_go_dataset(folder, games=24, ranks=("10k", "1d"), human="", results=True, shares=None):
    """Build a dataset; the players of a game are of one rank, in turn.

    ``human`` B or W says that the other side is a bot.
    """
    rng = random.Random(3)
    comment = f"GC[human:{human}]" if human else ""
    text = "".join(
        sgf(
            rng, number, (ranks[number % len(ranks)],) * 2,
            ("B+3", "W+R")[number % 2] if results else "?", comment,
        )
        for number in range(games)
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    path = folder / "games.sgfs"
    path.write_text(text)
    return build([path], folder / folder.name, game="go9", shares=shares or (1, 1, 0, 0))
