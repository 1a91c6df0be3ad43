"""What evaluations add to an estimate of ranks, and whether an engine here makes as good ones.

The same sides of games are judged by the estimator that ships in three ways: by moves alone, with
the evaluations that the games were recorded with, and with those that Stockfish makes here, as
`evenmatch estimate` asks it for games that have none. Query players are other people than those
that the network and the estimator learned from; how many nodes Stockfish has was chosen on
candidates.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import Method, MoveFeatures, Ranks
from evenmatch.estimation.estimator_files import (
    WITH_MAIA,
    heard,
    shipped_estimator,
    shipped_file,
    shipped_fitted,
    shipped_method,
)
from evenmatch.estimation.evaluated import as_recorded
from evenmatch.estimation.evaluated_fit import with_made
from evenmatch.estimation.move_features import EVALS
from evenmatch.estimation.rating_scales import ranks_of
from evenmatch.estimation.samples import MOST_GAMES, SEED, choose, known_of
from evenmatch.estimation.scorer import NetworkScorer
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of, graph_digest, read_card
from evenmatch.players.engine_evals import PAWN, EngineEvals, engine_there
from evenmatch.players.engine_player import engine_name
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset, scale_names
from evenmatch_lab.chen2025.accuracy import measure
from evenmatch_lab.chen2025.estimator import resampled
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.clusters import cluster_mean

SIDES, QUICK_SIDES = 500, 6  #: of each rank
NUMBERS = (1, 5, 10, 20, 26)  #: games
REPEATS = 200  #: predictions a rank in each drawing of players, for the intervals
RESAMPLES, QUICK_RESAMPLES = 200, 5
QUICK_NODES = 100
BATCH = 32  #: games between two words of progress
ALONE, RECORDED, MADE = "moves alone", "the records' evaluations", "Stockfish's, made here"
COMPARED = ((MADE, ALONE), (MADE, RECORDED), (RECORDED, ALONE))
TOLD = "exact", "within_one"

Floats = NDArray[np.float64]


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each dataset."""
    if nets:
        raise UsageError("the estimator that ships is asked; leave out --net")
    by_key, opened = {}, [Dataset.open(folder) for folder in data]
    for folder, dataset, name in zip(data, opened, scale_names(opened), strict=True):
        scale, game_id = folder.resolve().name, dataset.form.game.id
        info = game_info(game_id)
        if scale not in WITH_MAIA or not info.evaluator or not dataset.facts["sizes"]["evals"]:
            raise UsageError(f"no estimator of {scale} reads evaluations; give lichess-rapid")
        if not engine_there(info.evaluator):
            raise UsageError(f"{info.evaluator} is not installed; install it first")
        nodes = QUICK_NODES if quick else info.evaluator_nodes
        sides, resamples = (QUICK_SIDES, QUICK_RESAMPLES) if quick else (SIDES, RESAMPLES)
        settings = {
            "dataset": dataset.identity,
            "network": digest_of(shipped_fitted(game_id).network),
            "estimator": digest_of(shipped_file(scale)),
            "policies": [graph_digest(path) for path in heard(game_id)],
            "engine": [engine_name(info.evaluator), nodes, PAWN],
            "sides": sides,
            "ranks": bands(scale, dataset).count,
            "of_one_player": MOST_GAMES,
            "games": list(NUMBERS),
            "resamples": [resamples, REPEATS],
            "seed": SEED,
        }
        run = partial(judge, folder, info.evaluator, nodes, sides, resamples)
        by_key[name] = Part(settings, run)
    return by_key


def judge(
    folder: Path,
    engine: str,
    nodes: int,
    most: int,
    resamples: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Return how well ranks are told in the three ways."""
    dataset, scale = Dataset.open(folder), folder.resolve().name
    estimator = shipped_estimator(scale)
    method = shipped_method(scale).among(bands(scale, dataset))
    sides, labels = choose(dataset, "query", method.ranks, most)
    ratings, players = known_of(dataset, sides)
    games = np.unique(sides.games)
    due = len(games) + len(labels)
    made = evaluated(dataset, games, engine, nodes, lambda n, _: progress(n, due))
    assert isinstance(estimator.scorer, NetworkScorer)
    moves = estimator.scorer.of_dataset(
        dataset, sides, lambda n, of: progress(len(games) + len(labels) * n // of, due)
    )
    nothing = np.full((moves.moves, 2), np.nan, np.float32)
    ways: dict[str, MoveFeatures] = {
        ALONE: moves._replace(columns=moves.columns | {EVALS: nothing}),
        RECORDED: moves,
        MADE: with_made(dataset, sides, moves, made),
    }
    evidence = {way: method.evidence(features) for way, features in ways.items()}
    drawn = shares(method, evidence, labels, ratings, players, resamples)
    return {
        "ranks": method.ranks.count,
        "sides": len(labels),
        "people": len(np.unique(players)),
        "positions": int(dataset.games["plies"][games].sum()),
        "shares": {way: numbers_of(drawn[way]) for way in ways},
        "differences": [
            {"of": one, "from": other, **numbers_of(drawn[one] - drawn[other])}
            for one, other in COMPARED
        ],
        "one_game": one_game(method, evidence, ratings, players),
    }


def bands(scale: str, dataset: Dataset) -> Ranks:
    """Return the ranks that the experiment `estimator` tells apart."""
    return ranks_of(scale, read_card(shipped_fitted(dataset.form.game.id).network))


def evaluated(
    dataset: Dataset, games: NDArray[np.int64], engine: str, nodes: int, progress: Progress
) -> dict[int, NDArray[np.int16]]:
    """Return evaluations by an engine of games, by their numbers."""
    made: dict[int, NDArray[np.int16]] = {}
    with EngineEvals(engine, nodes) as evaluate:
        for at, end in pairwise([*range(0, len(games), BATCH), len(games)]):
            some = [int(game) for game in games[at:end]]
            records = [dataset.record(game) for game in some]
            states = [dataset.form.played(one.moves, one.start)[1:] for one in records]
            made |= dict(zip(some, map(as_recorded, evaluate(states)), strict=True))
            progress(end, len(games))
    return made


def shares(
    method: Method,
    evidence: dict[str, Floats],
    labels: NDArray[np.int64],
    ratings: Floats,
    players: NDArray[np.int64],
    resamples: int,
) -> dict[str, Floats]:
    """Return how often ranks are told right by each way, [1 + resamples, numbers, TOLD].

    The first row is of the sides as they are, with 500 predictions a rank; the others are of
    players drawn with replacement. A row is of the same games in all ways.
    """
    rng = np.random.default_rng(SEED)
    rows: dict[str, list[Floats]] = {way: [] for way in evidence}
    every = np.arange(len(labels))
    for number in range(1 + resamples):
        drawn = resampled(players, rng) if number else every
        if len(np.unique(labels[drawn])) < method.ranks.count:
            continue
        more = {"repeats": REPEATS} if number else {}
        for way, says in evidence.items():
            found = measure(
                method, says[drawn], labels[drawn], ratings[drawn], NUMBERS, seed=number, **more
            )
            rows[way].append(np.array([[one.exact, one.within_one] for one in found]))
    return {way: np.stack(of_way) for way, of_way in rows.items()}


def numbers_of(drawn: Floats) -> dict[str, list[list[float]]]:
    """Return shares, or their differences, with 95% intervals by the drawings, for each number."""
    low, high = np.quantile(drawn[1:], (0.025, 0.975), axis=0)
    table = np.stack([drawn[0], low, high], -1).round(4)
    return {name: table[:, at].tolist() for at, name in enumerate(TOLD)}


def one_game(
    method: Method, evidence: dict[str, Floats], ratings: Floats, players: NDArray[np.int64]
) -> dict[str, Any]:
    """Return by way how far the rating from one game is off, and how many intervals hold it."""
    rows = {}
    for way, says in evidence.items():
        verdicts = method.decide(says, one_player=True)
        error = cluster_mean(np.abs(verdicts.ratings - ratings), players)
        assert verdicts.intervals is not None, "the method that ships tells intervals"
        low, high = verdicts.intervals.T
        rows[way] = {
            "error": [round(float(x), 1) for x in (error.mean, *error.interval)],
            "bias": round(float((verdicts.ratings - ratings).mean()), 1),
            "held": round(float(((low <= ratings) & (ratings <= high)).mean()), 3),
        }
    return rows


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write a table of shares, one of differences, and one of single games."""
    lines = []
    for name, row in results.items():
        engine, nodes, pawn = row["settings"]["engine"]
        lines += [
            f"## {name}",
            "",
            f"{row['sides']:,} sides of games by {row['people']:,} people of split query, of "
            f"{row['ranks']} ranks alike, {row['positions']:,} positions. {engine} has {nodes:,} "
            f"nodes a position; one of its centipawns is {pawn:g} of the records'. Share of ranks "
            "told right, averaged over ranks; 95% intervals by people drawn with replacement.",
            "",
            *share_lines(row),
            "",
            "Differences in percentage points, of the same games:",
            "",
            *difference_lines(row),
            "",
            "The rating of one person from one game:",
            "",
            "| judged by | mean error (95% interval, by people) | bias | intervals that hold it |",
            "|---|---:|---:|---:|",
        ]
        for way, one in row["one_game"].items():
            error, low, high = one["error"]
            lines.append(
                f"| {way} | {error:.0f} ({low:.0f} to {high:.0f}) | {one['bias']:+.0f} | "
                f"{one['held']:.0%} |"
            )
    return lines


def head(first: str) -> list[str]:
    """Return the head of a table by numbers of games."""
    games = [f"{n} games" if n > 1 else "1 game" for n in NUMBERS]
    return [f"| {first} | | {' | '.join(games)} |", "|---|---|" + "---:|" * len(NUMBERS)]


WORDS = {"exact": "exact", "within_one": "within 1"}


def share_lines(row: dict[str, Any]) -> list[str]:
    """Write the shares."""
    lines = head("judged by")
    for way, by_name in row["shares"].items():
        for name, cells in by_name.items():
            written = [f"{x:.1%} ({low:.0%} to {high:.0%})" for x, low, high in cells]
            lines.append(f"| {way} | {WORDS[name]} | {' | '.join(written)} |")
    return lines


def difference_lines(row: dict[str, Any]) -> list[str]:
    """Write the differences."""
    lines = head("")
    for one in row["differences"]:
        for name in TOLD:
            written = [
                f"{100 * x:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
                for x, low, high in one[name]
            ]
            lines.append(
                f"| {one['of']}, less {one['from']} | {WORDS[name]} | {' | '.join(written)} |"
            )
    return lines


EXPERIMENT = Experiment(
    "evaluations",
    "Ranks estimated with evaluations of the games, recorded or made by an engine",
    parts,
    page,
    reads_games=True,
)
