"""ACE's algorithm 1: search parameters fitted to people's moves, class by class ("Playing chess at
a human desired level and style", 2019, section 4.1).

Fitted on moves of split tune, judged on those of split candidate: other people. The shipped network
is conditioned on the middle of the class, or its rating is left unknown; networks given besides are
told no ratings. With those, as in the paper, theta alone makes the classes differ. What moves cost
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
from evenmatch.network.conditions import asked_rating
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.search import CachedEvaluator, Plan, Search
from evenmatch.strength.theta import Searched, Step, Theta, cross_entropy, descend
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import CLASSES, SIMULATIONS, WIDTH
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.positions import DrawnMoves, drawn_moves

SEED = 12
UNKNOWN = "ours, rating unknown"  #: the shipped network, told no rating
POSITIONS = 400
REMEMBERED = 1 << 18  # positions, of 8 KB each: searches under thetas nearby meet the same
QUICK = 12, 6
START = Theta()  # visits and priors as they are, and about Leela's c_puct
MOST_STEPS = 20
NEAR = 0.2  #: by which tau times t may be off 1 to be called near


class Base(NamedTuple):
    """A network to which theta is fitted."""

    path: Path
    scale: str | None  #: of the ratings it is conditioned on; None: it is told none
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
    """Return the networks by name: the shipped one told its rating, told none, and ``nets``.

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
        rated = asked_rating(lowest + WIDTH / 2, scale, network.card)
        plan = replace(plan, **rated._asdict())

    def searches(moves: DrawnMoves) -> partial[Searched]:
        search = Search(game, evaluator, trees=len(moves.states), nodes=simulations + 8)
        return partial(look, search, moves, plan)

    learned, asked = (
        drawn_moves(dataset, split, (lowest, lowest + WIDTH), positions, SEED)
        for split in ("tune", "candidate")
    )
    steps: list[Step] = []
    for step in descend(searches(learned), learned.actions, START):
        steps.append(step)
        progress(len(steps), MOST_STEPS)
        if len(steps) == MOST_STEPS:
            break
    search = searches(asked)
    first, last = steps[0].theta, steps[-1].theta
    before, after = search(START), search(last)
    unfitted = costs(before, asked.actions, START.temperature)
    fitted = costs(after, asked.actions, last.temperature)
    assert asked.people is not None
    judged = partial(mean_by_people, people=asked.people)
    return {
        "theta": values(last),
        "descent": [[*values(step.theta), round(step.loss, 5)] for step in steps],
        "moves": [len(learned.actions), len(asked.actions)],
        "people": len(np.unique(asked.people)),
        "loss_before": judged(unfitted),
        "loss_before_best_temperature": judged(costs(before, asked.actions, first.temperature)),
        "loss_after": judged(fitted),
        "gain": judged(unfitted - fitted),
        "foreseen_before": hits(before, asked.actions),
        "foreseen_after": hits(after, asked.actions),
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
    """Write the table of thetas."""
    lines = [
        "Mean cross-entropy between people's moves and the distribution of the search, on people "
        "other than those fitted to, with 95% intervals (by the jackknife, which leaves out a "
        "person at a time, and Student's quantile): under tau = 1, t = 1, c_puct = 1.75; with "
        "tau alone fitted; and under the theta fitted. The gain has an interval of its own, from "
        "the differences move by move.",
        "",
        "| | tau | t | c_puct | moves (people) | before | tau alone | fitted | gain | steps "
        "| foreseen |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for key, row in results.items():
        tau, t, c = row["theta"]
        count = row["moves"][1]
        losses = [
            "{:.3f} ({:.3f} to {:.3f})".format(*row[name])
            for name in ("loss_before", "loss_before_best_temperature", "loss_after", "gain")
        ]
        shares = [f"{row[f'foreseen_{when}'] / count:.1%}" for when in ("before", "after")]
        lines.append(
            f"| {key} | {tau:.2f} | {t:.2f} | {c:.2f} | {count} ({row['people']}) "
            f"| {' | '.join(losses)} | {len(row['descent']) - 1} | {' -> '.join(shares)} |"
        )
    return [*lines, "", "## What agrees, what does not, and why", "", *findings(results)]


def findings(results: Results) -> list[str]:
    """Say of each network how sure the gains are and how far theta is from class to class."""
    by_base: dict[str, list[dict[str, Any]]] = {}
    for key, row in results.items():
        by_base.setdefault(key.rpartition(": ")[0], []).append(row)
    lines = []
    for name, rows in by_base.items():
        sure = sum(row["gain"][1] > 0 for row in rows)
        ranges = [
            f"{what} {min(found):.2f} to {max(found):.2f}"
            for what, found in (
                ("tau", [row["theta"][0] for row in rows]),
                ("t", [row["theta"][1] for row in rows]),
                ("C_puct", [row["theta"][2] for row in rows]),
                ("tau times t", [row["theta"][0] * row["theta"][1] for row in rows]),
            )
        ]
        lines.append(
            f"- {name}: the gain is above 0 with its whole interval in {sure} of {len(rows)} "
            f"classes. By class {', '.join(ranges)}. {like_the_policy(rows)}"
        )
    return [
        *lines,
        "",
        "The paper prints no theta and no loss to compare, and its network is another, Leela's, "
        "which did not learn from people. The greater C_puct, the more the visits follow the "
        "priors to the power of 1 / t. Moves are then drawn by the priors to the power of "
        "1 / (tau t): where that product is 1, as the policy has them. Where the rating is unknown "
        "theta alone could tell the classes apart; whether it does is in the "
        "[tournament](class_tournament.md).",
    ]


def like_the_policy(rows: Sequence[dict[str, Any]]) -> str:
    """Say in how many classes theta draws moves nearly as the policy has them."""
    greater = sum(row["theta"][2] > START.c_puct for row in rows)
    near = sum(abs(row["theta"][0] * row["theta"][1] - 1) <= NEAR for row in rows)
    return (
        f"C_puct is above the {START.c_puct:g} it began with in {greater} of {len(rows)} classes, "
        f"and tau times t is within {NEAR:g} of 1 in {near}."
    )


EXPERIMENT = Experiment(
    "theta_fit",
    "Search parameters fitted to people's moves (ACE, algorithm 1)",
    parts,
    page,
    reads_games=True,
)
