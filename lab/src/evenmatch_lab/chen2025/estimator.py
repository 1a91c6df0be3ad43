"""Figures 2, 5, 6 and appendix B of Chen et al. 2025: rank accuracy by number of games.

SE and SE_inf take the rank whose candidates' mean score is nearest, SL_sum and SL_vote what the
classifier says of the moves; ours pools all of it, and also what moves gave up where the record has
evaluations. Candidate and query players are other people than those the network learned from, as
are those that ours learned from apart from candidates (split tune); queries are drawn with
replacement, 500 for each rank and number of games.

Networks other than the shipped one are measured by SE and SE_inf alone: those that learned from
two or three ranks are to estimate all (figure 5). One of preset `classifier`, which learned to
estimate the ranks of single moves and no ranking, is measured by SL_sum and SL_vote: these are the
paper's baselines, where the shipped network's classes are a head beside the rankings. Ours are the
estimators that ship, which `evenmatch network fit` makes; one of them asks the three Maias also.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import (
    Method,
    MoveFeatures,
    NearestScore,
    NetworkScorer,
    PooledFeatures,
    Ranks,
    SummedChances,
    Votes,
    estimator_files,
)
from evenmatch.estimation.estimator_files import extra_networks, shipped_fitted, shipped_method
from evenmatch.estimation.pooled import Evals
from evenmatch.estimation.rating_scales import head_ranks, number_of, ranks_of
from evenmatch.network.artifact import digest_of, graph_digest, read_card
from evenmatch.network.card import BETA, BETA_PLAIN, Card, rank_logits
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch.workshop.fitting.samples import (
    MOST_GAMES,
    SEED,
    Rated,
    known_of,
    most_sides,
    rate,
    score_sides,
)
from evenmatch.workshop.training.human import CLASSIFIER
from evenmatch_lab.chen2025.accuracy import measure
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared import one_person
from evenmatch_lab.shared.one_person import PEOPLE, PEOPLE_OF_SCALE

NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 26, 35, 50, 70, 100)
SHOWN = (1, 5, 10, 20, 26, 50, 100)  # in tables
CONFUSED = 20  # games that the confusion matrices are from
SPLITS = "candidate", "query"
QUICK_SIDES, QUICK_PEOPLE, QUICK_RESAMPLES = 4, 1, 4
RESAMPLES = 100
RESAMPLE_REPEATS = {True: 200, False: 50}  #: predictions a rank; of all moves, of the variants

WHOLE = "all moves"

#: Appendix B: which own moves of each game count; 25 are the 50 of both sides that it has.
VARIANTS: dict[str, Callable[[MoveFeatures], MoveFeatures]] = {
    WHOLE: lambda moves: moves,
    "one move per game": lambda moves: moves.one_each(np.random.default_rng(SEED)),
    "first 25 moves": lambda moves: moves.first(25),
    "last 25 moves": lambda moves: moves.last(25),
}

# Networks trained alike.
#: What networks of one length of training are told by; a classifier has the last two.
ALIKE_METHODS = ("SE_inf", "SL_sum", "SL_vote")
#: What the paper learned from and measured, by game.
#: The paper's orders: what tells more, what tells less, and the order in words.


@dataclass(frozen=True)
class EstimatorTask:
    """One dataset as one network sees it."""

    folder: Path
    scale: str  #: its rating scale
    network: Path
    whole: bool  #: whether every method is measured, and people one by one; else SE and SE_inf
    numbers: tuple[int, ...]  #: of games
    sides: dict[str, int]  #: most of each rank, by split
    people: int  #: most of each rank, one by one
    resamples: int = RESAMPLES  #: of the queries' players, for the intervals
    policies: tuple[Path, ...] = ()  #: Maias, that one of ours asks besides

    def methods(self, card: Card, evals: bool) -> dict[str, Method]:
        """Return the methods; ``evals``: the records have evaluations."""
        ranks, classes = ranks_of(self.scale, card), head_ranks(self.scale, card)
        by_name: dict[str, Method] = {
            "SE_inf": NearestScore(BETA, ranks),
            "SE": NearestScore(BETA_PLAIN, ranks),
        }
        if card.preset == CLASSIFIER:
            by_name = {}
        # else the classes are ranks of another scale, or too wide to tell these apart
        known = self.scale in card.scales and classes.width <= ranks.width
        if known and (self.whole or card.preset == CLASSIFIER):
            logits = rank_logits(number_of(self.scale, card), classes.count)
            said = logits, ranks, classes
            by_name |= {"SL_sum": SummedChances(*said), "SL_vote": Votes(*said)}
        if not self.whole:
            return by_name
        names = ", ".join(path.stem for path in self.policies)
        if self.scale in estimator_files.SHIPPED:
            by_name["ours"] = blind(shipped_method(self.scale, fast=True)).among(ranks)
            if evals:
                by_name["ours, with evals"] = shipped_method(self.scale, fast=True).among(ranks)
        if self.scale in estimator_files.SHIPPED_WITH_EXTRA and names:
            by_name[f"ours, with {names}"] = blind(shipped_method(self.scale)).among(ranks)
            if evals:
                by_name[f"ours, with evals, {names}"] = shipped_method(self.scale).among(ranks)
        return by_name


def blind(method: PooledFeatures) -> PooledFeatures:
    """Return it as it judges games without evaluations."""
    method.models = {Evals.NONE: method.models[Evals.NONE]}
    return method


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset one part for the shipped network and one for each given."""
    by_key: dict[str, Part] = {}
    opened = [Dataset.open(folder) for folder in data]
    scale_names(opened)  # refuses two of one name
    numbers = (1, 5) if quick else NUMBERS
    if mute := [net for net in nets if not read_card(net).ranks]:
        raise UsageError(f"{mute[0]} has no strength head, which estimates ranks; leave it out")
    for folder, dataset in zip(data, opened, strict=True):
        name = folder.resolve().name
        people = QUICK_PEOPLE if quick else PEOPLE_OF_SCALE.get(name, PEOPLE)
        most = most_sides(dataset.codec.game.id, name)
        sides = {split: QUICK_SIDES if quick else most[split] for split in SPLITS}
        shared: dict[str, Any] = {
            "dataset": dataset.identity,
            "numbers": numbers,
            "sides": sides,
            "of_one_player": MOST_GAMES,
            "people": people,
            "seed": SEED,
        }
        shipped = shipped_fitted(dataset.codec.game.id).network
        knows = bool(read_card(shipped).ranks)  # else those given are measured by every method
        policies = (
            extra_networks(dataset.codec.game.id)
            if name in estimator_files.SHIPPED_WITH_EXTRA
            else []
        )
        for net in (None, *nets) if knows else nets:
            path = shipped if net is None else net
            key = name if net is None else f"{name}, {read_card(net).preset}"
            if key in by_key:
                raise UsageError(f"two networks are of preset {read_card(path).preset}; give one")
            resamples = QUICK_RESAMPLES if quick else RESAMPLES
            whole = net is None or not knows
            task = EstimatorTask(folder, name, path, whole, numbers, sides, people, resamples)
            used = shared | {"network": digest_of(path)}
            if net is None:
                used["fitted"] = [
                    digest_of(estimator_files.nets() / known[name])
                    for known in (estimator_files.SHIPPED, estimator_files.SHIPPED_WITH_EXTRA)
                    if name in known
                ]
            classes = head_ranks(name, read_card(path))
            if read_card(path).preset == CLASSIFIER and classes != ranks_of(name, read_card(path)):
                used["classes"] = "split by overlap"
            if net is None and policies:
                task = replace(task, policies=tuple(policies))
                used["policies"] = [graph_digest(policy) for policy in policies]
            by_key[key] = Part(used, partial(run_one, task))
    return by_key


def run_one(task: EstimatorTask, progress: Progress, done: Results) -> dict[str, Any]:
    """Rate the moves of a dataset's candidates and queries, and measure every method."""
    dataset = Dataset.open(task.folder)
    net = NetworkEvaluator(task.network, dataset.codec.game)
    others = [NetworkEvaluator(path, dataset.codec.game) for path in task.policies]
    scorer = NetworkScorer(net, task.scale if task.whole else None, others)
    ranks = ranks_of(task.scale, net.card)
    evals = dataset.facts["sizes"]["evals"] > 0
    methods = task.methods(net.card, evals)
    rated = rate(partial(score_sides, scorer), dataset, ranks, task.sides, progress)
    persons = None
    if task.whole:
        sides = one_person.choose(dataset, "query", ranks, task.people)
        persons = score_sides(scorer, dataset, sides), known_of(dataset, sides)
    query, rows, alone = rated["query"], {}, {}
    labels = {split: row.labels for split, row in rated.items()}
    for variant, cut in VARIANTS.items():
        candidate, queries = (cut(rated[split].moves) for split in SPLITS)
        for name, method in methods.items():
            if isinstance(method, PooledFeatures) and variant != WHOLE:
                continue  # the paper's variants are of its own methods
            method.fit(method.evidence(candidate), labels["candidate"])
            rows[f"{name}, {variant}"] = accuracies(
                method, method.evidence(queries), query, task.numbers,
                repeats=RESAMPLE_REPEATS[variant == WHOLE], resamples=task.resamples,
            )  # fmt: skip
            if variant == WHOLE and persons is not None:
                alone[name] = one_person.measure(method, persons[0], *persons[1])
    return {
        "ranks": told_ranks(ranks),
        "sides": {
            split: np.bincount(x, minlength=1 + ranks.count)[1:].tolist()
            for split, x in labels.items()
        },
        "players": [
            len(np.unique(query.players[labels["query"] == r])) for r in range(1, 1 + ranks.count)
        ],
        "people": len(np.unique(query.players)),
        "moves": {split: row.moves.moves for split, row in rated.items()},
        "methods": rows,
        "one_person": alone,
    }


def told_ranks(ranks: Ranks) -> dict[str, Any]:
    """Return ranks as data; Elo is not said."""
    return {k: v for k, v in asdict(ranks).items() if (k, v) != ("written", "elo")}


def accuracies(
    method: Method,
    evidence: NDArray[np.float64],
    query: Rated,
    numbers: tuple[int, ...],
    repeats: int,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Measure a method; intervals are from queries by players drawn with replacement.

    Each of ``resamples`` drawings is measured with ``repeats`` predictions a rank.
    """
    labels = query.labels
    measured = measure(method, evidence, labels, query.ratings, numbers, seed=SEED)
    rng = np.random.default_rng(SEED)
    again = []
    for k in range(resamples):
        drawn = resampled(query.players, rng)
        if len(np.unique(labels[drawn])) < method.ranks.count:
            continue
        one = measure(
            method, evidence[drawn], labels[drawn], query.ratings[drawn], numbers,
            repeats=repeats, seed=k,
        )  # fmt: skip
        again.append([(x.exact, x.within_one, x.error) for x in one])
    low, high = np.quantile(again, (0.025, 0.975), axis=0)
    return {
        "points": [
            {
                "games": x.games,
                "exact": [round(x.exact, 4), *ends(low, high, i, 0)],
                "within_one": [round(x.within_one, 4), *ends(low, high, i, 1)],
                "error": [round(x.error, 1), *ends(low, high, i, 2)],
                "by_rank": [round(share, 3) for share in x.by_rank],
            }
            for i, x in enumerate(measured)
        ],
        "confusion": {str(x.games): x.confusion.tolist() for x in measured if x.games == CONFUSED},
    }


def ends(low: NDArray, high: NDArray, number: int, what: int) -> list[float]:
    """Return an interval, rounded."""
    return [round(float(x[number, what]), 4 if what < 2 else 1) for x in (low, high)]


def resampled(players: NDArray, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw as many players as there are, with replacement; return the indices of their games."""
    known, of = np.unique(players, return_inverse=True)
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(known) + 1))
    drawn = rng.integers(0, len(known), len(known))
    return np.concatenate([order[starts[p] : starts[p + 1]] for p in drawn])


def plot(results: Results, path: Path) -> None:
    """Draw figure 6, accuracy by number of games, exact and within one rank, and figure 5."""
    whole = {name: row for name, row in results.items() if row["one_person"]}
    columns = 2 * len(whole) + (len(whole) < len(results))
    for axes in figure(path, columns, width=1.0 + 4.0 * columns):
        panels = iter(axes)
        for name, row in whole.items():
            curves = {
                key.removesuffix(f", {WHOLE}"): curve
                for key, curve in row["methods"].items()
                if key.endswith(f", {WHOLE}")
            }
            for what, label in (("exact", "exact rank"), ("within_one", "within one rank")):
                draw(next(panels), curves, what, f"{name}: {label}")
        for axis in panels:
            draw(axis, compared(results), "exact", "networks trained alike (figure 5, SL)")
            axis.legend(frameon=False, fontsize=8)
        axes[1].legend(frameon=False, fontsize=8, loc="lower right")


def compared(results: Results) -> dict[str, dict[str, Any]]:
    """Return the curves of the networks given, by method and network."""
    return {
        f"{method}, {name.rpartition(', ')[2]}": row["methods"][f"{method}, {WHOLE}"]
        for name, row in results.items()
        if not row["one_person"]
        for method in ALIKE_METHODS
        if f"{method}, {WHOLE}" in row["methods"]
    }


def draw(axis: Any, curves: dict[str, dict[str, Any]], what: str, title: str) -> None:
    """Draw curves with their intervals."""
    for name, curve in curves.items():
        games = [p["games"] for p in curve["points"]]
        share, low, high = zip(*(p[what] for p in curve["points"]), strict=True)
        axis.plot(games, share, "o-", ms=3, label=name)
        axis.fill_between(games, low, high, alpha=0.15, lw=0)
    axis.set(title=title, xscale="log", ylim=(0, 1.01), xlabel="games", ylabel="rank accuracy")
    axis.grid(alpha=0.3)


def page(results: Results) -> list[str]:
    """Write the tables."""
    lines = []
    for name, row in results.items():
        lines += dataset_lines(name, row)
    curves = compared(results)
    return lines[1:] + (alike_lines(curves) if curves else [])


def alike_lines(curves: dict[str, dict[str, Any]]) -> list[str]:
    """Set the networks that are trained alike beside each other, with the ranks that each names."""
    rows = []
    for key, curve in curves.items():
        points = {p["games"]: p for p in curve["points"]}
        often = "-"
        if str(CONFUSED) in curve["confusion"]:
            said = np.array(curve["confusion"][str(CONFUSED)]).sum(0)
            often = f"{int((said > said.sum() / 100).sum())} of {len(said)}"
        rows.append([key, *(cell(points.get(n), "exact") for n in SHOWN), often])
    heads = ["method, preset", *(f"{n} games" for n in SHOWN), "ranks named in over 1% of cases"]
    title = "Networks trained alike: figure 5, and SL_sum and SL_vote with a network of their own"
    return ["", f"## {title}", "", table(heads, rows)]


def dataset_lines(name: str, row: dict[str, Any]) -> list[str]:
    """Write one dataset's tables."""
    ranks = Ranks(**row["ranks"])
    unit = UNITS[ranks.written]
    names = [ranks.name(rank) for rank in range(1, 1 + ranks.count)]
    counts = [
        ["query games", *row["sides"]["query"]],
        ["their players", *row["players"]],
        ["candidate games", *row["sides"]["candidate"]],
    ]
    labels = {"exact": "exact", "within_one": "within 1", "error": f"error, {unit}"}
    rows = []
    for key, curve in row["methods"].items():
        points = {p["games"]: p for p in curve["points"]}
        for what in labels if key.endswith(WHOLE) else ("exact",):
            rows += [[key, labels[what], *(cell(points.get(n), what) for n in SHOWN)]]
    lines = ["", f"## {name}", "", table(["rank", *names], counts), ""]
    lines += [f"{row['moves']['query']} query moves", ""]
    lines.append(table(["method", "measure", *(f"{n} games" for n in SHOWN)], rows, left=(0, 1)))
    for key, curve in row["methods"].items():
        if key.endswith(WHOLE) and str(CONFUSED) in curve["confusion"]:
            lines += confusion_lines(key, np.array(curve["confusion"][str(CONFUSED)]), names)
    if row["one_person"]:
        lines += one_person.lines(row["one_person"], unit)
    return lines


UNITS = {"elo": "Elo", "kyu": "hundredths of a rank"}  #: of errors, by how ratings are written


def cell(point: dict[str, Any] | None, what: str) -> str:
    """Write a number with its interval."""
    if point is None:
        return "-"
    middle, low, high = point[what]
    if what == "error":
        return f"{middle:.0f} ({low:.0f}-{high:.0f})"
    return f"{middle:.1%} ({low:.0%}-{high:.0%})"


def confusion_lines(key: str, counts: NDArray, names: Sequence[str]) -> list[str]:
    """Write a confusion matrix in percent, true ranks down."""
    rows = [
        [name, *(f"{100 * x / own.sum():.0f}" for x in own)]
        for name, own in zip(names, counts, strict=True)
    ]
    caption = f"{key}, {CONFUSED} games: percent estimated (across) of each true rank (down):"
    return ["", caption, "", table(["", *names], rows)]


EXPERIMENT = Experiment(
    "estimator",
    "Ranks estimated from games (Chen et al. 2025, figures 2, 5, 6 and appendix B)",
    parts,
    page,
    plot,
    reads_games=True,
)
