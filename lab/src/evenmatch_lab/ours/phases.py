"""How well ratings are told from the opening, the middle game or the ending of somebody's games.

Of people of split query, as `evenmatch estimate --phases` tells it. Their rating in a phase is not
known; it is compared with the rating of the person, from which it may truly differ.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import MoveFeatures, PooledFeatures
from evenmatch.estimation.estimator_files import OF_PHASE, heard, nets, shipped_fitted
from evenmatch.estimation.phases import PHASES, phases_of, says_something
from evenmatch.estimation.samples import SEED, known_of, turn_of_each
from evenmatch.games.catalog import SOURCES, game_info
from evenmatch.network.artifact import digest_of, graph_digest
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset, scale_names
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared import one_person
from evenmatch_lab.shared.one_person import NUMBERS, PEOPLE

QUICK_PEOPLE = 3
WHOLE = "whole games"


def parts(quick: bool, data: Sequence[Path], nets_given: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets_given:
        raise UsageError("the estimators that ship are asked; leave out --net")
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    people = QUICK_PEOPLE if quick else PEOPLE
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        scale, game_id = folder.resolve().name, dataset.form.game.id
        if scale not in SOURCES or not SOURCES[scale][1].phases:
            known = ", ".join(name for name, (_, source) in SOURCES.items() if source.phases)
            raise UsageError(f"no estimators of phases of {scale} ship; give games of {known}")
        settings = {
            "dataset": dataset.identity,
            "network": digest_of(shipped_fitted(game_id).network),
            "fitted": [digest_of(nets() / x.format(game_id, scale)) for x in OF_PHASE],
            "policies": [graph_digest(path) for path in heard(game_id)],
            "begins": list(game_info(game_id).phases or ()),
            "people": people,
            "seed": SEED,
        }
        by_key[name] = Part(settings, partial(measure, folder, scale, people))
    return by_key


def measure(
    folder: Path, scale: str, people: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return errors and held intervals by whole games and by each phase."""
    dataset = Dataset.open(folder)
    game_id = dataset.form.game.id
    fitted, begins = shipped_fitted(game_id), game_info(game_id).phases
    assert begins is not None, "its estimators ship"
    methods = [fitted.method(scale, game_id, bool(heard(game_id)))]
    methods += fitted.of_phases(scale, game_id)
    sides = one_person.choose(dataset, "query", methods[0].ranks, people)
    scorer = fitted.scorer([scale], game_id, bool(heard(game_id)))
    moves = scorer.of_dataset(dataset, sides, progress)
    ratings, players = known_of(dataset, sides)
    return {
        name: {
            "person": one_person.measure(method, of_phase, ratings, players),
            "told": told(method, of_phase, players),
            "moves": of_phase.moves,
        }
        for name, method, of_phase in zip(
            (WHOLE, *PHASES), methods, [moves, *phases_of(moves, begins)], strict=True
        )
    }


def told(method: PooledFeatures, moves: MoveFeatures, players: NDArray[np.int64]) -> list[float]:
    """Return the share of people whose interval says something, after each of ``NUMBERS`` games.

    Of the people who have as many games, as `one_person.measure` draws them.
    """
    evidence, shares = method.evidence(moves), []
    order = np.random.default_rng(SEED).permutation(len(players))
    turns = np.empty(len(players), np.int64)
    turns[order] = turn_of_each(players[order])
    known, counts = np.unique(players, return_counts=True)
    for number in NUMBERS:
        some = known[counts >= number]
        if len(some) < 2:  # as one_person.measure stops
            break
        summed = [evidence[(players == who) & (turns < number)].sum(0) for who in some]
        intervals = method.decide(np.stack(summed), one_player=True).intervals
        assert intervals is not None, "the method that ships tells intervals"
        says = [says_something((low, high), method.grid) for low, high in intervals.tolist()]
        shares.append(round(float(np.mean(says)), 3))
    return shares


def page(results: Results) -> list[str]:
    """Write a table for each dataset."""
    lines = [
        "Mean error of one person's rating, in Elo (95% interval from people drawn with "
        "replacement). In brackets how many of the 95% intervals hold the person's rating, and how "
        "many say enough to be told: they are narrower than three quarters of what they are before "
        "any moves.",
    ]
    for name, row in results.items():
        numbers = [one["games"] for one in row[WHOLE]["person"]]
        people = [str(one["people"]) for one in row[WHOLE]["person"]]
        middle, ending = row["settings"]["begins"]
        lines += [
            "",
            f"## {name}",
            "",
            f"The opening is the first {middle} moves of a side, the ending begins with its move "
            f"{ending + 1}.",
            "",
            "| moves of | moves | " + " | ".join(f"{n} games" for n in numbers) + " |",
            "|---|---:|" + "---:|" * len(numbers),
            f"| people | | {' | '.join(people)} |",
        ]
        for phase in (WHOLE, *PHASES):
            one = row[phase]
            cells = [
                f"{error:.0f} ({low:.0f}-{high:.0f}) [{found['held']:.0%}, {says:.0%}]"
                for found, says in zip(one["person"], one["told"], strict=True)
                for error, low, high in [found["error"]]
            ]
            lines.append(f"| {phase} | {one['moves']:,} | {' | '.join(cells)} |")
    return lines


EXPERIMENT = Experiment(
    "phases",
    "Ratings told from the opening, the middle game or the ending",
    parts,
    page,
    reads_games=True,
)
