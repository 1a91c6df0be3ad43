"""ACE's algorithm 1: search parameters fitted to people's moves, class by class ("Playing chess at
a human desired level and style", 2019, section 4.1).

Fitted on moves of split tune, judged on those of split candidate: other people. The shipped network
is conditioned on the middle of the class, or its rating is left unknown; networks given as well get
no ratings. With those, as in the paper, theta alone makes the classes differ. What moves cost
before is under ``START``, where the descent begins; the paper does not say where its own does.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.conditions import rating_condition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.opponents.ace import Theta
from evenmatch.progress import Progress
from evenmatch.search import CachedEvaluator, Plan, Search
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.ace2019.descent import Searched, Step, cross_entropy, descend
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import CLASSES, SIMULATIONS, WIDTH
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves

SEED = 12
UNKNOWN = "ours, rating unknown"  #: the shipped network, without a rating
POSITIONS = 400
REMEMBERED = 1 << 18  # positions, of 8 KB each: searches under thetas nearby meet the same
QUICK = 12, 6
START = Theta()  # visits and priors as they are, and about Leela's c_puct
MOST_STEPS = 20
NEAR = 0.2  #: by which tau times t may be off 1 to be called near


class Base(NamedTuple):
    """A network to which theta is fitted."""

    path: Path
    scale: str | None  #: of the ratings it is conditioned on; None: unconditioned
    settings: dict[str, Any]


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset and network one part for each class."""
    opened = [Dataset.open(folder) for folder in data]
    by_key: dict[str, Part] = {}
    for folder, scale in zip(data, scale_names(opened), strict=True):
        for name, base in bases(scale, nets).items():
            for label, lowest in CLASSES.items():
                by_key[f"{scale}, {name}: {label}"] = fitting(folder, base, lowest, quick)
    return by_key


def bases(scale: str, nets: Sequence[Path]) -> dict[str, Base]:
    """Return the networks by name: the shipped one with the rating, without it, and ``nets``.

    UsageError if two have one name.
    """
    shipped = shipped_path("chess")
    found = {"ours": Base(shipped, scale, {}), UNKNOWN: Base(shipped, None, {"told": False})}
    for path in nets:
        if path.stem in found:
            raise UsageError(f"two networks are named {path.stem}; rename one")
        found[path.stem] = Base(path, None, {})
    return found


def fitting(folder: Path, base: Base, lowest: int, quick: bool) -> Part:
    """Return the part that fits theta to a class."""
    positions, simulations = QUICK if quick else (POSITIONS, SIMULATIONS)
    settings = {
        "dataset": Dataset.open(folder).identity,
        "network": digest_of(base.path),
        "from": lowest,
        "start": START.values,
        "positions": positions,
        "simulations": simulations,
        "seed": SEED,
        **base.settings,
    }
    work = partial(fit, folder, base.path, base.scale, lowest, positions, simulations)
    return Part(settings, work)


def fit(
    folder: Path,
    path: Path,
    scale: str | None,
    lowest: int,
    positions: int,
    simulations: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Fit theta to one class with one network, and judge it."""
    dataset, game = Dataset.open(folder), get_game("chess")
    network = NetworkEvaluator(path, game)
    evaluator = CachedEvaluator(network, game, REMEMBERED)
    plan = Plan(simulations=simulations)
    if scale is not None:
        rated = rating_condition(lowest + WIDTH / 2, scale, network.card)
        plan = replace(plan, **rated._asdict())

    def searches(moves: DrawnMoves) -> partial[Searched]:
        search = Search(game, evaluator, trees=len(moves.states), nodes=simulations + 8)
        return partial(look, search, moves, plan)

    learned, held_out = (
        drawn_moves(dataset, split, (lowest, lowest + WIDTH), positions, SEED)
        for split in ("tune", "candidate")
    )
    steps: list[Step] = []
    for step in descend(searches(learned), learned.actions, START):
        steps.append(step)
        progress(len(steps), MOST_STEPS)
        if len(steps) == MOST_STEPS:
            break
    search = searches(held_out)
    first, last = steps[0].theta, steps[-1].theta
    before, after = search(START), search(last)
    unfitted = costs(before, held_out.actions, START.temperature)
    fitted = costs(after, held_out.actions, last.temperature)
    assert held_out.people is not None
    judged = partial(mean_by_people, people=held_out.people)
    return {
        "theta": values(last),
        "descent": [[*values(step.theta), round(step.loss, 5)] for step in steps],
        "moves": [len(learned.actions), len(held_out.actions)],
        "people": len(np.unique(held_out.people)),
        "loss_before": judged(unfitted),
        "loss_before_best_temperature": judged(costs(before, held_out.actions, first.temperature)),
        "loss_after": judged(fitted),
        "gain": judged(unfitted - fitted),
        "foreseen_before": hits(before, held_out.actions),
        "foreseen_after": hits(after, held_out.actions),
    }


def look(search: Search, moves: DrawnMoves, plan: Plan, theta: Theta) -> Searched:
    """Search all positions under a theta, with the same random numbers every time."""
    rows = np.arange(len(moves.states))
    search.plant(rows, moves.states, 1 + rows.astype(np.uint64))
    stats = search.run(rows, theta.plan(plan))
    return Searched(stats.visits, stats.legal)


def values(theta: Theta) -> list[float]:
    """Return tau, t and c_puct, rounded."""
    return [round(x, 4) for x in theta.values]


def costs(found: Searched, actions: NDArray, temperature: float) -> NDArray[np.float64]:
    """Return the cross-entropy of each move, [n]."""
    return np.array(
        [
            cross_entropy(Searched(found.visits[[i]], found.legal[[i]]), actions[[i]], temperature)
            for i in range(len(actions))
        ]
    )


def mean_by_people(each: NDArray[np.float64], people: NDArray[np.int64]) -> list[float]:
    """Return the mean of what each move has [n], with its 95% interval by ``people`` [n]."""
    estimate = cluster_mean(each, people)
    return [round(x, 4) for x in (estimate.mean, *estimate.interval)]


def hits(found: Searched, actions: NDArray) -> int:
    """Count the moves that are the most visited action."""
    return int((np.where(found.legal, found.visits, -1).argmax(1) == actions).sum())


def page(results: Results) -> list[str]:
    """Write the thetas, and their ranges over the classes."""
    rows: list[list[str]] = []
    by_base: dict[str, list[dict[str, Any]]] = {}
    for key, row in results.items():
        by_base.setdefault(key.rpartition(": ")[0], []).append(row)
        losses = [
            "{:.3f} ({:.3f} to {:.3f})".format(*row[name])
            for name in ("loss_before", "loss_before_best_temperature", "loss_after", "gain")
        ]
        count = row["moves"][1]
        shares = [f"{row[f'foreseen_{when}'] / count:.1%}" for when in ("before", "after")]
        theta = [f"{x:.2f}" for x in row["theta"]]
        steps = str(len(row["descent"]) - 1)
        rows.append([key, *theta, f"{count} ({row['people']})", *losses, steps])
        rows[-1].append(" -> ".join(shares))
    heads = ["", "tau", "t", "c_puct", "moves (people)", "before", "tau alone", "fitted", "gain"]
    ranges = ["", "gain surely above 0", "tau", "t", "C_puct", "tau times t"]
    ranges += [f"C_puct above {START.c_puct:g}", f"tau times t within {NEAR:g} of 1"]
    return [
        table([*heads, "steps", "predicted"], rows),
        "",
        table(ranges, [[name, *over_classes(some)] for name, some in by_base.items()]),
    ]


def over_classes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return how many gains are sure, and the ranges of theta, over the classes of a network."""
    tau, t, c_puct = np.array([row["theta"] for row in rows]).T
    ranges = [f"{own.min():.2f} to {own.max():.2f}" for own in (tau, t, c_puct, tau * t)]
    sure = sum(row["gain"][1] > 0 for row in rows)
    counts = sure, (c_puct > START.c_puct).sum(), (np.abs(tau * t - 1) <= NEAR).sum()
    first, *rest = (f"{count} of {len(rows)}" for count in counts)
    return [first, *ranges, *rest]


EXPERIMENT = Experiment(
    "theta_fit",
    "Search parameters fitted to people's moves (ACE, algorithm 1)",
    parts,
    page,
    reads_games=True,
)
