"""How often the first ten moves of Go are ones that the base network hardly gives.

    python benchmarks/go_openings.py players [--games 20] [--before]
    python benchmarks/go_openings.py people

Of players of a rank, by the stones that Black begins with, and of the people of the shared games.
The base network is that of the game, `go.onnx`; it hardly gives a move of less than 1%. Every
player plays both sides. Intervals (95%) are by games, of people by person. ``--before`` lets
White's first moves after handicap stones be as the network of people has them, as they once were.
"""

import argparse
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shared_folder import data_folder

from evenmatch.games.go import Go
from evenmatch.players import evaluators, make_player
from evenmatch.players.player import Turns
from evenmatch.records.go.codec import GoCodec
from evenmatch.records.record import Reason
from evenmatch_lab.shared.clusters import cluster_mean

GAME, PLIES, LEAST, SEED = Go(19), 10, 0.01, 1
SPECS = ("human:rank=8k", "human:rank=3d", "pikl:rank=8k", "pikl:rank=3d")
STONES = (0, 2, 4, 9)
FILES = {  #: of the shared folder, and how many games are read
    "ogs-human-vs-bot-other-sizes.sgfs.zst": 347,
    "ogs-people.sgfs.zst": 795,
    "ogs-human-vs-bot.sgfs.zst": 1500,
    "kgs.sgfs.zst": 600,
}
BANDS = {
    "30k-16k": 1550,
    "15k-10k": 2150,
    "9k-5k": 2650,
    "4k-1k": 3050,
    "dan": 4000,
}  #: below which
AT_ONCE = 64  #: positions
HEAD = ("of", "stones", "games", "people", "moves", "first ten under 1%", "the first", "the third")


def chances(states: NDArray[np.uint64], actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how likely the base network has each move to be, [n]."""
    found = [np.empty(0)]
    for at in range(0, len(states), AT_ONCE):
        some = states[at : at + AT_ONCE]
        logits = evaluators.network_of(GAME).evaluate(some).logits.astype(float)
        logits[~GAME.legal_mask(some)] = -np.inf
        weights = np.exp(logits - logits.max(1, keepdims=True))
        taken = weights[np.arange(len(some)), actions[at : at + AT_ONCE]]
        found.append(taken / weights.sum(1))
    return np.concatenate(found)


def played(spec: str, stones: int, games: int) -> NDArray[np.float64]:
    """Let a player play both sides; return its moves' chances [games, PLIES]."""
    start = GAME.read_position(GAME.beginning(handicap=stones or None))
    player = make_player(spec, GAME, games)
    player.begin(np.arange(games), np.ones(games, np.int8), SEED)
    history = np.repeat(start[None, None], games, 0)
    actions = np.zeros((games, 0), np.int32)
    each = np.zeros((games, PLIES))
    for ply in range(PLIES):
        moves = player.choose(Turns(np.arange(games), np.full(games, ply), history, actions))
        each[:, ply] = chances(history[:, -1].copy(), moves)
        actions = np.concatenate([actions, moves[:, None].astype(np.int32)], 1)
        after = GAME.after(history[:, -1].copy(), moves)
        history = np.concatenate([history, after[:, None]], 1)
    return each


def of_people() -> Iterable[tuple[str, str, int, int, float]]:
    """Yield of each move of people's first ten: the person, their band, stones, ply and chance."""
    codec = GoCodec(GAME)
    for name, most in FILES.items():
        told, states, actions, left = [], [], [], most
        with codec.reader(data_folder() / "go" / name) as reader:
            for batch in reader.batches(lambda fault: None):
                for game in np.flatnonzero(batch.reasons == Reason.fine)[:left].tolist():
                    left -= 1
                    state, text = GAME.initial(), batch.starts[game]
                    stones = 0
                    if text:
                        state, stones = codec.start(text)[None], _stones(text)
                    moves = batch.choices[batch.first[game] : batch.first[game + 1]][:PLIES]
                    for ply, move in enumerate(moves.tolist()):
                        side = batch.sides[game][ply % 2]
                        if side.name and side.rating > 0:
                            told.append((side.name, _band(side.rating), stones, ply))
                            states.append(state[0])
                            actions.append(move)
                        state = GAME.after(state.copy(), np.array([move]))
                if left <= 0:
                    break
        found = chances(np.array(states), np.array(actions))
        yield from ((*row, float(chance)) for row, chance in zip(told, found, strict=True))


def _stones(text: str) -> int:
    found = re.search(r"AB((?:\[..\])+)", text)
    return found[1].count("[") if found else 0


def _band(rating: int) -> str:
    return next((name for name, below in BANDS.items() if rating < below), "dan")


def share_text(hardly: NDArray[np.bool_], groups: NDArray[np.int64]) -> str:
    """Write the share of moves that the base network hardly gives, with its interval."""
    if not len(hardly):
        return ""
    mean = cluster_mean(hardly.astype(float), groups)
    if len(np.unique(groups)) < 3:
        return f"{mean.mean:.0%}"
    low, high = mean.interval
    return f"{mean.mean:.0%} ({max(low, 0):.0%} to {min(high, 1):.0%})"


def row(player: str, stones: str, games: int, people: int, found: Any) -> str:
    """Write a row of ``found``: group, ply and chance of each move, [n, 3]."""
    groups, plies, chance = np.array(found).T
    cells = [
        share_text(chance[some] < LEAST, groups[some].astype(int))
        for some in (plies >= 0, plies == 0, plies == 2)
    ]
    return f"| {player} | {stones} | {games or ''} | {people or ''} | {len(found)} | " + (
        " | ".join(cells) + " |"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("moves_of", choices=("players", "people"))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--before", action="store_true")
    asked = parser.parse_args()
    if asked.before:
        evaluators.OPENS = 0
    print(f"| {' | '.join(HEAD)} |\n|---|{'---:|' * (len(HEAD) - 1)}", flush=True)
    if asked.moves_of == "players":
        for spec in SPECS:
            for stones in STONES:
                each = played(spec, stones, asked.games)
                told = [(*at, chance) for at, chance in np.ndenumerate(each)]
                print(row(f"`{spec}`", str(stones), asked.games, 0, told), flush=True)
        return
    rows = list(of_people())
    for handicap in (False, True):
        for band in BANDS:
            some = [one for one in rows if one[1] == band and (one[2] > 1) == handicap]
            names = {name: at for at, name in enumerate(sorted({one[0] for one in some}))}
            if some:
                told = [(names[name], ply, chance) for name, _, _, ply, chance in some]
                given = "2 or more" if handicap else "none"
                print(row(f"people, {band}", given, 0, len(names), told), flush=True)


if __name__ == "__main__":
    main()
