"""When people of a rating resign, and when they agree to a draw: the numbers of ``resigning``.

A game that is lost without a mate ended by resignation, on time, or because somebody left; records
of Lichess do not say which. What helps: with an increment almost nobody runs out of time, and
without one not before ply ``TIMELY``, as the first table of the page shows; later turns of games
without an increment do not count. Whoever loses without a mate at a chance above ``MOST`` ran out
of time, left, or saw what the network did not see, and has not resigned here. Turns before ply
``EARLIEST`` do not count either: hardly any game of lichess-rapid is shorter.

The numbers are fitted to people of split tune of the first dataset; all else is of split query.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset, scale_names
from evenmatch.strength.resigning import MOST, Habit, probabilities
from evenmatch_lab.ours.resignation_page import ACCEPTED, BANDS, FIT, page, plot
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.own_turns import Flags, Floats, OwnTurns, judge
from evenmatch_lab.shared.playing_on import after_falling
from evenmatch_lab.shared.resigning_turns import (
    EARLIEST,
    LOST,
    TIMELY,
    Chosen,
    choose,
    choose_early,
    rounded,
    row_features,
    share,
)

SEED = 31
SIDES, OTHERS, QUICK = 20_000, 5_000, 60  # of a split: first dataset, others, quick form
BINS = (0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1)  #: chances
PHASES = (EARLIEST, 60, TIMELY, 100, 130, 600)  #: plies
EVENS, RUNS, STARTS = (0.05, 0.1, 0.15, 0.2), (4, 6, 8), (60, 80, 100)


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """One part that fits, to the first dataset, and one for each dataset that reports."""
    if nets:
        raise UsageError("people resign by the network that ships; leave out --net")
    opened = [Dataset.open(folder) for folder in data]
    names = scale_names(opened)
    shared = {"network": digest("chess"), "seed": SEED, "most": MOST, "plies": [EARLIEST, TIMELY]}
    sizes = [QUICK] * len(data) if quick else [SIDES] + [OTHERS] * (len(data) - 1)
    settings = [
        {**shared, "dataset": dataset.identity, "sides": size}
        for dataset, size in zip(opened, sizes, strict=True)
    ]
    by_key = {FIT: Part(settings[0], partial(fit_people, data[0], sizes[0]))}
    for name, folder, size, own in zip(names, data, sizes, settings, strict=True):
        by_key[name] = Part(own, partial(report, folder, size), needs=(FIT,))
    return by_key


# -- the fit -------------------------------------------------------------------------------------


def fit_people(folder: Path, most: int, progress: Progress, done: Results) -> dict[str, Any]:
    """Fit the weights and choose the rule for draws, by people of split tune."""
    turns = judge(Dataset.open(folder), "tune", most, SEED, progress)
    chosen = choose(turns, row_features(turns))
    if not chosen.resigned.any():
        raise UsageError("nobody of split tune resigns in these games; add games of more people")
    weights, errors = logistic(chosen.rows, chosen.resigned, chosen.people)
    smaller = {
        name: logistic(chosen.rows[:, :columns], chosen.resigned, chosen.people)[0].tolist()
        for name, columns in (("constant", 1), ("and rating", 2), ("and chance now", 3))
    }
    return {
        "weights": rounded(weights),
        "errors": rounded(errors),
        "smaller": smaller,
        "turns": len(chosen.rows),
        "resigned": int(chosen.resigned.sum()),
        "people": len(np.unique(chosen.people)),
        "phases": phases(turns),
        "values": value_rows(turns),
        **draw_rule(turns),
    }


def logistic(
    rows: Floats, happened: Flags, people: NDArray[np.int64], ridge: float = 1e-3
) -> tuple[Floats, Floats]:
    """Return the weights [n] of a logistic regression and their standard errors [n].

    ``rows`` [K, n]; the errors know that the rows of a person are not independent (the sandwich
    of Huber and White). ``ridge`` keeps the weights finite where the rows tell nothing.
    """
    weights = np.zeros(rows.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (happened - p) - ridge * weights
        bend = (rows * (p * (1 - p))[:, None]).T @ rows + ridge * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights += step * min(1, 3 / np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    _, of = np.unique(people, return_inverse=True)
    scores = np.zeros((of.max() + 1, rows.shape[1]))
    np.add.at(scores, of, rows * (happened - p)[:, None])
    inverse = np.linalg.inv(bend)
    return weights, np.sqrt(np.diag(inverse @ scores.T @ scores @ inverse))


def phases(turns: OwnTurns) -> list[dict[str, Any]]:
    """Return how often people give up per turn, by ply, increment and chances.

    That tells who runs out of time: at chances up to LOST, and above 0.3, where nobody resigns.
    """
    side = turns.side
    ends, rows = turns.last & ~turns.gave_up[side], []
    for low, high in pairwise(PHASES):
        for increment in (False, True):
            fits = (turns.plies >= low) & (turns.plies < high) & ~turns.over & ~ends
            fits &= (turns.increments[side] > 0) == increment
            row: dict[str, Any] = {"plies": [low, high], "increment": increment}
            for name, which in (("lost", turns.chances <= LOST), ("open", turns.chances > 0.3)):
                some = fits & which
                row[name] = [int((turns.last & some).sum()), int(some.sum())]
            rows.append(row)
    return rows


def value_rows(turns: OwnTurns) -> list[dict[str, Any]]:
    """Return what the network's chances are worth by the games' evals, and by results."""
    rows, known = [], turns.own & ~turns.over & ~np.isnan(turns.evals)
    for low, high in pairwise(BINS):
        some = known & (turns.chances >= low) & (turns.chances < high)
        if some.any():
            score = (1 + turns.results[turns.side[some]]) / 2
            row = {"chances": [low, high], "turns": int(some.sum())}
            row["evals"] = rounded(np.quantile(turns.evals[some], (0.1, 0.5, 0.9)))
            rows.append({**row, "score": round(float(score.mean()), 4)})
    return rows


# -- draws ---------------------------------------------------------------------------------------


def accepting(turns: OwnTurns, even: float, run: int, start: int) -> Flags:
    """Return the sides [N] that would accept a draw at some turn of theirs."""
    flat = np.abs(turns.chances - 0.5) <= even
    whole = np.all([turns.before(n, flat, 0) for n in range(run)], 0)
    accepts = np.zeros(len(turns.results), np.bool_)
    accepts[turns.side[whole & turns.own & (turns.plies >= start)]] = True
    return accepts


def draw_rule(turns: OwnTurns) -> dict[str, Any]:
    """Return the rule that accepts most agreed draws and few decisive games, of all tried."""
    agreed, decisive, tried = turns.agreed, turns.results != 0, []
    for even, run, start in product(EVENS, RUNS, STARTS):
        accepts = accepting(turns, even, run, start)
        shares = [float(accepts[of].mean()) if of.any() else 0.0 for of in (agreed, decisive)]
        tried.append([even, run, start, *rounded(np.array(shares))])
    few = [row for row in tried if row[4] <= ACCEPTED]
    return {"rule": max(few, key=lambda row: row[3])[:3], "rules": tried}


# -- the report ----------------------------------------------------------------------------------


def report(folder: Path, most: int, progress: Progress, done: Results) -> dict[str, Any]:
    """Compare people of split query with the model."""
    fit = done[FIT]
    habit = Habit(*fit["weights"])
    turns = judge(Dataset.open(folder), "query", most, SEED, progress)
    rows = row_features(turns)
    chosen = choose(turns, rows)
    return {
        "bands": by_band(turns, rows, habit),
        "likelihoods": likelihoods(chosen, fit),
        "short": share(turns.lengths < EARLIEST, turns.people),
        "doubts": doubts(chosen, habit),
        "early": ratio(choose_early(turns, rows), habit),
        "draws": draws(turns, fit["rule"]),
    }


def by_band(turns: OwnTurns, rows: Floats, habit: Habit) -> dict[str, dict[str, Any]]:
    """Return for each band of ratings how people and model resign."""
    bands = {}
    chosen = choose(turns, rows)
    for name, (low, high) in {"all": (0, 5000), **BANDS}.items():
        of_band = (turns.ratings >= low) & (turns.ratings < high)
        lost = of_band & (turns.results == -1)
        if not lost.any():
            continue
        at = (chosen.ratings >= low) & (chosen.ratings < high)
        some = Chosen(*(getattr(chosen, name)[at] for name in Chosen.__dataclass_fields__))
        end = turns.chances[turns.last]
        gave_up = lost & turns.gave_up
        bands[name] = {
            "lost": int(lost.sum()),
            "people": len(np.unique(turns.people[lost])),
            "gave_up": share(turns.gave_up[lost], turns.people[lost]),
            "ends": rounded(np.quantile(end[gave_up], (0.1, 0.25, 0.5, 0.75, 0.9)))
            if gave_up.any()
            else [],
            "above": share(end[gave_up] > MOST, turns.people[gave_up]),
            "resigned at": resigned_at(some, habit),
            "ratio": ratio(some, habit),
            "after": after_falling(turns, rows, habit, of_band),
        }
    return bands


def resigned_at(chosen: Chosen, habit: Habit) -> dict[str, list[float]]:
    """Return quantiles (10%, 50%, 90%) of the chances at which people resign, and the model."""
    if not chosen.resigned.any():
        return {}
    weights = probabilities(habit, chosen.rows)
    return {
        "people": rounded(np.quantile(chosen.chances[chosen.resigned], (0.1, 0.5, 0.9))),
        "model": rounded(weighted_quantiles(chosen.chances, weights, (0.1, 0.5, 0.9))),
    }


def doubts(chosen: Chosen, habit: Habit) -> dict[str, list[float]]:
    """Return how many resign where evals give chances above 0.1 and above 0.2: people, model."""
    known = ~np.isnan(chosen.evals)
    if not (known & chosen.resigned).any():
        return {}
    evals, found = chosen.evals[known], {}
    expected = probabilities(habit, chosen.rows[known])
    for who, weights in (("people", chosen.resigned[known]), ("model", expected)):
        shares = [np.average(evals > bound, weights=weights) for bound in (0.1, 0.2)]
        found[who] = rounded(np.array(shares))
    return found


def weighted_quantiles(values: Floats, weights: Floats, at: Sequence[float]) -> Floats:
    """Return the least values [n] that so much of the weight is at or below."""
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    places = np.searchsorted(summed, np.asarray(at) * summed[-1])
    return values[order][np.minimum(places, len(values) - 1)]


def ratio(chosen: Chosen, habit: Habit) -> dict[str, Any]:
    """Return how many resign of those that the model expects to, and the interval of that ratio.

    By a jackknife over people.
    """
    expected = probabilities(habit, chosen.rows)
    row: dict[str, Any] = {"turns": len(expected), "resigned": int(chosen.resigned.sum())}
    row["expected"] = round(float(expected.sum()), 1)
    _, of = np.unique(chosen.people, return_inverse=True)
    if len(of) and of.max() > 0:
        seen, due = np.bincount(of, chosen.resigned), np.bincount(of, expected)
        value = seen.sum() / due.sum()
        without = (seen.sum() - seen) / (due.sum() - due)
        half = 1.96 * np.sqrt((len(seen) - 1) * without.var())
        row["ratio"] = rounded(np.array([value, value - half, value + half]))
    return row


def likelihoods(chosen: Chosen, fit: dict[str, Any]) -> dict[str, float]:
    """Return the mean logarithm of the probability of what people did, by model."""
    models = {**fit["smaller"], "and chances of two turns before": fit["weights"]}
    means = {}
    for name, weights in models.items():
        logits = chosen.rows[:, : len(weights)] @ np.array(weights)
        each = -np.logaddexp(0, np.where(chosen.resigned, -logits, logits))
        means[name] = round(float(each.mean()), 5) if len(each) else 0.0
    return means


def draws(turns: OwnTurns, rule: list[Any]) -> dict[str, Any]:
    """Return in which games the rule accepts a draw at some turn."""
    accepts = accepting(turns, *rule)
    kinds = {
        "agreed": turns.agreed,
        "agreed, long enough": turns.agreed & (turns.lengths >= rule[2]),
        "drawn on the board": (turns.results == 0) & turns.ended_on_board,
        "won": turns.results == 1,
        "lost": turns.results == -1,
    }
    return {
        name: {"sides": int(of.sum()), "accepts": share(accepts[of], turns.people[of])}
        for name, of in kinds.items()
    }


EXPERIMENT = Experiment(
    "resignation",
    "When people of a rating resign, and when they agree to a draw",
    parts,
    page,
    plot,
    reads_games=True,
)
