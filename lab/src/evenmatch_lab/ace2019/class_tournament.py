"""Round robins of ACE's four classes, beside what their ratings say (ACE, tables 1 and 2).

The claim as published: one network that is told no rating, and theta alone makes the classes. So
``ace`` plays with the rating unknown, and so it does with networks given besides, to which theta is
fitted first, as in ``theta_fit``. Beside it ``ace`` as it ships, whose network is conditioned on
the rating, and ``pikl``, which plays at ratings here.

Pearson's chi-square sums (observed - expected)^2 / expected over the points of both players of all
pairs of classes. Games from one opening are not independent, some are drawn, and some expectations
are small, so its distribution is simulated: pairs of games from one opening are drawn with the
probabilities that are likeliest for the pairs seen, given that the score is what the ratings say
(``ratings/pentanomial.py``). Of the paper's games only the points are known; its chi-square has six
degrees of freedom if they were independent and none was drawn.

Parts come batch by batch, the first of all pairs, then the second, so that every method has about
as many games wherever a run is stopped.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings import BradleyTerry, PairingScore, Pentanomial, expected_score
from evenmatch.ratings.pentanomial import SCORES, likeliest
from evenmatch.strength.levels import CHESS
from evenmatch.strength.theta import Theta
from evenmatch_lab.ace2019.theta_fit import bases, fitting
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
    "ace, rating unknown": "ace:elo={elo},told=off",
    "ace": "ace:elo={elo}",
    "pikl": "pikl:elo={elo}",
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
    """Return the probabilities [5] of pairs' scores that are likeliest, given their mean."""
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
    """Write the tables and the test of each method."""
    fits = {key: row for key, row in results.items() if FITTED in key}
    games = {key: row for key, row in results.items() if FITTED not in key}
    lines, found = [], {}
    for method in dict.fromkeys(key.partition(": ")[0] for key in games):
        start = f"{method}: "
        own = {key.removeprefix(start): games[key] for key in games if key.startswith(start)}
        found[method] = Tournament(own)
        lines += [f"## {method}", "", *theta_line(method, fits), *found[method].tables(), ""]
    return [*lines, "## What agrees, what does not, and why", "", *findings(found)]


def theta_line(method: str, fits: Results) -> list[str]:
    """Say by which theta the classes of ACE play."""
    own = {
        key.partition(FITTED)[2]: Theta(*row["theta"])
        for key, row in fits.items()
        if key.startswith(f"{method}{FITTED}")
    }
    shipped = {"ace": CHESS.ace, "ace, rating unknown": CHESS.ace_untold}
    if method in shipped:
        own = {name: shipped[method][elo] for name, elo in zip(CLASSES, RATINGS, strict=True)}
    if not own:
        return []
    told = [f"{name} {', '.join(f'{x:.2f}' for x in theta.values)}" for name, theta in own.items()]
    return [f"tau, t and C_puct: {'; '.join(told)}.", ""]


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

    def spanned(self) -> str:
        """Say how much of what the ratings span the games do."""
        if self.unbounded:
            return f"{self.unbounded} won all of its games, so what they span has no upper end."
        return f"From first to last they span {self.share:.0%} of what the ratings do."

    @property
    def unbounded(self) -> str:
        """The class whose Elo these games bound from below alone, empty if there is none."""
        return next((x for x in self.names if not np.isfinite(self.fitted[x].high)), "")

    def beaten(self) -> list[str]:
        """Return the classes that score below half against the next, with their 95% interval."""
        return [a for a, b in pairwise(self.names) if self.pairs[a, b].interval()[1] < 0.5]

    def tables(self) -> list[str]:
        """Write both tables and the test."""
        lines = [
            f"{terms(self.results)}. Expected points of the first by the classes' middles, "
            "in the paper's tournament, and observed, with 95% intervals by the pair of games from "
            "one opening.",
            "",
            "| pair | expected | the paper's | observed | wins | draws | losses | Elo expected "
            "| Elo observed |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        published = dict(zip(combinations(CLASSES, 2), PUBLISHED, strict=True))
        for (a, b), wanted in zip(self.scores, self.expected, strict=True):
            score, pairs = self.scores[a, b], self.pairs[a, b]
            low, high = pairs.interval()
            elo = " to ".join(f"{x:+.0f}" for x in pairs.elo_interval())
            lines.append(
                f"| {a} - {b} | {wanted:.3f} | {published[a, b]:.3f} | {score.fraction:.3f} "
                f"({low:.3f} to {high:.3f}) | {score.wins} | {score.draws} | {score.losses} "
                f"| {self.ratings[a] - self.ratings[b]:+d} | {elo} |"
            )
        lines += [
            "",
            f"Chi-square {self.seen:.1f}. If the ratings were true, chance alone would give as "
            f"much with p = {self.p:.2g} ({SIMULATED:,} tournaments drawn by pairs of games).",
            "",
            "| class | nominal Elo | Elo by these games (95%, games taken as independent), around "
            "the same mean |",
            "|---|---:|---:|",
        ]
        mean = np.mean([self.ratings[name] for name in self.names])
        for name in self.names:
            ends = [x and f"{x - 1500 + mean:.0f}" for x in interval(self.fitted[name])]
            own, below, above = (x or "?" for x in ends)
            shown = f"above {below}" if above == "?" else f"{own} ({below} to {above})"
            lines.append(f"| {name} | {self.ratings[name]} | {shown} |")
        return lines


def two(pair: str) -> tuple[str, str]:
    """Return both classes of a pair's name."""
    first, _, second = pair.partition(" - ")
    return first, second


def findings(found: dict[str, Tournament]) -> list[str]:
    """Say of each method whether its classes are in order, how far apart they are, and why."""
    lines = []
    for method, one in found.items():
        beaten, order = one.beaten(), all(gap > 0 for gap in one.gaps)
        named = f" ({', '.join(beaten)})" if beaten else ""
        lines.append(
            f"- `{method}`: the classes are {'' if order else 'not '}in order by the estimates; "
            f"{len(beaten)} of {len(one.names) - 1} score below half against the next with their "
            f"whole interval{named}. {one.spanned()} Chi-square "
            f"{'refuses' if one.p < 0.05 else 'does not refuse'} the ratings (p = {one.p:.2g})."
        )
    seen, p = published_test()
    return [
        *(lines or ["No classes have met yet."]),
        "",
        f"The paper's own table has a chi-square of {seen:.1f}. With independent games, none of "
        f"them drawn, that {'refuses' if p < 0.05 else 'does not refuse'} the ratings (p = "
        f"{p:.2g} by {len(PUBLISHED)} degrees of freedom). Its base is Leela's network, learned "
        "from self-play. Here the base was learned from people's moves ([theta](theta_fit.md)).",
        "",
        "Theta is fitted to how likely people's moves are, not to how strong they are. What the "
        "moves of each class lose beside its people's is measured in [losses](move_loss.md) and "
        "[theta and loss](theta_loss.md). `pikl` is fitted to what people's moves lose.",
        "",
        "Other differences from the paper: Lichess's rapid games that somebody had analysed "
        "instead of all of a month, 400 moves a class to fit to instead of millions, 100 "
        "simulations a move (the paper does not say how many), openings taken from people's games. "
        "The paper reads p < 0.05 as agreement with the ratings; it is read here as the opposite.",
    ]


EXPERIMENT = Experiment(
    "class_tournament",
    "Classes against each other (ACE, tables 1 and 2)",
    parts,
    page,
    reads_games=True,
)
