"""Intervals of the share of pairs that people judged right."""

import numpy as np
import pytest

from evenmatch_lab.ace2019.turing_people import interval


def test_intervals_of_unequal_people():
    """The jackknife by hand: the shares without one of three people are 1/4, 3/4 and 2/4."""
    right, judges = np.array([1.0, 1, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2])
    low, high = interval(right, judges)
    assert low < 0.5 < high
    assert low + high == pytest.approx(1)
    assert high - low == pytest.approx(2 * 4.302653 * (3 - 1) ** 0.5 * np.std([0.25, 0.75, 0.5]))
