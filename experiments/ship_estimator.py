"""Learn the estimators that come with evenmatch, from candidates the shipped network never saw.

    python experiments/ship_estimator.py runs/data/lichess-rapid runs/data/fide

For each dataset ours learns what its games amount to (splits tune and candidate, the same games as
in `evenmatch experiment estimator`, which measures it on others), and is written to
``nets/chess-SCALE.npz``; so are the strength scores that people of each rank show ply by ply, the
targets of SE-MCTS, to ``nets/chess-SCALE-targets.npz``. The network's card is in ``nets/chess.md``.
"""

import argparse
import datetime
from pathlib import Path

import numpy as np

from evenmatch.estimation import NetworkScorer, PooledFeatures, Ranks, fitted
from evenmatch.estimation.targets import Targets, target_curves
from evenmatch.experiments.estimator import LEARNED, MOST_SIDES, choose, known_of
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.conditions import scale_number
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.strength_head import BETA, BETA_PLAIN
from evenmatch.records.dataset import Dataset, Sides


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", type=Path, nargs="+", help="folders named as their scales")
    for folder in parser.parse_args().datasets:
        learn(folder)


def learn(folder: Path) -> None:
    """Learn from one dataset and write what was learned."""
    scale, path = folder.resolve().name, shipped_path("chess")
    net = NetworkEvaluator(path, get_game("chess"))
    dataset, ranks = Dataset.open(folder), Ranks(**net.card.ranks)
    chosen = [choose(dataset, split, ranks, MOST_SIDES[split])[0] for split in LEARNED]
    together = Sides(*(np.concatenate(parts) for parts in zip(*chosen, strict=True)))
    moves = NetworkScorer(net, scale).of_dataset(dataset, together)
    known = known_of(dataset, [together])
    method = PooledFeatures(scale_number(scale, net.card.scales), ranks)
    method.learn(moves, known.ratings, known.players)
    target = path.parent / fitted.SHIPPED[scale]
    facts = {
        "command": f"python experiments/ship_estimator.py runs/data/{scale}",
        "games": len(moves.counts),
        "players": len(np.unique(known.players)),
        "date": datetime.date.today().isoformat(),
    }
    fitted.save(method, path, net.card.scales, target, **facts)
    labels = ranks.of(known.ratings)
    curves = [target_curves(moves, together.sides, labels, x, ranks) for x in (BETA, BETA_PLAIN)]
    Targets(curves[0], curves[1], ranks).save(fitted.targets_path(scale), digest_of(path))
    size = target.stat().st_size / 1e3
    print(f"{target.name}: {len(moves.counts):,} games, {moves.moves:,} moves, {size:,.0f} kB")


if __name__ == "__main__":
    main()
