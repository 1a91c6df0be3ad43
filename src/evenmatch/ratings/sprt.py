"""The sequential probability ratio test: is a player `elo1` or only `elo0` better?

After any number of games the log-likelihood ratio compares the most likely win, draw and loss
probabilities of strength `elo1` with those of strength `elo0`. Both draw rates are fitted: this is
the generalised test (GSPRT, trinomial) that engine testers use. The test accepts `elo1` once the
ratio reaches `log((1 - beta) / alpha)` and `elo0` once it falls to `log(beta / (1 - alpha))`.

Not done: pairs of games from one opening (the pentanomial test). Such games are taken as
independent, which usually only costs games. And a score taken when the test stops exaggerates the
difference, because the test stops at an extreme: play new games to measure it.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

from evenmatch.errors import UsageError
from evenmatch.ratings.score import Interval, Score, expected_score, likeliest_outcomes

Status = Literal["continue", "accept_elo0", "accept_elo1"]


@dataclass(frozen=True, kw_only=True)
class SprtSettings:
    """The two strengths that the test distinguishes, and how often it may err.

    elo0, elo1: the two strengths, in Elo (eq. 16 of Fujita 2022); elo0 < elo1.
    alpha: probability of accepting elo1 when elo0 is true, in (0, 1).
    beta: probability of accepting elo0 when elo1 is true, in (0, 1); alpha + beta < 1.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise UsageError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise UsageError(
                f"alpha and beta are positive and sum to less than 1, not {self.alpha}, {self.beta}"
            )

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


def log_likelihood_ratio(score: Score, settings: SprtSettings) -> float:
    """Generalised log-likelihood ratio of elo1 against elo0, natural logarithm; 0 without games."""
    p0 = likeliest_outcomes(score, expected_score(settings.elo0))
    p1 = likeliest_outcomes(score, expected_score(settings.elo1))
    counts = (score.wins, score.draws, score.losses)
    return sum(
        count * (math.log(after) - math.log(before))
        for count, after, before in zip(counts, p1, p0, strict=True)
        if count
    )
