"""Chess perft to the known depths, and how fast the rules are.

    python benchmarks/chess_perft.py

Ends with status 1 if a count is wrong. Then reports, for positions of random games in a batch,
how many a second ``advance`` and ``generate`` make together, and how many become planes.
"""

import sys
import time

import numpy as np

from evenmatch.games import random_positions
from evenmatch.games.chess import Chess
from evenmatch.games.chess.moves import BOARD_WORDS, MAX_LEGAL, perft
from evenmatch.games.chess.planes import LEELA_PLANES, alphazero_planes, leela_planes

#: chessprogramming.org, "Perft Results": counts from depth 1 on
KNOWN = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (
        20, 400, 8902, 197281, 4865609, 119060324,
    ),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (
        48, 2039, 97862, 4085603, 193690690,
    ),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (
        14, 191, 2812, 43238, 674624, 11030083, 178633661,
    ),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (
        6, 264, 9467, 422333, 15833292,
    ),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (
        44, 1486, 62379, 2103487, 89941194,
    ),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (
        46, 2079, 89890, 3894594, 164075551,
    ),
}  # fmt: skip


def count(fen, depth):
    """Return (sequences, seconds) of a perft."""
    room = np.empty((depth, BOARD_WORDS), np.uint64), np.empty((depth, MAX_LEGAL), np.int16)
    start = time.perf_counter()
    found = perft(Chess().from_fen(fen)[:BOARD_WORDS], depth, *room)
    return found, time.perf_counter() - start


def check():
    """Compare all counts; return whether they agree."""
    good, nodes, seconds = True, 0, 0.0
    for fen, counts in KNOWN.items():
        for depth, known in enumerate(counts, 1):
            found, spent = count(fen, depth)
            nodes, seconds = nodes + found, seconds + spent
            good &= found == known
            print(f"{fen} depth {depth}: {found:,} {'ok' if found == known else f'not {known:,}'}")
    print(f"{nodes:,} sequences in {seconds:.1f} s: {nodes / seconds:,.0f} a second, one core")
    return good


def some_positions(number):
    """Return positions [number, 32] of random games, 10 to 110 plies from the start."""
    game, kept = Chess(), []
    for ply, states in enumerate(random_positions(game, number // 20, seed=1)):
        if ply % 5 == 0 and 10 <= ply < 110:
            kept.append(states)
    states = np.concatenate(kept)
    return states[np.random.default_rng(2).permutation(len(states))][:number]


def best_of(work, times=15):
    """Return the seconds of the quickest of several runs."""
    work()
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def rates(number=4096):
    """Print positions a second on one core."""
    game = Chess()
    states = some_positions(number)
    actions, counts, values = game.examine(states)
    states, actions = states[counts > 0], actions[counts > 0]
    picks = np.random.default_rng(3).integers(0, counts[counts > 0])
    chosen = actions[np.arange(len(states)), picks].astype(np.int32)
    after = np.empty_like(states)

    def both():
        game.advance(states, chosen, after)
        game.generate(after, actions, counts[: len(after)], values[: len(after)])

    seconds = {
        "advance": best_of(lambda: game.advance(states, chosen, after)),
        "advance and generate": best_of(both),
    }
    out = np.empty((len(states), game.planes, 64), np.float32)
    seconds["planes of AlphaZero"] = best_of(lambda: alphazero_planes(states, out))
    leela = np.empty((len(states), LEELA_PLANES, 64), np.float32)
    seconds["planes of Leela"] = best_of(lambda: leela_planes(states, leela))
    print(f"{len(states)} positions of random games, {counts.mean():.1f} moves each, one core:")
    for name, spent in seconds.items():
        print(f"  {name}: {len(states) / spent:,.0f} positions a second")


if __name__ == "__main__":
    agreed = check()
    rates()
    sys.exit(0 if agreed else 1)
