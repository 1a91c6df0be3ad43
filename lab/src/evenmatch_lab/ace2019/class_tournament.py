"""Round robins of ACE's four classes, beside what their ratings say (ACE, tables 1 and 2).

The claim as published: one network that gets no rating, and theta alone makes the classes. So
``ace`` plays with the rating unknown, and so it does with networks given as well, to which theta is
fitted first, as in ``theta_fit``. Beside it ``ace`` as it ships, whose network is conditioned on
the rating, and ``pikl``, which plays at ratings here.

Pearson's chi-square sums (observed - expected)^2 / expected over the points of both players of all
pairs of classes. Games from one opening are not independent, some are drawn, and some expectations
are small, so its distribution is simulated: pairs of games from one opening are drawn with the
probabilities that are most likely for the pairs seen, given that the score is what the ratings say
(``ratings/pentanomial.py``). For the paper only the points are known; its chi-square has six
degrees of freedom if they were independent and none was drawn.

Parts come batch by batch, the first of all pairs, then the second, so that every method has about
as many games wherever a run is stopped.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.ace import Theta
from evenmatch.opponents.fitted import CHESS
from evenmatch.ratings import BradleyTerry, PairingScore, Pentanomial, expected_score
from evenmatch.ratings.pentanomial import SCORES, likeliest
from evenmatch_lab.ace2019.theta_fit import bases, fitting
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import (
    CLASSES,
    RATINGS,
    duels,
    only_folder,
    tallies,
    terms,
)
from evenmatch_lab.shared.opponents import interval

SEED, BATCHES, GAMES = 19, 1, 20  # 20 games of a pair, theirs has 200
METHODS = {
    "ace, rating unknown": "ace:elo={elo},conditioned=off",
    "ace": "ace:elo={elo}",
    "pikl": "pikl:s={elo}",
}
FITTED = ", fitted to "  #: in the names of parts that fit theta to a network
QUICK = 2, 1, 2, 4  # classes, batches, games, simulations
SIMULATED = 100_000
PUBLISHED_GAMES = 200  #: of a pair
#: The paper's table 2: points of the first per game.
PUBLISHED = (0.105, 0.002, 0.000, 0.039, 0.005, 0.065)


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """Parts that fit theta to ``nets``, and those of each pair of a method's players."""
    folder = only_folder(data, [])
    classes, batches, games, sims = QUICK if quick else (len(CLASSES), BATCHES, GAMES, None)
    elos = dict(list(zip(CLASSES, RATINGS, strict=True))[:classes])
    rest = f",sims={sims}" if sims else ""
    fits: dict[str, Part] = {}
    by_key: dict[str, Part] = {}
    for method, template in METHODS.items():
        specs = {name: template.format(elo=elo) + rest for name, elo in elos.items()}
        by_key |= duels(folder, pairs_of(method, specs), batches, games, SEED)
    for net in nets:
        method, base = f"ace, {net.stem}", bases("", [net])[net.stem]
        fit_of = {name: f"{method}{FITTED}{name}" for name in elos}
        fits |= {key: fitting(folder, base, CLASSES[name], quick) for name, key in fit_of.items()}
        specs = {name: f"ace:elo={elo},net={net.stem}{rest}" for name, elo in elos.items()}
        complete = partial(with_theta, net, {specs[name]: fit_of[name] for name in elos})
        by_key |= duels(
            folder,
            pairs_of(method, specs),
            batches,
            games,
            SEED,
            tuple(fit_of.values()),
            complete,
        )
    return fits | dict(sorted(by_key.items(), key=lambda item: item[1].settings["batch"]))


def pairs_of(method: str, specs: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return the two specs of each pair of classes, by the name of the pair."""
    return {f"{method}: {a} - {b}": (specs[a], specs[b]) for a, b in combinations(specs, 2)}


def with_theta(net: Path, fits: dict[str, str], spec: str, done: Results) -> str:
    """Return a spec with its network's file, and the theta that its part of ``fits`` found."""
    tau, t, c_puct = done[fits[spec]]["theta"]
    name = f"net={net.stem}"
    return spec.replace(name, f"net={net}") + f",tau={tau},t={t},c_puct={c_puct}"


def chi_square(points: NDArray, expected: NDArray, games: NDArray) -> NDArray:
    """Return the statistic of points [..., P] of the first of each pair, of ``games`` [P]."""
    wanted, other = expected * games, (1 - expected) * games
    return ((points - wanted) ** 2 * (1 / wanted + 1 / other)).sum(-1)


def p_value(met: Sequence[Pentanomial], expected: NDArray) -> tuple[float, float]:
    """Return chi-square, and how often it is as large or larger where the ratings are true.

    ``met`` [P] are the pairs of games of each two classes, ``expected`` [P] the first's scores.
    """
    games = np.array([2 * pairs.pairs for pairs in met])
    rng = np.random.default_rng(SEED)
    drawn = np.stack(
        [
            2 * rng.multinomial(pairs.pairs, as_expected(pairs, mean), SIMULATED) @ SCORES
            for pairs, mean in zip(met, expected, strict=True)
        ],
        1,
    )
    points = np.array([pairs.fraction for pairs in met]) * games
    seen = chi_square(points, expected, games)
    larger = chi_square(drawn, expected, games) >= seen - 1e-9
    return float(seen), float((larger.sum() + 1) / (SIMULATED + 1))


def as_expected(pairs: Pentanomial, mean: float) -> NDArray[np.float64]:
    """Return the probabilities [5] of pairs' scores that are most likely, given their mean."""
    chances = np.array(likeliest(pairs.counts, mean))
    return chances / chances.sum()


def published_test() -> tuple[float, float]:
    """Return the chi-square of the paper's own points, and its p, of independent games won."""
    from scipy.stats import chi2

    expected = np.array([expected_score(a - b) for a, b in combinations(RATINGS, 2)])
    games = np.full(len(expected), PUBLISHED_GAMES)
    seen = float(chi_square(np.array(PUBLISHED) * games, expected, games))
    return seen, float(chi2.sf(seen, len(expected)))


def page(results: Results) -> list[str]:
    """Write what each method's classes say, then the tables of each."""
    fits = {key: row for key, row in results.items() if FITTED in key}
    games = {key: row for key, row in results.items() if FITTED not in key}
    found = {}
    for method in dict.fromkeys(key.partition(": ")[0] for key in games):
        start = f"{method}: "
        own = {key.removeprefix(start): games[key] for key in games if key.startswith(start)}
        found[method] = Tournament(own)
    heads = ["method", "classes in order", "score below half against the next, surely"]
    heads += ["games span of what ratings do", "chi-square", "p"]
    rows = [[method, *one.cells()] for method, one in found.items()]
    seen, p = published_test()
    rows.append(["the paper's own table", "", "", "", f"{seen:.1f}", f"{p:.2g}"])
    lines = [table(heads, rows, left=(0, 1, 2))]
    for method, one in found.items():
        lines += ["", f"## {method}", "", *one.tables(thetas(method, fits))]
    return lines


def thetas(method: str, fits: Results) -> dict[str, Theta]:
    """Return the theta by which each class of ACE plays; none of other methods."""
    shipped = {"ace": CHESS.ace, "ace, rating unknown": CHESS.ace_untold}
    if method in shipped:
        return {name: shipped[method][elo] for name, elo in zip(CLASSES, RATINGS, strict=True)}
    return {
        key.partition(FITTED)[2]: Theta(*row["theta"])
        for key, row in fits.items()
        if key.startswith(f"{method}{FITTED}")
    }


class Tournament:
    """What the games of a method's classes say."""

    def __init__(self, results: Results):
        """``results`` are of its parts, whose names begin with the pair."""
        self.results = results
        self.ratings = dict(zip(CLASSES, RATINGS, strict=True))
        met = {two(pair): tally for pair, tally in tallies(results).items()}
        self.scores = {pair: tally.score for pair, tally in met.items()}
        self.pairs = {pair: tally.pairs for pair, tally in met.items()}
        self.expected = np.array(
            [expected_score(self.ratings[a] - self.ratings[b]) for a, b in self.scores]
        )
        self.seen, self.p = p_value(list(self.pairs.values()), self.expected)
        self.fitted = BradleyTerry().fit(
            [PairingScore(first=a, second=b, score=score) for (a, b), score in self.scores.items()]
        )
        self.names = list(dict.fromkeys(name for pair in self.scores for name in pair))

    @property
    def gaps(self) -> list[float]:
        """Elo by the games from each class to the next."""
        elos = [self.fitted[name].elo for name in self.names]
        return [high - low for low, high in pairwise(elos)]

    @property
    def share(self) -> float:
        """How much of what the ratings span the games span."""
        return sum(self.gaps) / (self.ratings[self.names[-1]] - self.ratings[self.names[0]])

    def cells(self) -> list[str]:
        """Return whether the classes are in order, how far apart they are, and the test."""
        beaten = self.beaten()
        below = f"{len(beaten)} of {len(self.names) - 1}"
        return [
            "yes" if all(gap > 0 for gap in self.gaps) else "no",
            f"{below} ({', '.join(beaten)})" if beaten else below,
            f"no upper end: {self.unbounded} won all" if self.unbounded else f"{self.share:.0%}",
            f"{self.seen:.1f}",
            f"{self.p:.2g}",
        ]

    @property
    def unbounded(self) -> str:
        """The class whose Elo these games bound from below alone, empty if there is none."""
        return next((x for x in self.names if not np.isfinite(self.fitted[x].high)), "")

    def beaten(self) -> list[str]:
        """Return the classes that score below half against the next, with their 95% interval."""
        return [a for a, b in pairwise(self.names) if self.pairs[a, b].interval()[1] < 0.5]

    def tables(self, by_class: Mapping[str, Theta]) -> list[str]:
        """Write both tables, with the theta of each class where there is one."""
        rows = []
        published = dict(zip(combinations(CLASSES, 2), PUBLISHED, strict=True))
        for (a, b), wanted in zip(self.scores, self.expected, strict=True):
            score, pairs = self.scores[a, b], self.pairs[a, b]
            low, high = pairs.interval()
            rows.append(
                [
                    *(f"{a} - {b}", f"{wanted:.3f}", f"{published[a, b]:.3f}"),
                    f"{score.fraction:.3f} ({low:.3f} to {high:.3f})",
                    *(score.wins, score.draws, score.losses),
                    f"{self.ratings[a] - self.ratings[b]:+d}",
                    " to ".join(f"{x:+.0f}" for x in pairs.elo_interval()),
                ]
            )
        heads = ["pair", "expected", "the paper's", "observed (95%)", "wins", "draws", "losses"]
        lines = [f"{terms(self.results)}:", ""]
        lines.append(table([*heads, "Elo expected", "Elo observed (95%)"], rows))
        rows, mean = [], np.mean([self.ratings[name] for name in self.names])
        for name in self.names:
            ends = [x and f"{x - 1500 + mean:.0f}" for x in interval(self.fitted[name])]
            own, below, above = (x or "?" for x in ends)
            shown = f"above {below}" if above == "?" else f"{own} ({below} to {above})"
            theta = [f"{x:.2f}" for x in by_class[name].values] if name in by_class else []
            rows.append([name, self.ratings[name], shown, *(theta or ["-", "-", "-"])])
        heads = ["class", "nominal Elo", "Elo by these games (95%)", "tau", "t", "C_puct"]
        return [*lines, "", table(heads, rows)]


def two(pair: str) -> tuple[str, str]:
    """Return both classes of a pair's name."""
    first, _, second = pair.partition(" - ")
    return first, second


EXPERIMENT = Experiment(
    "class_tournament",
    "Classes against each other (ACE, tables 1 and 2)",
    parts,
    page,
    reads_games=True,
)
