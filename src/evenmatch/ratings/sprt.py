"""Sequential probability ratio test: is a player `elo1` or only `elo0` better? Stop when known.

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
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from evenmatch.errors import StateError, UsageError
from evenmatch.ratings.score import (
    ELO_PER_LOGIT,
    Interval,
    Outcomes,
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
