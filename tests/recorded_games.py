"""Texts of PGN, and games that python-chess wrote."""

import random

import chess
import chess.pgn


def tagged(moves: str, **tags: str) -> str:
    """A game as text; ``tags`` besides the players and the result."""
    known = {"Event": "rapid", "White": "Ann", "Black": "Bob", "Result": "1-0"} | tags
    lines = "".join(f'[{name} "{value}"]\n' for name, value in known.items())
    return f"{lines}\n{moves}\n\n"


def random_game(seed: int, most: int = 120) -> chess.pgn.Game:
    """A game of random moves, as python-chess has it."""
    rng = random.Random(seed)
    game = chess.pgn.Game()
    game.headers["White"], game.headers["Black"] = f"player {seed % 7}", f"player {seed % 5 + 7}"
    game.headers["WhiteElo"] = str(1000 + seed % 20 * 73)
    game.headers["Event"] = ("blitz", "rapid", "classical")[seed % 3]
    node = game
    while len(moves := list(node.board().legal_moves)) and node.ply() < most:
        node = node.add_variation(rng.choice(moves))
    game.headers["Result"] = node.board().result()
    return game


def codes(game: chess.pgn.Game) -> list[int]:
    """The moves of a game as GameRecord has them."""
    return [
        move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
        for move in game.mainline_moves()
    ]
