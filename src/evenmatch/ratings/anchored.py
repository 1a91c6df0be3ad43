"""The interval of one player's Elo by pairs of games against opponents of known Elo.

At an Elo `e` the player's expected score against opponent `o` is `m_o(e)` (eq. 16 of Fujita 2022).
As in `pentanomial.py`, whose score test this is for several opponents, `e` is kept when

    max(|x - m(e)| - 1/(4n), 0)^2 <= z^2 sum_o (n_o / n)^2 V_o(m_o(e)) / n_o

with `n_o` the pairs against `o`, `n` their sum, `x` and `m` the means over all pairs, and `V_o` the
variance of a pair's score under the likeliest probabilities that have mean `m_o`. The opponents'
Elo counts as exact, pairs as independent.
"""

from collections.abc import Mapping

from evenmatch.errors import UsageError
from evenmatch.ratings.pentanomial import SCORES, Pentanomial, likeliest
from evenmatch.ratings.score import Interval, expected_score, normal_quantile

FARTHEST = 4000.0  #: Elo beyond the opponents; an end that is kept there has no bound
_BISECTIONS = 40
_LEAST = 1e-9  # an expected score so near to 0 or 1 is that


def anchored_interval(
    met: Mapping[float, Pentanomial], elo: float, confidence: float = 0.95
) -> Interval:
    """Return the interval of a player's Elo around its estimate.

    `met` are its pairs of games by the opponent's Elo; UsageError if there are none. An end that
    they do not bound is infinite.
    """
    if not any(pairs.pairs for pairs in met.values()):
        raise UsageError("a player without games has no Elo; play some first")
    z = normal_quantile(confidence)
    return Interval(_end(met, elo, min(met) - FARTHEST, z), _end(met, elo, max(met) + FARTHEST, z))


def _end(met: Mapping[float, Pentanomial], kept: float, rejected: float, z: float) -> float:
    """Return the farthest Elo that the test keeps from `kept` towards `rejected`."""
    if keeps(met, rejected, z):
        return float("inf") if rejected > kept else float("-inf")
    for _ in range(_BISECTIONS):
        middle = (kept + rejected) / 2
        kept, rejected = (middle, rejected) if keeps(met, middle, z) else (kept, middle)
    return kept


def keeps(met: Mapping[float, Pentanomial], elo: float, z: float) -> bool:
    """Whether the score test keeps an Elo, at `z` standard errors."""
    total = sum(pairs.pairs for pairs in met.values())
    off = variance = 0.0
    for opponent, pairs in met.items():
        if not pairs.pairs:
            continue
        mean = min(max(expected_score(elo - opponent), _LEAST), 1 - _LEAST)
        shares = zip(likeliest(pairs.counts, mean), SCORES, strict=True)
        off += pairs.pairs / total * (pairs.fraction - mean)
        variance += pairs.pairs * sum(share * (x - mean) ** 2 for share, x in shares) / total**2
    excess = max(abs(off) - 1 / (4 * total), 0.0)
    return excess * excess <= z * z * variance
