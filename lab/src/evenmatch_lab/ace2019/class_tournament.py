"""Round robins of ACE's four classes, beside what their ratings say (ACE, tables 1 and 2).

One of ``ace``, as in the paper, and one of ``pikl``, who plays at ratings here.

Pearson's chi-square sums (observed - expected)^2 / expected over the points of both players of all
pairs. Its distribution is found by games drawn as the ratings say, with draws as often as there
were, as far as the expected score allows: points of games with draws are no counts, and some
expectations are small.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import BradleyTerry, PairingScore, Score, expected_score
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import CLASSES, RATINGS, duels, only_folder, scores_of, terms
from evenmatch_lab.shared.opponents import interval

SEED, BATCHES, GAMES = 19, 2, 10  # theirs had 200 games of a pair
METHODS = ("ace", "pikl")
QUICK = 2, 1, 2, 4  # classes, batches, games, simulations
SIMULATED = 100_000


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """Parts of each pair of a method's players."""
    folder = only_folder(data, nets)
    classes, batches, games, sims = QUICK if quick else (len(CLASSES), BATCHES, GAMES, None)
    by_key: dict[str, Part] = {}
    for method in METHODS:
        specs = {
            name: f"{method}:elo={elo}" + (f",sims={sims}" if sims else "")
            for name, elo in list(zip(CLASSES, RATINGS, strict=True))[:classes]
        }
        pairs = {f"{method}: {a} - {b}": (specs[a], specs[b]) for a, b in combinations(specs, 2)}
        by_key |= duels(folder, pairs, batches, games, SEED)
    return by_key


def chi_square(points: NDArray, expected: NDArray, games: NDArray) -> NDArray:
    """Return the statistic of points [..., P] of the first of each pair, of ``games`` [P]."""
    wanted, other = expected * games, (1 - expected) * games
    return ((points - wanted) ** 2 * (1 / wanted + 1 / other)).sum(-1)


def p_value(scores: Sequence[Score], expected: NDArray) -> tuple[float, float]:
    """Return chi-square, and how often it is as large or larger where the ratings are true."""
    games = np.array([score.games for score in scores])
    draws = np.array([score.draws / score.games for score in scores])
    draws = np.minimum(draws, 2 * np.minimum(expected, 1 - expected))  # as many as can be
    chances = np.stack([expected - draws / 2, draws, 1 - expected - draws / 2], 1)
    rng = np.random.default_rng(SEED)
    drawn = np.stack(
        [
            rng.multinomial(n, p, SIMULATED) @ (1, 0.5, 0)
            for n, p in zip(games, chances, strict=True)
        ],
        1,
    )
    seen = chi_square(np.array([score.points for score in scores]), expected, games)
    larger = chi_square(drawn, expected, games) >= seen - 1e-9
    return float(seen), float((larger.sum() + 1) / (SIMULATED + 1))


def page(results: Results) -> list[str]:
    """Write the tables and the test of each method."""
    lines = []
    for method in METHODS:
        start = f"{method}: "
        own = {key.removeprefix(start): results[key] for key in results if key.startswith(start)}
        if own:
            lines += ["", f"## {method}", "", *tables(own)]
    return lines[1:]


def tables(results: Results) -> list[str]:
    """Write both tables and the test."""
    ratings = dict(zip(CLASSES, RATINGS, strict=True))
    pairs = {tuple(key.split(" - ")): score for key, score in scores_of(results).items()}
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    expected = np.array([expected_score(ratings[a] - ratings[b]) for a, b in pairs])
    seen, p = p_value(list(pairs.values()), expected)
    fitted = BradleyTerry().fit(
        [PairingScore(first=a, second=b, score=score) for (a, b), score in pairs.items()]
    )
    lines = [
        f"{terms(results)}. Expected points of the first by the classes' middles, and observed, "
        "with 95% intervals.",
        "",
        "| pair | expected | observed | wins | draws | losses |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for (a, b), wanted in zip(pairs, expected, strict=True):
        score = pairs[a, b]
        low, high = score.interval()
        lines.append(
            f"| {a} - {b} | {wanted:.3f} | {score.fraction:.3f} ({low:.3f} to {high:.3f}) | "
            f"{score.wins} | {score.draws} | {score.losses} |"
        )
    lines += [
        "",
        f"Chi-square {seen:.1f}. If the ratings were true, chance alone would give as much with "
        f"p = {p:.2g}.",
        "",
        "| class | nominal Elo | Elo by these games (95%), around the same mean |",
        "|---|---:|---:|",
    ]
    mean = np.mean([ratings[name] for name in names])
    for name in names:
        ends = [x and f"{x - 1500 + mean:.0f}" for x in interval(fitted[name])]
        own, below, above = (x or "?" for x in ends)
        lines.append(f"| {name} | {ratings[name]} | {own} ({below} to {above}) |")
    return lines


EXPERIMENT = Experiment(
    "class_tournament",
    "Classes against each other (ACE, tables 1 and 2)",
    parts,
    page,
    reads_games=True,
)
