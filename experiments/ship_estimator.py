"""Learn the estimators that come with evenmatch, from candidates the shipped network never saw.

    python experiments/ship_estimator.py runs/data/lichess-rapid --maia runs/maia
    python experiments/ship_estimator.py runs/data/fide

For each dataset ours learns what its games amount to (splits tune and candidate, the same games as
in `evenmatch experiment estimator`, which measures it on others), and is written to
``nets/chess-SCALE.npz``; with ``--maia`` also as it listens to three networks of Maia, to
``nets/chess-SCALE-maia.npz``. The strength scores that people of each rank show ply by ply, the
targets of SE-MCTS, go to ``nets/chess-SCALE-targets.npz``.
"""

import argparse
import datetime
from pathlib import Path

import numpy as np

from evenmatch.estimation import NetworkScorer, PooledFeatures, Ranks, fitted
from evenmatch.estimation.targets import Targets, target_curves
from evenmatch.experiments.estimator import LEARNED, MOST_SIDES, choose, known_of
from evenmatch.frontends.estimates import maia_weights
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.conditions import scale_number
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA, BETA_PLAIN
from evenmatch.records.dataset import Dataset, Sides


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", type=Path, nargs="+", help="folders named as their scales")
    parser.add_argument("--maia", type=Path, help="folder of maia-1100, maia-1500 and maia-1900")
    asked = parser.parse_args()
    for folder in asked.datasets:
        learn(folder, maia_weights(asked.maia) if asked.maia else [])


def learn(folder: Path, maia: list[Path]) -> None:
    """Learn from one dataset and write what was learned."""
    scale, path = folder.resolve().name, shipped_path("chess-strength")
    net = NetworkEvaluator(path, get_game("chess"))
    dataset, ranks = Dataset.open(folder), Ranks(**net.card.ranks)
    chosen = [choose(dataset, split, ranks, MOST_SIDES[split])[0] for split in LEARNED]
    together = Sides(*(np.concatenate(parts) for parts in zip(*chosen, strict=True)))
    others = [NetworkEvaluator(policy, get_game("chess")) for policy in maia]
    moves = NetworkScorer(net, scale, others).of_dataset(dataset, together)
    known = known_of(dataset, [together])
    facts = {
        "command": f"python experiments/ship_estimator.py runs/data/{scale}",
        "games": len(moves.counts),
        "players": len(np.unique(known.players)),
        "date": datetime.date.today().isoformat(),
    }
    files: list[tuple[str, list[Path]]] = [(fitted.SHIPPED[scale], [])]
    if maia:
        files.append((fitted.WITH_MAIA[scale], maia))
    for name, policies in files:
        number = scale_number(scale, net.card.scales)
        method = PooledFeatures(number, ranks, policies=bool(policies))
        method.learn(moves, known.ratings, known.players)
        fitted.save(method, path, net.card.scales, path.parent / name, policies, **facts)
        print(f"{name}: {len(moves.counts):,} games, {moves.moves:,} moves")
    labels = ranks.of(known.ratings)
    curves = [target_curves(moves, together.sides, labels, x, ranks) for x in (BETA, BETA_PLAIN)]
    Targets(curves[0], curves[1], ranks).save(fitted.targets_path(scale), digest_of(path))


if __name__ == "__main__":
    main()
