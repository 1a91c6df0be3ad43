"""Real chess games, position by position, in our rules and in python-chess.

    python benchmarks/chess_games.py GAMES.pgn.zst... [--games N] [--skip N]

Compares at every position of the first N games (20,000 unless told) of each file, after leaving
out ``--skip``: legal moves, the FEN, checkmate and stalemate, insufficient material, how often
the position occurred before, the half-move clock. Ends with status 1 at the first difference.
"""

import argparse
import io
import itertools
import sys
import time
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import zstandard

from evenmatch.games.chess import Chess
from evenmatch.games.chess.actions import action_of_move, move_of_action
from evenmatch.games.chess.history import COUNTERS, REPEATS

GAME = Chess()


def read_games(path, skip, most):
    """Yield the games of a file of PGN compressed by zstandard."""
    with path.open("rb") as packed:
        stream = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed))
        for _ in range(skip):
            if not chess.pgn.skip_game(stream):
                return
        for _ in range(most):
            game = chess.pgn.read_game(stream)
            if game is None:
                return
            yield game


def encoded(move):
    """Return a python-chess move as ``from | to << 6 | promotion << 12``."""
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def occurrences(board):
    """Return how often the position was on the board before, 2 for twice or more."""
    return 2 if board.is_repetition(3) else int(board.is_repetition(2))


def compare(game):
    """Return the positions of a game, ValueError at the first that differs."""
    board, state, states, facts = game.board(), GAME.initial()[0], [], []
    moves = itertools.takewhile(bool, game.mainline_moves())  # a few records have null moves
    for move in [*moves, None]:
        legal = sorted(map(encoded, board.legal_moves))
        before = occurrences(board)
        drawn = before == 2 or board.halfmove_clock >= 100 or board.is_insufficient_material()
        states.append(state)
        facts.append((legal, drawn, board.is_checkmate(), before))
        if GAME.to_fen(state) != board.fen():
            raise ValueError(f"FEN {GAME.to_fen(state)} instead of {board.fen()}")
        if move is not None:
            action = action_of_move(state, encoded(move))
            state = GAME.after(state[None], [action])[0]
            board.push(move)
    found = GAME.examine(np.array(states))
    for i, (state, fact) in enumerate(zip(states, facts, strict=True)):
        judge(state, found[0][i, : found[1][i]], found[2][i], fact)
    return len(states)


def judge(state, actions, value, fact):
    """Raise ValueError if what the rules say of a position is not ``fact``."""
    legal, drawn, mated, before = fact
    ours = sorted(int(move_of_action(state, int(action))) for action in actions)
    repeats = int(state[COUNTERS] >> REPEATS) & 3
    wanted = ([] if drawn else legal, -1.0 if mated else 0.0, before)
    if (ours, float(value), repeats) != wanted:
        raise ValueError(f"{GAME.to_fen(state)}: {(ours, float(value), repeats)}, not {wanted}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--skip", type=int, default=0)
    options = parser.parse_args()
    start, games, positions = time.perf_counter(), 0, 0
    for path in options.files:
        for game in read_games(path, options.skip, options.games):
            try:
                positions += compare(game)
            except ValueError as error:
                print(f"{path.name}, game {options.skip + games}: {error}")
                return 1
            games += 1
    spent = time.perf_counter() - start
    print(f"{games:,} games, {positions:,} positions agree ({spent:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
