"""How often the Connect Four network keeps what a position is worth, judged exactly.

    python benchmarks/connect4_optimal.py                      the shipped network, 200 simulations
    python benchmarks/connect4_optimal.py --net FILE --sims 50 --json docs/results/x.json

On the positions of the Test_L*_R1 files it looks at two moves: the one that tree search plays,
and the one the bare policy likes best. A move keeps the outcome if a won position stays won
and a drawn one drawn, against perfect play; in a lost position every move does. Therefore
positions where only some moves keep it, the ones that matter, are counted apart as well.

All positions are searched in one forest. The judge is connect4_search.py, with its answers in
data/connect4_optimal_moves.json; what is not there yet it finds out first, which takes long.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from connect4_judgements import (
    CACHE,
    SETS,
    Judgement,
    load_positions,
    optimal_moves,
    read_cache,
)
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from shared_folder import data_folder

from evenmatch.errors import EvenmatchError
from evenmatch.games import get_game
from evenmatch.games.game import Game, States
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search import Evaluator, Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.provenance import code_of_script
from evenmatch_lab.result_files import made_by

CONFIDENCE = 0.95


class Share(NamedTuple):
    """How many of so many positions, with Wilson's interval of the share."""

    kept: int
    positions: int

    @property
    def share(self) -> float:
        """The share kept, nan of no positions."""
        return self.kept / self.positions if self.positions else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share."""
        return wilson(self.kept, self.positions, CONFIDENCE)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.1%} [{low:.1%}, {high:.1%}]"


def wilson(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a share, (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), hits / trials
    middle = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    scale = 1 + z * z / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


# -- moves -----------------------------------------------------------------------------------


def states_after(game: Game, games: Sequence[str]) -> States:
    """Return the positions [n, S] after moves written as columns from 1."""
    states = game.initial(len(games))
    for ply in range(max(map(len, games), default=0)):
        going = np.array([len(moves) > ply for moves in games])
        actions = np.array([int(moves[ply]) - 1 for moves in games if len(moves) > ply])
        states[going] = game.after(states[going], actions)
    return states


def policy_moves(game: Game, evaluator: Evaluator, states: States) -> NDArray[np.intp]:
    """Return the legal action the bare policy likes best, [n]."""
    logits = evaluator.evaluate(states).logits
    return np.where(game.legal_mask(states), logits, -np.inf).argmax(1)


def search_moves(
    game: Game, evaluator: Evaluator, states: States, simulations: int, seed: int
) -> NDArray[np.intp]:
    """Return the action that a search of each position plays, [n]."""
    slots = np.arange(len(states))
    search = Search(game, evaluator, trees=len(states), nodes=simulations + 2)
    search.plant(slots, states, seeds_from(seed, len(states)))
    return search.run(slots, Plan(simulations=simulations)).best()


# -- shares ----------------------------------------------------------------------------------


def shares(
    moves: NDArray[np.intp], judgements: Sequence[Judgement]
) -> tuple[Share, Share]:  # of all positions, of those that matter
    """Count the moves [n] that keep the outcome."""
    kept = [bool(j.optimal >> int(a) & 1) for a, j in zip(moves, judgements, strict=True)]
    matters = [len(set(judgement.outcomes.values())) > 1 for judgement in judgements]
    chosen = [good for good, matter in zip(kept, matters, strict=True) if matter]
    return Share(sum(kept), len(kept)), Share(sum(chosen), len(chosen))


class Line(NamedTuple):
    """One kind of move on one set of positions."""

    positions: str  # the set
    move: str
    every: Share  # of all positions
    matters: Share  # of those where some legal action loses the outcome

    @property
    def plain(self) -> dict[str, object]:
        """The line for JSON; without positions a share is null."""
        line: dict[str, object] = {"set": self.positions, "move": self.move}
        for prefix, share in (("", self.every), ("matters_", self.matters)):
            low, high = share.interval
            line |= {
                f"{prefix}positions": share.positions,
                f"{prefix}kept": share.kept,
                f"{prefix}share": share.share if share.positions else None,
                f"{prefix}low": low,
                f"{prefix}high": high,
            }
        return line


def lines_of(
    sets: dict[str, list[Judgement]], moves: dict[str, NDArray[np.intp]]
) -> Iterator[Line]:
    """Yield a line for each set, and for all of them, with each kind of move [all positions]."""
    every = [judgement for judgements in sets.values() for judgement in judgements]
    start = 0
    for name, judgements in [*sets.items(), ("all", every)]:
        start = 0 if name == "all" else start
        for kind, actions in moves.items():
            span = actions[start : start + len(judgements)]
            yield Line(name, kind, *shares(span, judgements))
        start += len(judgements)


def table_of(lines: list[Line]) -> Table:
    """Return the lines as a table for people."""
    table = Table(title="Moves that keep the outcome of the position (95% intervals)")
    table.add_column("positions")
    table.add_column("move")
    table.add_column("of all", justify="right")
    table.add_column("of those where it matters", justify="right")
    for line in lines:
        name = f"{line.positions} ({line.every.positions})"
        matters = f"{line.matters} of {line.matters.positions}"
        table.add_row(name, line.move, f"{line.every}", matters)
    return table


# -- the command line ------------------------------------------------------------------------


def judged(options: argparse.Namespace) -> dict[str, dict[str, Judgement]]:
    """Return the judgements to measure by: those of each file by moves."""
    files = [options.data / name for name in SETS]
    if options.judged:
        known = read_cache(options.cache)
    else:
        known = optimal_moves(files, options.cache, progress=_tell)
    sets = {
        file.name: {moves: known[moves] for moves, _ in load_positions(file) if moves in known}
        for file in files
    }
    return {name: judgements for name, judgements in sets.items() if judgements}


def measure(options: argparse.Namespace) -> list[Line]:
    """Judge the moves of the network on all positions of the files."""
    sets = judged(options)
    game = get_game("connect4")
    evaluator = NetworkEvaluator(options.net or shipped_path(game.id), game)
    states = states_after(game, [moves for known in sets.values() for moves in known])
    moves = {
        f"search, {options.sims} simulations": search_moves(
            game, evaluator, states, options.sims, options.seed
        ),
        "bare policy": policy_moves(game, evaluator, states),
    }
    return list(lines_of({name: list(known.values()) for name, known in sets.items()}, moves))


def _tell(path: Path, done: int, due: int) -> None:
    if done % 100 == 0 or done == due:
        print(f"judged {path.name}: {done} of {due}", file=sys.stderr, flush=True)


def main() -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, help="folder of the Test_L*_R1 files")
    parser.add_argument("--net", type=Path, metavar="FILE", help="instead of the shipped network")
    parser.add_argument("--sims", type=int, default=200, metavar="N", help="simulations")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--judged", action="store_true", help="only positions judged before")
    parser.add_argument("--cache", type=Path, default=CACHE, help="judgements to read and write")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    options.data = options.data or data_folder() / "connect4"
    try:
        lines = measure(options)
    except EvenmatchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    Console().print(table_of(lines))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        network = digest_of(options.net or shipped_path("connect4"))
        made = made_by(code_of_script(__file__, "measure"), {"connect4": network})
        found = {"made": made, "rows": [line.plain for line in lines]}
        options.json.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
