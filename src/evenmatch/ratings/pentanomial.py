"""The score of a match played in pairs: two games from one opening, sides swapped.

The two games of a pair are not independent: an opening that is won for one side gives each player
a win, and players that hardly draw lots repeat themselves. So the *pair* is the unit. A pair gives
0, 1/2, 1, 3/2 or 2 points, hence "pentanomial"; its score is half of them, in [0, 1].

The interval inverts the score test of the mean of a multinomial, as `score.py` does for single
games: a mean `m` is kept when

    max(|x - m| - 1/(4n), 0)^2 <= z^2 V(m) / n

with `x` the observed mean, `n` the pairs, `z` the normal quantile, `V(m)` the variance under the
most likely probabilities that have mean `m`, and `1/(4n)` half the step of the mean where games are
not drawn. Over the win and draw rates and correlations in `tests/ratings/test_pentanomial.py` its
coverage at 95% is tested from 10 to 200 pairs.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenmatch.errors import UsageError
from evenmatch.ratings.score import Interval, elo_from_score, expected_score, normal_quantile

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  #: of a pair, per game
FARTHEST = 4000.0  #: Elo beyond the opponents; an end that is kept there has no bound
_BISECTIONS = 48
_LEAST = 1e-9  # a mean so near to 0 or 1 is that


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
        return Interval(1 - (-self)._upper_end(z), self._upper_end(z))

    def _upper_end(self, z: float) -> float:
        """Return the largest mean that the score test keeps."""
        if not self.pairs:
            return 1.0
        start = max(self.fraction, _LEAST)
        end = _last_kept(lambda mean: excess([(self, mean)], z), start, 1 - _LEAST)
        return 1.0 if end is None else end

    def elo_interval(self, confidence: float = 0.95) -> Interval:
        """Confidence interval of the Elo difference: the ends of `interval` as Elo."""
        low, high = self.interval(confidence)
        return Interval(elo_from_score(low), elo_from_score(high))


def likeliest(counts: Sequence[int], mean: float) -> list[float]:
    """Return the maximum-likelihood probabilities [5] of `counts` among those of mean `mean`.

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


def anchored_interval(
    met: Mapping[float, Pentanomial], elo: float, confidence: float = 0.95
) -> Interval:
    """Return the interval of a player's Elo around its estimate, by opponents of known Elo.

    `met` are its pairs of games by the opponent's Elo; UsageError if there are none. At an Elo `e`
    the expected score against opponent `o` is `m_o(e)` (eq. 16 of Fujita 2022). The score test
    above, for several opponents, keeps `e` when

        max(|x - m(e)| - 1/(4n), 0)^2 <= z^2 sum_o (n_o / n)^2 V_o(m_o(e)) / n_o

    with `n_o` the pairs against `o`, `n` their sum, and `x` and `m` the means over all pairs. The
    opponents' Elo counts as exact, pairs as independent. An end that they do not bound is infinite.
    """
    if not any(pairs.pairs for pairs in met.values()):
        raise UsageError("a player without games has no Elo; play some first")
    z = normal_quantile(confidence)

    def beyond(e: float) -> float:
        means = (expected_score(e - opponent) for opponent in met)
        clipped = [min(max(mean, _LEAST), 1 - _LEAST) for mean in means]
        return excess(zip(met.values(), clipped, strict=True), z)

    low = _last_kept(beyond, elo, min(met) - FARTHEST)
    high = _last_kept(beyond, elo, max(met) + FARTHEST)
    return Interval(-math.inf if low is None else low, math.inf if high is None else high)


def _last_kept(beyond: Callable[[float], float], kept: float, far: float) -> float | None:
    """Return the farthest value from `kept` towards `far` that a test keeps; None if it keeps all.

    `beyond` is positive where it rejects a value.
    """
    from scipy.optimize import brentq

    return None if beyond(far) <= 0 else float(brentq(beyond, kept, far, xtol=1e-10))


def excess(met: Iterable[tuple[Pentanomial, float]], z: float) -> float:
    """Return by how much the score test rejects means; it keeps them where this is 0 or less.

    `met` are pairs of games with the mean score, strictly between 0 and 1, that they should have;
    `z` is the number of standard errors.
    """
    known = [(pairs, mean) for pairs, mean in met if pairs.pairs]
    total = sum(pairs.pairs for pairs, _ in known)
    off = sum(pairs.pairs * (pairs.fraction - mean) for pairs, mean in known) / total
    variance = 0.0
    for pairs, mean in known:
        shares = zip(likeliest(pairs.counts, mean), SCORES, strict=True)
        variance += pairs.pairs * sum(share * (x - mean) ** 2 for share, x in shares) / total**2
    return abs(off) - 1 / (4 * total) - z * math.sqrt(variance)
