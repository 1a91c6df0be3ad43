"""What an estimate loses where every second move of later games is judged.

    python benchmarks/judged_moves.py runs/data/go/ogs [--sides N] [--json OUT]

Sides of people of split *query*, whom nothing was learned from, are drawn as the experiment
`estimator` draws them, and all their moves are judged. Then twenty games of one rank are drawn
again and again. The rank is told twice: from all moves, and as `evenmatch estimate` tells it, from
every second move of all games but the first `all_moves_games`.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.estimator_files import shipped_fitted, shipped_method
from evenmatch.estimation.move_features import PLACE, MoveFeatures
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of, people_path
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch.workshop.fitting.samples import choose, known_of, score_sides
from evenmatch_lab.provenance import code_of_script
from evenmatch_lab.result_files import made_by

GAMES, REPEATS, SEED = 20, 500, 3


def thinned(moves: MoveFeatures) -> MoveFeatures:
    """Return every second move of each game; they know their places."""
    places = np.stack([moves.places, moves.counts[moves.games]], 1).astype(np.float32)
    told = moves._replace(columns=moves.columns | {PLACE: places})
    return told.only(moves.places % 2 == 0)


def told_twice(
    whole: NDArray, half: NDArray, labels: NDArray, first: int, method
) -> dict[str, float]:
    """Return how often ranks are told right in either way, and how far the ratings differ."""
    rng, ranks = np.random.default_rng(SEED), method.ranks
    right, near, apart = [], [], []
    for rank in range(1, 1 + ranks.count):
        drawn = rng.choice(np.nonzero(labels == rank)[0], (REPEATS, GAMES))
        all_moves = method.decide(whole[drawn].sum(1))
        fewer = method.decide(whole[drawn[:, :first]].sum(1) + half[drawn[:, first:]].sum(1))
        guesses = np.stack([all_moves.ranks, fewer.ranks])
        right.append((guesses == rank).mean(1))
        near.append((np.abs(guesses - rank) <= 1).mean(1))
        apart.append(np.abs(all_moves.ratings - fewer.ratings).mean())
    names = "all moves", "every second of later games"
    shares = {f"right, {name}": x for name, x in zip(names, np.mean(right, 0), strict=True)}
    shares |= {f"within one, {name}": x for name, x in zip(names, np.mean(near, 0), strict=True)}
    return {name: round(float(x), 4) for name, x in shares.items()} | {
        "mean difference of ratings": round(float(np.mean(apart)), 1)
    }


def tell(done: int, due: int) -> None:
    """Say how many moves are judged."""
    print(f"judged {done:,} of {due:,} moves", file=sys.stderr, flush=True)


def main() -> None:
    """Measure, print, and write JSON where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", type=Path, metavar="DATASET")
    parser.add_argument("--sides", type=int, default=20, metavar="N", help="of each rank")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    dataset = Dataset.open(options.dataset)
    game, (scale,) = dataset.codec.game.id, scale_names([dataset])
    first = game_info(game).all_moves_games
    if first is None:
        parser.error(f"every move of {game} is judged; give a dataset of go")
    method = shipped_method(scale)
    sides, labels = choose(dataset, "query", method.ranks, options.sides)
    moves = score_sides(shipped_fitted(game).scorer([scale], game), dataset, sides, tell)
    found = told_twice(
        method.evidence(moves), method.evidence(thinned(moves)), labels, first, method
    )
    people = len(np.unique(known_of(dataset, sides)[1]))
    facts = {"sides": len(labels), "people": people, "games": GAMES, "seed": SEED, **found}
    for name, value in facts.items():
        print(f"{name}: {value}")
    if options.json:
        networks = {f"{game} people": digest_of(people_path(game))}
        made = made_by(code_of_script(__file__, "main"), networks)
        options.json.write_text(json.dumps({"made": made} | facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
