"""Strength scores by rank over the course of a game (Chen et al. 2025, figure 3).

Means of SE_inf's beta over own moves of query players, 20 plies at a time. In the paper the curves
of all ranks begin at one score, for weak players know the openings of strong ones, and part later.
That is why SE-MCTS has a target for every ply (section 4.3).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import shipped_fitted
from evenmatch.estimation.move_features import STRENGTH, NetworkScorer
from evenmatch.estimation.rating_scales import ranks_of
from evenmatch.network.artifact import digest_of, read_card
from evenmatch.network.card import BETA
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch.workshop.fitting.samples import MOST_GAMES, SEED, most_sides, rate, score_sides
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.clusters import ClusterMean, cluster_mean

SPLIT = "query"
STEP, STEPS = 20, 10  #: plies that a point is the mean of, and how many points there are
LEAST_PEOPLE = 5  #: of a point
QUICK_SIDES = 4


class Point(NamedTuple):
    """The mean score of a rank at some plies."""

    mean: float
    low: float
    high: float
    people: int


Curves = Mapping[str, Mapping[int, Point]]  #: by rank, the strongest in front, and step


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets:
        raise UsageError("the network that ships is asked; leave out --net")
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        game_id = dataset.codec.game.id
        network = shipped_fitted(game_id).network
        if not read_card(network).ranks:
            raise UsageError(f"the network of {game_id} has no strength head; give other games")
        most = QUICK_SIDES if quick else most_sides(game_id)[SPLIT]
        settings = {
            "dataset": dataset.identity,
            "network": digest_of(network),
            "sides": most,
            "of_one_player": MOST_GAMES,
            "step": STEP,
            "seed": SEED,
        }
        by_key[name] = Part(settings, partial(measure, folder, network, most))
    return by_key


def measure(
    folder: Path, network: Path, most: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return the mean scores of each rank by step, and both ends of their intervals."""
    dataset, scale = Dataset.open(folder), folder.resolve().name
    net = NetworkEvaluator(network, dataset.codec.game)
    ranks = ranks_of(scale, net.card)
    rated = rate(partial(score_sides, NetworkScorer(net)), dataset, ranks, {SPLIT: most}, progress)[
        SPLIT
    ]
    moves, counts = rated.moves, rated.moves.counts
    steps = (2 * moves.places + np.repeat(rated.sides.sides, counts)) // STEP
    people, labels = np.repeat(rated.players, counts), np.repeat(rated.labels, counts)
    betas = moves.columns[STRENGTH][:, BETA].astype(float)
    curves: dict[str, dict[int, list[float]]] = {}
    for rank in range(1, 1 + ranks.count):
        curves[ranks.name(rank)] = own = {}
        for step in range(STEPS):
            here = (labels == rank) & (steps == step)
            if len(np.unique(people[here])) >= LEAST_PEOPLE:
                own[step] = point_of(cluster_mean(betas[here], people[here]), people[here])
    return {"curves": curves, "moves": int((steps < STEPS).sum())}


def point_of(mean: ClusterMean, people: np.ndarray) -> list[float]:
    """Return a `Point` as a list."""
    return [*(round(x, 4) for x in (mean.mean, *mean.interval)), len(np.unique(people))]


# -- the page ------------------------------------------------------------------------------------


def curves_of(row: dict[str, Any]) -> Curves:
    """Return the curves of a part."""
    return {
        rank: {int(step): Point(*point) for step, point in own.items()}
        for rank, own in row["curves"].items()
    }


def page(results: Results) -> list[str]:
    """Write the scores by rank, and where the outer ranks part."""
    heads = ["dataset", "outer ranks", f"apart in plies 1 to {STEP}", "largest distance"]
    heads += ["intervals do not meet at", "the stronger of neighbours is higher"]
    rows = [[name, *parting(curves_of(row))] for name, row in results.items()]
    lines = [table(heads, rows, left=(0, 1, 3, 4))]
    for name, row in results.items():
        curves = curves_of(row)
        shown = sorted({step for own in curves.values() for step in own})
        heads = [f"{STEP * step + 1}-{STEP * (step + 1)}" for step in shown]
        rows = [
            [rank, *(written(own[step]) if step in own else "" for step in shown)]
            for rank, own in curves.items()
        ]
        lines += ["", f"## {name}", "", table(["plies", *heads], rows)]
    return lines


def parting(curves: Curves) -> list[str]:
    """Return how far the outer ranks are apart at first and later, and at which steps ranks keep.

    The outer ranks are those of which there are enough people.
    """
    names = [rank for rank, own in curves.items() if own]
    strong, weak = (curves[names[at]] if names else {} for at in (0, -1))
    both = sorted(strong.keys() & weak.keys())
    if len(names) < 2 or not both:
        return ["too few people of two ranks", "", "", "", ""]
    gaps = {step: strong[step].mean - weak[step].mean for step in both}
    widest = max(gaps, key=gaps.__getitem__)
    parted = [step for step in both if strong[step].low > weak[step].high]
    first = f", first from ply {STEP * parted[0] + 1}" if parted else ""
    return [
        f"{names[0]} and {names[-1]}",
        f"{gaps[both[0]]:.2f}",
        f"{gaps[widest]:.2f} at plies {STEP * widest + 1} to {STEP * (widest + 1)}",
        f"{len(parted)} of {len(both)} steps{first}",
        orders(curves),
    ]


def written(point: Point) -> str:
    """Write a mean with half its interval."""
    return f"{point.mean:.2f} ± {(point.high - point.low) / 2:.2f}"


def orders(curves: Curves) -> str:
    """Count the steps at which a rank is above the next, of all at which both are known."""
    pairs = [
        a[step].mean > b[step].mean
        for a, b in pairwise(curves.values())
        for step in a.keys() & b.keys()
    ]
    return f"{sum(pairs)} of {len(pairs)} cases"


def plot(results: Results, path: Path) -> None:
    """Draw a panel a dataset, a line a rank."""
    from matplotlib import colormaps

    for axes in figure(path, len(results), width=5.5):
        for at, (name, row) in zip(axes, results.items(), strict=True):
            curves = curves_of(row)
            colors = colormaps["viridis"](np.linspace(0.95, 0.05, len(curves)))
            for (rank, own), color in zip(curves.items(), colors, strict=True):
                middles = [STEP * (step + 0.5) for step in own]
                means = [point.mean for point in own.values()]
                at.plot(middles, means, "o-", ms=3, color=color, label=rank)
                low, high = ([getattr(p, end) for p in own.values()] for end in ("low", "high"))
                at.fill_between(middles, low, high, color=color, alpha=0.12, lw=0)
            at.set(title=name, xlabel="ply", ylabel="strength score")
            at.grid(alpha=0.3)
            at.legend(frameon=False, fontsize=7)


EXPERIMENT = Experiment(
    "score_curves",
    "Strength scores by rank over the course of a game (Chen et al. 2025, figure 3)",
    parts,
    page,
    plot,
    reads_games=True,
)
