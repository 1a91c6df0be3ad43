"""Small datasets of random legal chess games, made by python-chess."""

import random
from functools import cache

import chess
import chess.engine
import chess.pgn

from evenmatch.workshop.datasets.build import build


def random_game(rng: random.Random, number: int, players: int, ratings: tuple[int, int]) -> str:
    """Return a PGN of 30 random plies with evals, but for a few; results alternate."""
    board, node = chess.Board(), (game := chess.pgn.Game())
    result = ("1-0", "0-1", "1/2-1/2")[number % 3]
    tags = {"White": f"w{players}", "Black": f"b{players}", "Result": result}
    tags |= {"WhiteElo": str(ratings[0]), "BlackElo": str(ratings[1])}
    game.headers.update(tags)
    for _ in range(30):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        board.push(move)
        node = node.add_variation(move)
        if rng.random() < 0.9:
            node.set_eval(chess.engine.PovScore(chess.engine.Cp(rng.randint(-300, 300)), True))
    return f"{game}\n\n"


def random_dataset(folder, games=60, shares=(1, 0, 0, 0), bands=((1050, 1250),), each=1):
    """Build a dataset of random games; ``bands`` are pairs of ratings, in turn.

    Every two players meet ``each`` times, and nobody else.
    """
    path = folder / "games.pgn"
    path.write_text(_games(games, tuple(bands), each))
    return build([path], folder / "dataset", shares=shares)


@cache
def _games(games: int, bands: tuple[tuple[int, int], ...], each: int) -> str:
    rng, pairs = random.Random(3), len(bands)
    players = [n % pairs + pairs * (n // (pairs * each)) for n in range(games)]
    return "".join(random_game(rng, n, players[n], bands[n % pairs]) for n in range(games))
