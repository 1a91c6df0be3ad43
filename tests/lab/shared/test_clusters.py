"""Means of rows that come in groups."""

import numpy as np
import pytest

from evenmatch_lab.shared.clusters import average, cluster_mean, quantile, together


def test_an_average_of_means_has_welch_s_degrees_of_freedom():
    """By hand: two means of four rows each, one of no variance: three degrees of freedom."""
    values = np.array([1.0, 2, 4, 7])
    one, still = cluster_mean(values, np.arange(4)), cluster_mean(np.ones(4), np.arange(4))
    found = average([one, still])
    assert found.mean == (3.5 + 1) / 2
    assert found.variance == pytest.approx(one.variance / 4)
    assert found.groups == pytest.approx(4)
    assert average([one, one]).groups == pytest.approx(7), "six where both vary alike"
    assert average([still, still]).interval == (1, 1)


def test_without_groups_it_is_the_textbook_s_interval():
    values = np.array([1.0, 2, 4, 7])
    found = cluster_mean(values, np.arange(4))
    assert found.mean == 3.5
    assert found.variance == pytest.approx(values.var(ddof=1) / 4)
    assert found.groups == 4
    half = 3.1824 * (values.var(ddof=1) / 4) ** 0.5  # Student's, 3 degrees of freedom, from tables
    assert found.interval == pytest.approx((3.5 - half, 3.5 + half), rel=1e-4)
    narrow = 2.3534 / 3.1824 * half
    assert found.interval_at(0.9) == pytest.approx((3.5 - narrow, 3.5 + narrow), rel=1e-3)


def test_rows_of_a_group_count_as_one():
    """Each row four times over says no more."""
    values = np.array([1.0, 2, 4, 7])
    found = cluster_mean(np.tile(values, 4), np.tile(np.arange(4), 4))
    assert found == pytest.approx(cluster_mean(values, np.arange(4)))


def test_the_variance_is_the_jackknife_s():
    """By hand: leaving out a group at a time."""
    values, groups = np.array([1.0, 3, 2, 8, 5, 5]), np.array([9, 9, 9, 2, 2, 5])
    left = [values[groups != g].mean() for g in (9, 2, 5)]
    found = cluster_mean(values, groups)
    assert found.variance == pytest.approx(2 / 3 * np.sum((left - np.mean(left)) ** 2))
    assert found.groups == pytest.approx(36 / (9 + 4 + 1))


def test_intervals_hold_the_truth_where_a_group_has_a_third_of_the_rows():
    """1,000 samples of 17 people with 1 to 138 moves, 397 in all: 95.2% of intervals hold the truth
    (of 2,000); fewer than 910 or more than 989 do with a chance of 1e-8.
    """
    rng, held = np.random.default_rng(1), 0
    sizes = [138, 63, 40, 30, 25, 20, 18, 15, 12, 10, 8, 6, 5, 3, 2, 1, 1]
    groups = np.repeat(np.arange(17), sizes)
    for _ in range(1000):
        values = rng.normal(size=len(groups)) + rng.normal(size=17)[groups]
        low, high = cluster_mean(values, groups).interval
        held += low < 0 < high
    assert 910 <= held < 990


def test_one_group_alone_says_nothing_of_spread():
    assert cluster_mean(np.array([1.0, 2]), np.array([3, 3])).variance == 0
    assert quantile(1.0) == quantile(2.0) > 12, "there is no fewer than one degree of freedom"


def test_rows_are_together_that_share_a_key_or_are_linked():
    people = np.array([7, 7, 3, 4, 5, 6])
    games = np.array([1, 2, 2, 9, 8, 9])
    assert together(people, games).tolist() == [0, 0, 0, 1, 2, 1]
    assert together(people).tolist() == [0, 0, 1, 2, 3, 4]
