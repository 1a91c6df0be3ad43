"""How many moves that are named as mistakes are some: by one look, and confirmed by a search.

    python benchmarks/named_mistakes.py [FILE] [--games N] [--seed S] [--json OUT]

FILE is PGN of people's games of chess, by default the shared ones of Lichess. Of each game drawn
one side's moves are judged as `evenmatch me` judges them: the three that lose most by one look of
the network at each position, and the three that a search confirms. Stockfish looks at the position
before each of these moves and at the one after it. It agrees if the move is not its first choice
and loses at least 5 points of the chance to win, as Lichess works that out of centipawns.
"""

import argparse
import json
import time
from pathlib import Path

import chess
import chess.engine
import numpy as np
from shared_folder import data_folder

from evenmatch.estimation.review import LEAST_LOST, chances, confirmed, full_strength, lost_by
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.chess.text import position_of
from evenmatch.players.evaluators import load_evaluator
from evenmatch.records.codec import codec_for

FILE = "chess/lichess-rapid.pgn.zst"
OF_FIRST = 4000  #: games of the file, of which those are drawn
NAMED, BY_A_LOOK = 3, 0.01  #: moves of a game that are named, and what they lose at least by a look
NODES = 200_000  #: of Stockfish
PER_CENTIPAWN = 0.00368208  #: of Lichess's chance to win: 1 / (1 + exp(-this * centipawns))


class Stockfish:
    """What it says of a move, each asked once."""

    def __init__(self, path: str, nodes: int):
        self._engine = chess.engine.SimpleEngine.popen_uci(path)
        self._engine.configure({"Threads": 1, "Hash": 64})
        self._limit = chess.engine.Limit(nodes=nodes)

    def lost(self, board: chess.Board, move: chess.Move) -> tuple[float, bool]:
        """Return what a move loses of the chance to win, and whether it is the first choice."""
        mover = board.turn
        before = self._engine.analyse(board, self._limit, game=object())
        board.push(move)
        after = self._engine.analyse(board, self._limit, game=object())
        board.pop()
        chance, left = (_chance(found["score"].pov(mover)) for found in (before, after))
        return chance - left, before["pv"][0] == move

    def close(self) -> None:
        """End the engine."""
        self._engine.quit()


def _chance(score: chess.engine.Score) -> float:
    return float(1 / (1 + np.exp(-PER_CENTIPAWN * score.score(mate_score=10_000))))


def named(states, actions, side, judge, plan) -> dict[str, list[int]]:
    """Return the plies that are named by one look, and those that a search confirms."""
    game = get_game("chess")
    lost = lost_by(chances(judge, game, states, side), game, states, side)
    order = np.argsort(-np.nan_to_num(lost, nan=-1.0), kind="stable")
    sure = confirmed(judge, game, states, actions, lost, plan)
    return {
        "one look, 1 point": [int(p) for p in order[:NAMED] if lost[p] >= BY_A_LOOK],
        "one look, 5 points": [int(p) for p in order[:NAMED] if lost[p] >= LEAST_LOST],
        "confirmed": sorted(sure, key=lambda ply: -sure[ply])[:NAMED],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=data_folder() / FILE)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    codec, game, info = codec_for("chess"), get_game("chess"), game_info("chess")
    read = codec.games(asked.file, lambda fault: None)
    pool = [one for one, _ in zip(read, range(OF_FIRST), strict=False) if len(one.moves) >= 20]
    rng = np.random.default_rng(asked.seed)
    drawn = [pool[k] for k in rng.permutation(len(pool))[: asked.games]]
    judge, stockfish = load_evaluator(game), Stockfish(asked.stockfish, NODES)
    plan = full_strength(info.simulations, info.solves)
    counts: dict[str, dict[str, int]] = {}
    seconds = 0.0
    for number, record in enumerate(drawn, start=1):
        states = codec.played(record.moves, record.start)
        actions = np.array(codec.actions(states[:-1], record.moves), np.intp)
        started = time.perf_counter()
        found = named(states, actions, 1 if rng.random() < 0.5 else -1, judge, plan)
        seconds += time.perf_counter() - started
        told: dict[int, tuple[float, bool]] = {}
        for ply in sorted({ply for plies in found.values() for ply in plies}):
            board = position_of(states[ply])
            move = board.parse_san(game.action_text(states[ply], int(actions[ply])))
            told[ply] = stockfish.lost(board, move)
        for by, plies in found.items():
            row = counts.setdefault(by, {"named": 0, "agreed": 0, "under 5": 0, "first choice": 0})
            for ply in plies:
                lost, first = told[ply]
                row["named"] += 1
                row["agreed"] += lost >= LEAST_LOST and not first
                row["under 5"] += lost < LEAST_LOST
                row["first choice"] += first
        print(number, f"{seconds / number:.1f} s a game", json.dumps(counts), flush=True)
    stockfish.close()
    if asked.json:
        facts = {"games": asked.games, "seed": asked.seed, "nodes": NODES, "counts": counts}
        asked.json.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
