"""By how much games of a speed look stronger than their ratings to an estimator of all speeds.

A server rates blitz apart from rapid, and one number there may stand for another strength. An
estimator that learned from games of all speeds is right on average alone. For each speed the shift
that makes the estimate of one game err least is looked for on candidates. It counts if the gain is
significant there. Query people, who are others, say what it does.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import PooledFeatures
from evenmatch.estimation.estimator_files import (
    ALONE,
    SHIPPED,
    nets,
    shipped_estimator,
    shipped_fitted,
)
from evenmatch.estimation.methods import Verdicts
from evenmatch.estimation.pooled import shifted
from evenmatch.estimation.samples import known_of, with_moves
from evenmatch.estimation.scorer import NetworkScorer
from evenmatch.network.artifact import digest_of
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset, Sides, scale_names
from evenmatch.records.record import Speed
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.clusters import ClusterMean, cluster_mean

SPEEDS = Speed.bullet, Speed.blitz, Speed.rapid, Speed.classical
SHIFTS = tuple(range(-200, 201, 20))  #: Elo, that are tried
LEAST = 50  #: sides of a speed and split
QUICK_GAMES = 40

Floats = NDArray[np.float64]


class Judged(NamedTuple):
    """Sides of one speed, and what their moves say, not shifted."""

    evidence: Floats
    ratings: Floats
    players: NDArray[np.int64]


def parts(quick: bool, data: Sequence[Path], nets_given: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets_given:
        raise UsageError("the estimator that ships is asked; leave out --net")
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        scale, game_id = folder.resolve().name, dataset.form.game.id
        if scale not in SHIPPED:
            raise UsageError(f"no estimator of {scale} ships; give games of {', '.join(SHIPPED)}")
        most, least = (QUICK_GAMES, 1) if quick else (None, LEAST)
        settings = {
            "dataset": dataset.identity,
            "network": digest_of(shipped_fitted(game_id).network),
            "estimator": digest_of(nets() / ALONE.format(game_id, scale)),
            "games": most,
            "least": least,
            "shifts": list(SHIFTS),
        }
        by_key[name] = Part(settings, partial(measure, folder, scale, most, least))
    return by_key


def measure(
    folder: Path, scale: str, most: int | None, least: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return for each speed the shift by candidates, and what it does to query people."""
    dataset, estimator = Dataset.open(folder), shipped_estimator(scale, fast=True)
    method = estimator.method
    assert isinstance(method, PooledFeatures), "the method that ships"
    assert isinstance(estimator.scorer, NetworkScorer), "that of the network that ships"
    judged = {}
    for at, split in enumerate(("candidate", "query")):
        sides = chosen(dataset, split, method, most)
        moves = estimator.scorer.of_dataset(dataset, sides, partial(half_way, progress, at))
        evidence, speeds = method.evidence(moves), dataset.games["speed"][sides.games]
        ratings, players = known_of(dataset, sides)
        judged[split] = {
            speed: Judged(evidence[of], ratings[of], players[of])
            for speed in SPEEDS
            if (of := speeds == speed).sum() >= least
        }
    both = [speed for speed in SPEEDS if all(speed in found for found in judged.values())]
    return {
        "speeds": {
            speed.name: of_speed(method, judged["candidate"][speed], judged["query"][speed])
            for speed in both
        }
    }


def half_way(progress: Progress, half: int, done: int, due: int) -> None:
    """Tell of progress in the first half of the work, 0, or the second, 1."""
    progress(half * due + done, 2 * due)


def chosen(dataset: Dataset, split: str, method: PooledFeatures, most: int | None) -> Sides:
    """Return the sides of a split whose ratings the method can tell, or the first ``most``."""
    sides, ranks = with_moves(dataset, dataset.select(split=split)), method.ranks
    fits = np.flatnonzero(ranks.of(known_of(dataset, sides)[0]) > 0)[:most]
    return Sides(sides.games[fits], sides.sides[fits])


def of_speed(method: PooledFeatures, tried: Judged, asked: Judged) -> dict[str, Any]:
    """Return the shift that candidates choose, and errors without and with it, by split."""
    errors = [np.abs(off(method, tried, shift)).mean() for shift in SHIFTS]
    shift = SHIFTS[int(np.argmin(errors))]
    return {"shift": shift} | {
        split: effect(method, sides, shift)
        for split, sides in (("candidate", tried), ("query", asked))
    }


def effect(method: PooledFeatures, sides: Judged, shift: float) -> dict[str, Any]:
    """Return errors, and biases, without and with a shift; how many intervals hold the rating."""
    before, after = (off(method, sides, by) for by in (0.0, shift))
    less = cluster_mean(np.abs(after) - np.abs(before), sides.players)
    biases = [cluster_mean(one, sides.players) for one in (before, after)]
    return {
        "sides": len(sides.ratings),
        "people": len(np.unique(sides.players)),
        "error": [round(float(np.abs(one).mean()), 1) for one in (before, after)],
        "difference": told(less),
        "bias": [told(one) for one in biases],
        "held": [held(method, sides, by) for by in (0.0, shift)],
    }


def told(mean: ClusterMean) -> list[float]:
    """Return a mean and the ends of its interval."""
    return [round(float(x), 1) for x in (mean.mean, *mean.interval)]


def held(method: PooledFeatures, sides: Judged, shift: float) -> float:
    """Return how many 95% intervals hold the rating."""
    intervals = verdicts(method, sides, shift).intervals
    assert intervals is not None, "the method that ships tells intervals"
    low, high = intervals.T
    return round(float(((low <= sides.ratings) & (sides.ratings <= high)).mean()), 3)


def off(method: PooledFeatures, sides: Judged, shift: float) -> Floats:
    """Return how far estimates from single games are off, [n]."""
    return verdicts(method, sides, shift).ratings - sides.ratings


def verdicts(method: PooledFeatures, sides: Judged, shift: float) -> Verdicts:
    """Return what is thought of each game alone."""
    says = shifted(sides.evidence, method.grid, np.full(len(sides.ratings), shift))
    return method.decide(says, one_player=True)


# -- the page ------------------------------------------------------------------------------------


def counts(one: dict[str, Any]) -> bool:
    """Return whether the gain of a shift is significant on candidates."""
    return bool(one["candidate"]["difference"][2] < 0)


def page(results: Results) -> list[str]:
    """Write a table for each dataset, and which shifts count."""
    lines = [
        "Errors of ratings from one game, in Elo; 95% intervals by the jackknife over people. The "
        "shift is that of least error on candidates, in steps of "
        f"{SHIFTS[1] - SHIFTS[0]}. It counts if the gain is significant there.",
        "",
        "The estimator learned from candidates too, so what is said of query people is what "
        "counts. Shares of intervals are without and with the shift. Sets of many games were not "
        "measured.",
    ]
    for name, row in results.items():
        lines += [
            "",
            f"## {name}",
            "",
            "| speed | shift | split | sides | error without | with | difference | bias without | "
            "with | intervals that hold the rating |",
            "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        speeds = row["speeds"]
        for speed, one in speeds.items():
            for split in ("candidate", "query"):
                lines.append(table_row(speed, one["shift"], split, one[split]))
        used = [f"{speed} by {one['shift']}" for speed, one in speeds.items() if counts(one)]
        lines += ["", f"Counts: {', '.join(used) or 'none'}."]
    return lines


def table_row(speed: str, shift: float, split: str, one: dict[str, Any]) -> str:
    """Write a row of the table."""
    before, after = one["error"]
    less, (bias, left) = one["difference"], one["bias"]
    cells = [
        speed,
        f"{shift:+d}" if isinstance(shift, int) else f"{shift:+g}",
        split,
        f"{one['sides']:,}",
        f"{before:.0f}",
        f"{after:.0f}",
        f"{less[0]:+.0f} ({less[1]:+.0f} to {less[2]:+.0f})",
        f"{bias[0]:+.0f} ({bias[1]:+.0f} to {bias[2]:+.0f})",
        f"{left[0]:+.0f} ({left[1]:+.0f} to {left[2]:+.0f})",
        " and ".join(f"{share:.0%}" for share in one["held"]),
    ]
    return f"| {' | '.join(cells)} |"


EXPERIMENT = Experiment(
    "game_speeds",
    "By how much games of a speed look stronger than their ratings",
    parts,
    page,
    reads_games=True,
)
