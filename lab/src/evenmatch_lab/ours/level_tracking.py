"""A person's level after 1 to 20 games, from moves, from results, and from both: ours.

For people of split query, whom neither the network nor the estimator saw. A belief over ratings is
what `evenmatch me` shows; beside it stands Glicko-2, by results alone. Games come in the order of
their months; within a month the order is drawn. The rating that is to be estimated after some games
is the mean of those that the person's games had in the month of the last of them. How fast people
change is measured in docs/results/rating_drift.json.

How alike the results of one person are beyond the ratings is fitted to people of splits tune and
candidate: the correlation under which results alone say most of their ratings.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import (
    SHIPPED,
    shipped_file,
    shipped_fitted,
    shipped_method,
)
from evenmatch.estimation.level import (
    DRIFT,
    OF_RESULTS,
    OF_STRANGERS,
    UNSURE,
    GameSays,
    level,
    result_says,
)
from evenmatch.estimation.move_features import EVALS, MoveFeatures
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of
from evenmatch.opponents.rated import requested_rating
from evenmatch.profiles.levels import first_guess
from evenmatch.progress import Progress
from evenmatch.ratings.belief import Belief
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset, Sides, scale_names
from evenmatch.workshop.fitting.samples import SEED, known_of, score_sides, turn_of_each, with_moves
from evenmatch_lab.pages import table as table_of
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared import glicko2
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.game_months import DAYS, months_of

NUMBERS = (1, 3, 5, 10, 20)  #: games
CORRELATIONS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)  #: of results, that are tried
FIT = "correlation of results"
PEOPLE = 400  #: at most
QUICK_PEOPLE = 5
OPPONENT_DEVIATION = 60.0  #: that Glicko-2 is told of opponents: rated people who play often
KINDS = (
    "moves",  # alone
    "moves with evaluations",  # alone, with the evaluations that the games have
    "results",  # alone
    "both",  # moves, results and a first guess, as `evenmatch me` reports it
    "Glicko-2",  # results alone, from 1500 and a deviation of 350, a game a period
)


class Told(NamedTuple):
    """What is said of a person after some games."""

    rating: float
    low: float
    high: float
    density: float  #: log of the density at the true rating, a point


def parts(quick: bool, data: Sequence[Path], nets_given: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets_given:
        raise UsageError("the estimator that ships is asked; leave out --net")
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        scale = folder.resolve().name
        if scale not in SHIPPED:
            raise UsageError(f"no estimator of {scale} ships; give games of {', '.join(SHIPPED)}")
        game_id = dataset.codec.game.id
        people = QUICK_PEOPLE if quick else PEOPLE
        settings = {
            "dataset": dataset.identity,
            "network": digest_of(shipped_fitted(game_id).network),
            "estimator": digest_of(shipped_file(scale)),
            "order": "by month",
            "people": people,
            "games": list(NUMBERS),
            "unsure": UNSURE,
            "opponents": OPPONENT_DEVIATION,
            "seed": SEED,
        }
        own = {key: settings[key] for key in ("dataset", "people", "games", "unsure", "seed")}
        own["shares"] = "by Kalman's filter"
        by_key[f"{name}, {FIT}"] = Part(
            own | {"correlations": list(CORRELATIONS)},
            partial(fit_correlation, folder, scale, people),
        )
        by_key[name] = Part(
            settings
            | {
                "of_results": OF_RESULTS,
                "drift": DRIFT,
                "guess": [requested_rating(game_id), OF_STRANGERS[game_info(game_id).written]],
                "shares": own["shares"],
            },
            partial(measure, folder, scale, people),
        )
    return by_key


def fit_correlation(
    folder: Path, scale: str, people: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return the mean log score of results alone under each correlation, by number of games."""
    dataset, method = Dataset.open(folder), shipped_method(scale, fast=True)
    found: dict[str, dict[str, list[float]]] = {}
    for split in ("tune", "candidate"):
        sides = choose(dataset, split, method.ranks, people)
        ratings, players = known_of(dataset, sides)
        results = says_of(method, dataset, sides)
        for person in np.unique(players):
            mine = np.flatnonzero(players == person)
            truth = float(ratings[mine].mean())  # of all, as time is left out here
            for k in CORRELATIONS:
                for n in NUMBERS:
                    games = [GameSays(0, None, results[at]) for at in mine[:n]]
                    belief = level(method.grid, games, 0, correlation=0, of_results=k)
                    scores = found.setdefault(str(k), {}).setdefault(str(n), [])
                    scores.append(of_belief(belief, truth).density)
    means = {
        k: {n: round(float(np.mean(scores)), 4) for n, scores in by_number.items()}
        for k, by_number in found.items()
    }
    return {"scores": means, "people": len(next(iter(found.values()))[str(NUMBERS[0])])}


def says_of(method: Any, dataset: Dataset, sides: Sides) -> list[NDArray]:
    """Return what the result of each side's game says of ratings, [S] each."""
    pairs = zip(*results_of(dataset, sides), strict=True)
    return [result_says(method.grid, rating, points) for rating, points in pairs]


def measure(
    folder: Path, scale: str, people: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what is known of each person after each number of games, and the true ratings."""
    dataset, method = Dataset.open(folder), shipped_method(scale)
    game_id = dataset.codec.game.id
    scorer = shipped_fitted(game_id).scorer([scale], game_id, method.policies)
    sides = choose(dataset, "query", method.ranks, people)
    ratings, players = known_of(dataset, sides)
    months = months_of(dataset)[sides.games]
    moves = score_sides(scorer, dataset, sides, progress)
    said = {
        "moves": method.evidence(without_evals(moves))[:, :-1],
        "moves with evaluations": method.evidence(moves)[:, :-1],
    }
    results = says_of(method, dataset, sides)
    drawn = np.random.default_rng(SEED).permutation(len(players))
    order = drawn[np.argsort(months[drawn], kind="stable")]
    guess = first_guess(method.grid, game_id, scale)
    rows = []
    for person in np.unique(players):
        mine = order[players[order] == person]
        row = {}
        for n in NUMBERS:
            games = mine[:n]
            truth = float(ratings[mine[months[mine] == months[games[-1]]]].mean())
            told = told_after(method, said, results, months, dataset, sides, games, truth, guess)
            row[str(n)] = {"rating": round(truth, 1)} | told
        rows.append(row | {"months": int(np.ptp(months[mine]))})
    return {"people": rows, "dated": round(float((months > 0).mean()), 4)}


def choose(dataset: Dataset, split: str, ranks: Ranks, most: int) -> Sides:
    """Draw people of a split with enough games, all of them rated, and so many games of each.

    Their mean rating must be one of the ranks, for no other can be estimated.
    """
    rng, every = np.random.default_rng(SEED), with_moves(dataset, dataset.select(split=split))
    ratings, players = known_of(dataset, every)
    who, of, counts = np.unique(players, return_inverse=True, return_counts=True)
    means, rated = np.bincount(of, ratings) / counts, np.bincount(of, ratings > 0)
    fit = (counts >= NUMBERS[-1]) & (rated == counts) & (ranks.of(means) > 0) & (who >= 0)
    chosen = rng.permutation(np.flatnonzero(fit))[:most]
    shuffled = rng.permutation(len(of))
    own = shuffled[np.isin(of[shuffled], chosen)]
    kept = np.sort(own[turn_of_each(of[own]) < NUMBERS[-1]])
    return Sides(every.games[kept], every.sides[kept])


def without_evals(moves: MoveFeatures) -> MoveFeatures:
    """Return moves as of games that came without evaluations."""
    columns = moves.columns | {EVALS: np.full_like(moves.columns[EVALS], np.nan)}
    return MoveFeatures(columns, moves.counts)


def results_of(dataset: Dataset, sides: Sides) -> tuple[NDArray, NDArray]:
    """Return the opponents' ratings [G] and the points scored [G]."""
    rows, own = dataset.games[sides.games], sides.sides
    others = rows["ratings"][np.arange(len(own)), 1 - own].astype(float)
    points = (1 + rows["result"] * np.where(own == 0, 1, -1)) / 2
    return others, points


def told_after(
    method: Any,
    said: Mapping[str, NDArray],
    results: Sequence[NDArray],
    months: NDArray[np.int64],
    dataset: Dataset,
    sides: Sides,
    games: NDArray[np.int64],
    truth: float,
    guess: NDArray | None,
) -> dict[str, list[float]]:
    """Return what each kind of evidence says on the day of the last of some games."""
    told, days = {}, DAYS * months
    for kind in ("moves", "moves with evaluations", "results", "both"):
        rows = said.get(kind, said["moves"])
        with_moves, with_results = kind != "results", kind in ("results", "both")
        known = [
            GameSays(days[k], rows[k] if with_moves else None, results[k] if with_results else None)
            for k in games
        ]
        prior = guess if kind == "both" else None
        at = days[games[-1]]
        belief = level(method.grid, known, at, correlation=method.correlation, prior=prior)
        told[kind] = of_belief(belief, truth)
    chosen = Sides(sides.games[games], sides.sides[games])
    met = [
        glicko2.Met(rating, OPPONENT_DEVIATION, points)
        for rating, points in zip(*results_of(dataset, chosen), strict=True)
    ]
    player = glicko2.Glicko()
    for game in met:  # each a rating period: of many games in one, the first step overshoots
        player = glicko2.after(player, [game])
    told["Glicko-2"] = of_glicko(player, truth)
    return {kind: [round(x, 3) for x in one] for kind, one in told.items()}


def of_belief(belief: Belief, truth: float) -> Told:
    """Return what a belief says."""
    step = belief.grid[1] - belief.grid[0]
    cell = int(np.clip(np.rint((truth - belief.grid[0]) / step), 0, len(belief.grid) - 1))
    density = math.log(max(float(belief.probabilities[cell]), 1e-12) / step)
    low, high = map(float, belief.interval())
    return Told(belief.mean, low, high, density)


def of_glicko(player: glicko2.Glicko, truth: float) -> Told:
    """Return what Glicko-2 says: a normal distribution."""
    z = (truth - player.rating) / player.deviation
    density = -0.5 * z**2 - math.log(player.deviation * math.sqrt(2 * math.pi))
    far = 1.96 * player.deviation
    return Told(player.rating, player.rating - far, player.rating + far, density)


# -- the page --------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table for each dataset."""
    lines = []
    for name, row in results.items():
        if name.endswith(FIT):
            lines += ["", *fitted_lines(name.removesuffix(f", {FIT}"), row)]
        else:
            lines += ["", f"## {name}", "", *tables(row["people"])]
    return lines[1:]


def fitted_lines(name: str, row: Mapping[str, Any]) -> list[str]:
    """Write the log scores of results alone under each correlation."""
    rows = [
        [f"{k} (ships)" if float(k) == OF_RESULTS else k, *(f"{own[str(n)]:.2f}" for n in NUMBERS)]
        for k, own in row["scores"].items()
    ]
    return [
        f"## How alike results are, {name}: {row['people']} people",
        "",
        table_of(["correlation", *(f"{n} games" for n in NUMBERS)], rows, left=()),
    ]


def tables(people: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the tables of some people: each kind of evidence, and both beside each alone."""
    spans = np.percentile([one["months"] for one in people], (50, 90))
    rows = [[n, kind, *numbers_of(people, n, kind)] for n in NUMBERS for kind in KINDS]
    who, gains = np.arange(len(people)), []
    for number in (NUMBERS[0], NUMBERS[-1]):
        together = np.array([one[str(number)]["both"][3] for one in people])
        for other in ("moves", "results", "Glicko-2"):
            alone = np.array([one[str(number)][other][3] for one in people])
            low, high = cluster_mean(together - alone, who).interval
            verdict = "better" if low > 0 else "worse" if high < 0 else "undecided"
            gains.append([number, other, f"{low:+.2f} to {high:+.2f}", verdict])
    return [
        f"{len(people)} people with {NUMBERS[-1]} games or more, over {spans[0]:.0f} months "
        f"(median; nine of ten over {spans[1]:.0f} at most):",
        "",
        table_of(["games", "evidence", "error", "holds", "log score"], rows, left=(1,)),
        "",
        "Log score of both together minus that of one alone:",
        "",
        table_of(["games", "alone", "95%", "both predict"], gains, left=(1, 3)),
    ]


def numbers_of(people: Sequence[Mapping[str, Any]], number: int, kind: str) -> tuple[str, ...]:
    """Return error, coverage and log score as they are written."""
    truth = np.array([one[str(number)]["rating"] for one in people])
    told = np.array([one[str(number)][kind] for one in people])
    who = np.arange(len(people))
    squares = cluster_mean((told[:, 0] - truth) ** 2, who)
    ends = [max(x, 0.0) ** 0.5 for x in squares.interval]
    holds = cluster_mean(((told[:, 1] <= truth) & (truth <= told[:, 2])).astype(float), who)
    score = cluster_mean(told[:, 3], who)
    half = (score.interval[1] - score.interval[0]) / 2
    return (
        f"{squares.mean**0.5:.0f} ({ends[0]:.0f} to {ends[1]:.0f})",
        f"{holds.mean:.0%} ± {(holds.interval[1] - holds.interval[0]) / 2:.0%}",
        f"{score.mean:.2f} ± {half:.2f}",
    )


EXPERIMENT = Experiment(
    "level_tracking",
    "A person's level after some games: moves, results, both, and Glicko-2",
    parts,
    page,
    reads_games=True,
)
