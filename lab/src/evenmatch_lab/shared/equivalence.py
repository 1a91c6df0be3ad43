"""Equivalence: whether a difference is shown to be small, which is more than not shown to be there.

Two one-sided tests (TOST; Schuirmann 1987): a mean lies within ``bound`` of 0 where the tests that
it is at or beyond either end are both rejected, each at ``LEVEL``. That is where its interval of
confidence 1 - 2 ``LEVEL`` lies inside. An experiment states its bound before it is run.

That several means are all equivalent is shown at the same level where each is (intersection-union).
That one of several is, is not: there chance has as many tries.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.score import normal_quantile
from evenmatch_lab.shared.clusters import ClusterMean, cluster_mean

LEVEL = 0.05  #: of each of the two tests
INNER = 1 - 2 * LEVEL  #: confidence of the interval that is to lie inside the bound
POWER = 0.8  #: chance of showing the equivalence of equals, for which sample sizes are told
EQUIVALENT, DIFFERENT, UNDECIDED = "equivalent", "different", "undecided"


class Equivalence(NamedTuple):
    """A mean beside a bound."""

    mean: float
    half: float  #: half the interval of confidence INNER
    wide: float  #: half the 95% interval
    size: int  #: rows
    bound: float

    @property
    def verdict(self) -> str:
        """EQUIVALENT, DIFFERENT or UNDECIDED."""
        if abs(self.mean) + self.half < self.bound:
            return EQUIVALENT
        return DIFFERENT if abs(self.mean) > self.wide else UNDECIDED

    @property
    def needed(self) -> float:
        """About how many rows show the equivalence of equals with a chance of ``POWER``.

        For means that are normal about 0 with deviation s, |mean| + z_INNER s < bound happens with
        that chance where s = bound / (z_INNER + z_POWER). Infinite where nothing says how means
        vary.
        """
        z = normal_quantile(INNER)
        deviation = self.half / z
        return self.size * (deviation * (z + normal_quantile(POWER)) / self.bound) ** 2


def compared(
    differences: NDArray[np.float64], groups: NDArray[np.int64], bound: float
) -> Equivalence:
    """Return how the mean of differences [n] stands to a bound; ``groups`` [n] are independent."""
    found = cluster_mean(differences, groups)
    half, wide = (_half(found, confidence) for confidence in (INNER, 0.95))
    return Equivalence(found.mean, half, wide, len(differences), bound)


def of_interval(mean: float, wide: float, size: int, bound: float) -> Equivalence:
    """Return how a mean whose 95% interval is ``wide`` on either side stands to a bound.

    The interval of confidence INNER is taken to be as much narrower as a normal one. Student's
    would be a little narrower, so this errs on the safe side.
    """
    half = wide * normal_quantile(INNER) / normal_quantile(0.95)
    return Equivalence(mean, half, wide, size, bound)


def in_words(found: Equivalence, bound: str, rows: str) -> str:
    """Write the verdict: with the ``bound``, or how many ``rows`` are needed, in words."""
    if found.verdict == EQUIVALENT:
        return f"{EQUIVALENT} within {bound}"
    if found.verdict == DIFFERENT:
        return DIFFERENT
    if found.needed <= found.size:
        return f"{UNDECIDED}: the difference itself is near the bound"
    if not np.isfinite(found.needed):
        return f"{UNDECIDED}: too few {rows}"
    digits = 2 - len(str(round(found.needed)))
    return f"{UNDECIDED}: too few {rows}, about {round(found.needed, digits):,.0f} needed"


def _half(found: ClusterMean, confidence: float) -> float:
    """Return half an interval; of a single group nothing is known."""
    if found.groups <= 1:
        return float("inf")
    return float(np.ptp(found.interval_at(confidence))) / 2
