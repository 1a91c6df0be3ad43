"""The score of a match played in pairs: two games from one opening, sides swapped.

The two games of a pair are not independent: an opening that is won for one side gives each player
a win, and players that hardly draw lots repeat themselves. So the *pair* is the unit. A pair gives
0, 1/2, 1, 3/2 or 2 points, hence "pentanomial"; its score is half of them, in [0, 1].

The interval inverts the score test of the mean of a multinomial, as `score.py` does for single
games: a mean `m` is kept when

    max(|x - m| - 1/(4n), 0)^2 <= z^2 V(m) / n

with `x` the observed mean, `n` the pairs, `z` the normal quantile, `V(m)` the variance under the
likeliest probabilities that have mean `m`, and `1/(4n)` half the step of the mean where games are
not drawn. Over the win and draw rates and correlations in `tests/ratings/test_pentanomial.py` its
coverage at 95% is tested from 10 to 200 pairs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenmatch.errors import UsageError
from evenmatch.ratings.score import Interval, elo_from_score, normal_quantile

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  #: of a pair, per game
_BISECTIONS = 48
_LEAST = 1e-9  # a mean so near to 1 is 1


@dataclass(frozen=True, slots=True)
class Pentanomial:
    """How many pairs gave 0, 1/2, 1, 3/2 and 2 points to a player.

    They add up (`a + b`) and turn round (`-a` is the opponent's).
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != len(SCORES) or min(self.counts) < 0:
            raise UsageError(f"pairs are five counts, 0 or more, not {self.counts}")

    @classmethod
    def from_outcomes(cls, pairs: Iterable[Sequence[float]]) -> "Pentanomial":
        """Count pairs of outcomes in the player's own view: +1 a win, 0 a draw, -1 a loss."""
        counts = [0] * len(SCORES)
        for one, other in pairs:
            if not {one, other} <= {1, 0, -1}:
                raise UsageError(f"outcomes are +1, 0 or -1 in the player's view: {one}, {other}")
            counts[2 + int(one + other)] += 1
        return cls(tuple(counts))  # type: ignore[arg-type]

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        return Pentanomial(tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)))  # type: ignore[arg-type]

    def __neg__(self) -> "Pentanomial":
        return Pentanomial(self.counts[::-1])  # type: ignore[arg-type]

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return sum(self.counts)

    @property
    def fraction(self) -> float:
        """Mean points per game, in [0, 1]; nan without pairs."""
        points = sum(n * x for n, x in zip(self.counts, SCORES, strict=True))
        return points / self.pairs if self.pairs else math.nan

    @property
    def elo(self) -> float:
        """Elo difference to the opponent, infinite at 0% and 100%; nan without pairs."""
        return elo_from_score(self.fraction) if self.pairs else math.nan

    def interval(self, confidence: float = 0.95) -> Interval:
        """Confidence interval of the expected score fraction, in [0, 1]; the method is above."""
        z = normal_quantile(confidence)
        return Interval(1 - _upper_end(-self, z), _upper_end(self, z))

    def elo_interval(self, confidence: float = 0.95) -> Interval:
        """Confidence interval of the Elo difference: the ends of `interval` as Elo."""
        low, high = self.interval(confidence)
        return Interval(elo_from_score(low), elo_from_score(high))


def likeliest(counts: Sequence[int], mean: float) -> list[float]:
    """Return the probabilities [5] likeliest to give `counts`, given that their mean is `mean`.

    By Lagrange's multipliers p_i = n_i / (n (1 + t (x_i - mean))), where t makes the mean right;
    t stays where no denominator is negative. Where that does not reach the mean, the scores seen
    all lie on one side of it, and the rest of the probability is on the farthest score opposite.
    `mean` lies strictly between 0 and 1.
    """
    total = sum(counts)
    seen = [(n, x - mean) for n, x in zip(counts, SCORES, strict=True) if n]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(_BISECTIONS):
        t = (low + high) / 2
        excess = sum(n * off / (1 + t * off) for n, off in seen)
        low, high = (t, high) if excess > 0 else (low, t)
    p = [n and n / (total * (1 + t * (x - mean))) for n, x in zip(counts, SCORES, strict=True)]
    drift = sum(share * (x - mean) for share, x in zip(p, SCORES, strict=True))
    p[-1 if drift < 0 else 0] += max(1 - sum(p), 0.0)
    return p


def _upper_end(score: Pentanomial, z: float) -> float:
    """Return the largest mean that the score test keeps, by bisection."""
    kept, rejected = score.fraction, 1 - _LEAST
    if not score.pairs or keeps(score, rejected, z):
        return 1.0
    for _ in range(_BISECTIONS):
        middle = (kept + rejected) / 2
        kept, rejected = (middle, rejected) if keeps(score, middle, z) else (kept, middle)
    return kept


def keeps(score: Pentanomial, mean: float, z: float) -> bool:
    """Whether the score test keeps `mean`, strictly between 0 and 1, at `z` standard errors."""
    shares = zip(likeliest(score.counts, mean), SCORES, strict=True)
    variance = sum(share * (x - mean) ** 2 for share, x in shares)
    excess = max(abs(mean - score.fraction) - 1 / (4 * score.pairs), 0.0)
    return excess * excess <= z * z * variance / score.pairs
