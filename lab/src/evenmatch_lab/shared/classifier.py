"""A classifier that distinguishes two kinds of rows, and how often it is right about new ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch_lab.shared.clusters import cluster_mean, quantile

FOLDS, PARTINGS, RIDGE = 5, 10, 1.0
SETTINGS = {"folds": FOLDS, "partings": PARTINGS, "ridge": RIDGE}  #: what its words depend on


def told_right(
    rows: NDArray[np.float64], kinds: NDArray[np.bool_], groups: NDArray[np.int64], seed: int
) -> NDArray[np.float64]:
    """Return how often each of rows [n, F] is classified correctly, [n] in [0, 1].

    Groups [n] are parted into folds, as often as ``PARTINGS``; a classifier learns all folds but
    one and is asked about that one, so that it never saw a row's group.
    """
    _, numbers = np.unique(groups, return_inverse=True)
    rng, right = np.random.default_rng(seed), np.zeros(len(rows))
    for _ in range(PARTINGS):
        folds = rng.permutation(numbers.max() + 1)[numbers] % FOLDS
        for fold in np.unique(folds):
            learned, held_out = folds != fold, folds == fold
            scores = logistic(rows[learned], kinds[learned])
            right[held_out] += (scores(rows[held_out]) > 0) == kinds[held_out]
    return right / PARTINGS


def logistic(rows: NDArray[np.float64], kinds: NDArray[np.bool_]) -> Any:
    """Learn a logistic regression with a ridge, both kinds weighing the same; return its scores."""
    from scipy.optimize import minimize

    mean, deviation = rows.mean(0), rows.std(0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf)

    def scaled(some: NDArray) -> NDArray:
        return np.hstack([(some - mean) / deviation, np.ones((len(some), 1))])

    x, sign = scaled(rows), np.where(kinds, 1.0, -1.0)
    share = np.where(kinds, kinds.mean(), 1 - kinds.mean())
    weight = 0.5 / np.maximum(share, 1e-9)

    def loss(w: NDArray) -> tuple[float, NDArray]:
        margin = sign * (x @ w)
        kept = np.append(w[:-1], 0)
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -500, 500)))
        value = (weight * np.logaddexp(0, -margin)).sum() + RIDGE / 2 * kept @ kept
        return value, x.T @ slope + RIDGE * kept

    w = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x
    return lambda some: scaled(some) @ w


def balanced(
    right: NDArray[np.float64], kinds: NDArray[np.bool_], groups: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the mean over both kinds of how often rows [n] are right, and half its interval.

    Rows of a group are not independent: the variance is that of ``cluster_mean``, but at least that
    of independent guesses with half a success and half a failure more. The quantile is of as many
    groups as the kind with fewer has.
    """
    shares, variance = [], 0.0
    for kind in (False, True):
        own = right[kinds == kind]
        shares.append(cluster_mean(own, groups[kinds == kind]))
        smoothed = (own.sum() + 0.5) / (len(own) + 1)
        variance += max(shares[-1].variance, smoothed * (1 - smoothed) / len(own)) / 4
    half = quantile(min(one.groups for one in shares)) * variance**0.5
    return float(np.mean([one.mean for one in shares])), half
