"""Sequential methods: the probability ratio test that stops when known, and sequential Elo.

The test: is a player `elo1` or only `elo0` better?

After any number of games the log-likelihood ratio compares the likeliest win, draw and loss
probabilities of strength `elo1` with those of strength `elo0`. Both draw rates are fitted: this is
the generalised test (GSPRT, trinomial) that engine testers use. The test accepts `elo1` once the
ratio reaches `log((1 - beta) / alpha)` and `elo0` once it falls to `log(beta / (1 - alpha))`.

Two scales of strength:

- "logistic": Elo of the expected score, eq. 16 of Fujita 2022.
- "normalized": `(expected score - 1/2) / standard deviation of a game`, times `800 / log(10)`
  (M. Van den Bergh, "Normalized Elo", the scale of fishtest). The number of games needed then
  hardly depends on how many games are drawn.

Not done: pairs of games from one opening (the pentanomial test). Such games are taken as
independent, which usually only costs games. And a score taken when the test stops exaggerates the
difference, for the test stops at an extreme: play fresh games to measure it.

The sequential Elo of Fujita 2022 ("AlphaDDA", PeerJ Comput. Sci. 8:e1123), eqs. 16 and 17.

    e'(A) = e(A) + K (N_win - N_G p(A defeats B)),      K = 8, every player starting at 1500

The paper's Table 4 is the end of 50 round-robin tournaments. This module updates all players at
once after each tournament, from the ratings before it, summing eq. 17 over A's opponents: so the
order of the games within a tournament does not matter, the order of the tournaments does, and the
total of the ratings is kept (it is, to 0.04 %, in Table 4). The paper does not say how many games a
pair plays in a tournament; two, one with each side, fits the spread of Table 4 best.

Two choices are ours. `N_win` counts a draw as half a win, which the paper leaves open: counting
wins alone would take rating from both players of every draw. `fixed` players keep their rating
while others are rated against them, as the paper does for its Figs. 3 and 4.

Not done: error bars. K = 8 forgets slowly and the end still leans on the start, so use
`BradleyTerry` for measuring and this for reproducing the paper.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from evenmatch.errors import StateError, UsageError
from evenmatch.ratings.score import (
    ELO_PER_LOGIT,
    Interval,
    Outcomes,
    PairingScore,
    Score,
    expected_score,
    likeliest_outcomes,
)

EloScale = Literal["logistic", "normalized"]
Status = Literal["continue", "accept_elo0", "accept_elo1"]

_BISECTIONS = 60


@dataclass(frozen=True, kw_only=True)
class SprtSettings:
    """What the test tells apart, and how often it may err.

    elo0, elo1: the two strengths, in Elo on `scale`; elo0 < elo1.
    alpha: probability of accepting elo1 when elo0 is true, in (0, 1).
    beta: probability of accepting elo0 when elo1 is true, in (0, 1); alpha + beta < 1.
    scale: "logistic" or "normalized", explained above.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    scale: EloScale = "logistic"

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise UsageError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise UsageError(
                f"alpha and beta are positive and sum to less than 1, not {self.alpha}, {self.beta}"
            )
        if self.scale not in get_args(EloScale):
            raise UsageError(f"scale is one of {', '.join(get_args(EloScale))}, not {self.scale!r}")

    @property
    def bounds(self) -> Interval:
        """Log-likelihood ratios at which elo0 (low) and elo1 (high) are accepted (Wald 1945)."""
        return Interval(
            math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        )


@dataclass(kw_only=True)
class Sprt:
    """A running test: `update` it with results until `status` is not "continue".

    The first crossing decides: games that were still being played then are counted in `score` but
    change `status` no more. A batch of games is looked at once, after all of it.
    """

    settings: SprtSettings = field(default_factory=SprtSettings)
    score: Score = field(default_factory=Score)
    status: Status = "continue"

    def update(self, score: Score) -> Status:
        """Add finished games, as `Score(wins=1)` or more at once, and return the new status."""
        self.score += score
        if self.status == "continue":
            low, high = self.settings.bounds
            ratio = self.log_likelihood_ratio
            if ratio >= high:
                self.status = "accept_elo1"
            elif ratio <= low:
                self.status = "accept_elo0"
        return self.status

    @property
    def log_likelihood_ratio(self) -> float:
        """Evidence for elo1 over elo0 in all games so far, as a natural logarithm."""
        return log_likelihood_ratio(self.score, self.settings)

    def to_dict(self) -> dict[str, Any]:
        """The whole state as plain numbers and strings, for JSON."""
        return {**asdict(self.settings), **asdict(self.score), "status": self.status}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> "Sprt":
        """The test that `to_dict` wrote. Raises StateError if keys or values do not fit."""
        setting_names = [entry.name for entry in fields(SprtSettings)]
        score_names = [entry.name for entry in fields(Score)]
        names = [*setting_names, *score_names, "status"]
        if set(state) != set(names):
            raise StateError(f"a saved SPRT has the keys {', '.join(names)}; got {sorted(state)}")
        if state["status"] not in get_args(Status):
            raise StateError(f"status is one of {', '.join(get_args(Status))}")
        try:
            settings = SprtSettings(**{name: state[name] for name in setting_names})
            score = Score(**{name: state[name] for name in score_names})
        except (TypeError, UsageError) as error:
            raise StateError(f"a saved SPRT does not fit: {error}") from error
        return cls(settings=settings, score=score, status=state["status"])


def log_likelihood_ratio(score: Score, settings: SprtSettings) -> float:
    """Generalised log-likelihood ratio of elo1 against elo0, natural logarithm; 0 without games."""
    p0 = _likeliest_at(score, settings.elo0, settings.scale)
    p1 = _likeliest_at(score, settings.elo1, settings.scale)
    counts = (score.wins, score.draws, score.losses)
    return sum(
        count * (math.log(after) - math.log(before))
        for count, after, before in zip(counts, p1, p0, strict=True)
        if count
    )


def _likeliest_at(score: Score, elo: float, scale: EloScale) -> Outcomes:
    """The likeliest outcome probabilities of a player of that strength."""
    if scale == "logistic":
        return likeliest_outcomes(score, expected_score(elo))
    return _likeliest_at_effect(score, elo / (2 * ELO_PER_LOGIT))


def _likeliest_at_effect(score: Score, effect: float) -> Outcomes:
    """The likeliest outcome probabilities, given (mean - 1/2) / standard deviation = `effect`.

    With `r^2` the probability of a decisive game and `k = effect / sqrt(1 + effect^2)`, that
    condition makes a win `r (r + k) / 2` and a loss `r (r - k) / 2`, `|k| <= r <= 1`; the
    log-likelihood is concave in `r`, so its derivative is bisected.
    """
    k = effect / math.hypot(1, effect)
    decisive = score.wins + score.losses

    def slope(r: float) -> float:
        drawn = 2 * score.draws * r / (1 - r * r)
        return decisive / r + score.wins / (r + k) + score.losses / (r - k) - drawn

    low, high = abs(k), 1.0
    for _ in range(_BISECTIONS):
        r = (low + high) / 2
        if not low < r < high:
            break
        low, high = (r, high) if slope(r) > 0 else (low, r)
    r = (low + high) / 2
    return Outcomes(win=r * (r + k) / 2, draw=1 - r * r, loss=r * (r - k) / 2)


@dataclass(frozen=True, kw_only=True)
class SequentialElo:
    """Settings of the sequential Elo.

    k: the paper's K, in Elo points per game; positive.
    initial: rating of a player not rated before, in Elo.
    fixed: names of players whose rating never changes.
    """

    k: float = 8.0
    initial: float = 1500.0
    fixed: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.k > 0:
            raise UsageError(f"k is a positive number of Elo points, not {self.k}")
        if isinstance(self.fixed, str):
            raise UsageError(f"fixed is a set of names: write {{{self.fixed!r}}}")

    def update(
        self, ratings: Mapping[str, float], pairings: Iterable[PairingScore]
    ) -> dict[str, float]:
        """Ratings (name -> Elo) after one tournament, from those before it: eq. 17 once.

        Players of `pairings` that `ratings` lacks start at `initial`; `ratings` is left unchanged.
        """
        games = list(pairings)
        before = dict(ratings)
        for pairing in games:
            before.setdefault(pairing.first, self.initial)
            before.setdefault(pairing.second, self.initial)
        after = dict(before)
        for pairing in games:
            gain = self.k * _surplus(before, pairing)
            after[pairing.first] += gain
            after[pairing.second] -= gain
        return {name: before[name] if name in self.fixed else after[name] for name in after}

    def run(
        self,
        tournaments: Iterable[Iterable[PairingScore]],
        ratings: Mapping[str, float] | None = None,
    ) -> list[dict[str, float]]:
        """Ratings after each tournament in turn; the last entry is the paper's Table 4.

        `ratings` are those before the first tournament; without it everyone starts at `initial`.
        """
        history: list[dict[str, float]] = []
        current = dict(ratings or {})
        for pairings in tournaments:
            current = self.update(current, pairings)
            history.append(current)
        return history


def _surplus(ratings: Mapping[str, float], pairing: PairingScore) -> float:
    """Points the first player won beyond those expected: `N_win - N_G p` of eq. 17."""
    p = expected_score(ratings[pairing.first] - ratings[pairing.second])
    return pairing.score.points - pairing.score.games * p
