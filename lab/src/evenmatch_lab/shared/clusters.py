"""Rows that are not independent, such as the moves of a person: which are so, and their means."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95


class ClusterMean(NamedTuple):
    """The mean of rows that come in groups."""

    mean: float
    variance: float
    """The jackknife's, leaving out a group at a time (Efron 1982); 0 for a single group."""
    groups: float  #: Kish's effective number, n^2 / sum of n_g^2

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends at 95%."""
        return self.interval_at(CONFIDENCE)

    def interval_at(self, confidence: float) -> tuple[float, float]:
        """Return both ends, by Student's quantile."""
        half = quantile(self.groups, confidence) * self.variance**0.5
        return self.mean - half, self.mean + half


def cluster_mean(values: NDArray[np.float64], groups: NDArray[np.int64]) -> ClusterMean:
    """Return the mean of values [n] whose groups [n] are independent of each other."""
    _, numbers = np.unique(groups, return_inverse=True)
    sums = np.bincount(numbers, values).astype(np.float64)
    return ratio_mean(sums, np.bincount(numbers).astype(np.float64))


def ratio_mean(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> ClusterMean:
    """Return `cluster_mean` of groups [g] of which only sums and numbers of values are known."""
    n = counts.sum()
    without = (sums.sum() - sums) / np.maximum(n - counts, 1)
    variance = (len(sums) - 1) * without.var() if len(sums) > 1 else 0.0
    return ClusterMean(float(sums.sum() / n), float(variance), float(n**2 / (counts**2).sum()))


def average(means: Sequence[ClusterMean]) -> ClusterMean:
    """Return the average of independent means, each of which counts alike.

    Its degrees of freedom are Welch's and Satterthwaite's: those of each mean weighed by its
    variance.
    """
    variances = np.array([one.variance for one in means])
    freedom = np.maximum([one.groups - 1 for one in means], 1)
    total = float(variances.sum())
    known = total**2 / (variances**2 / freedom).sum() if total else float(freedom.sum())
    mean = float(np.mean([one.mean for one in means]))
    return ClusterMean(mean, total / len(means) ** 2, 1 + float(known))


def quantile(groups: float, confidence: float = CONFIDENCE) -> float:
    """Return Student's quantile of an interval by so many groups."""
    from scipy.stats import t

    return float(t.ppf((1 + confidence) / 2, max(groups - 1, 1)))


def together(*keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return groups [n] of rows that share one of their keys [n], or that others link so."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, links = len(keys[0]), []
    for column in keys:
        _, first, numbers = np.unique(column, return_index=True, return_inverse=True)
        links.append(first[numbers])
    ends = np.concatenate(links)
    rows = np.tile(np.arange(n), len(keys))
    graph = coo_array((np.ones(len(rows)), (rows, ends)), (n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)
