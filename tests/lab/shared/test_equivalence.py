"""Equivalence by two one-sided tests."""

import numpy as np
import pytest

from evenmatch_lab.shared.equivalence import (
    DIFFERENT,
    EQUIVALENT,
    UNDECIDED,
    Equivalence,
    compared,
    of_interval,
)


@pytest.mark.parametrize(
    ("mean", "half", "wide", "verdict"),
    [
        (0.0, 0.9, 1.1, EQUIVALENT),
        (0.5, 0.4, 0.48, EQUIVALENT),
        (-0.5, 0.49, 0.6, EQUIVALENT),
        (0.5, 0.6, 0.7, UNDECIDED),
        (-0.9, 0.5, 0.6, DIFFERENT),
        (2.0, 0.5, 0.6, DIFFERENT),
        (0.0, 1.1, 1.3, UNDECIDED),
    ],
)
def test_verdicts(mean, half, wide, verdict):
    assert Equivalence(mean, half, wide, 100, bound=1.0).verdict == verdict


def test_the_interval_is_student_s_at_90_percent():
    """Four people of one row each: quantiles of 3 degrees of freedom from tables."""
    found = compared(np.array([1.0, 2, 4, 7]), np.arange(4), bound=10)
    error = np.array([1.0, 2, 4, 7]).std(ddof=1) / 2
    assert found.mean == 3.5
    assert found.half == pytest.approx(2.3534 * error, rel=1e-4)
    assert found.wide == pytest.approx(3.1824 * error, rel=1e-4)


def test_what_is_at_the_bound_is_hardly_ever_called_equivalent():
    """3,000 samples of 40 at the bound: 5% by the test; more than 7.5% with a chance of 1e-9."""
    rng = np.random.default_rng(1)
    drawn = rng.normal(1, 1.5, (3000, 40))
    found = [compared(row, np.arange(40), bound=1).verdict for row in drawn]
    assert found.count(EQUIVALENT) < 0.075 * 3000


def test_the_number_needed_shows_equals_to_be_equivalent_four_times_in_five():
    """2,000 samples: a share of 0.8 strays by 0.009, and five deviations are 0.045.

    By hand: of rows of deviation 10 it takes (10 (1.645 + 1.282))^2 = 857.
    """
    rng = np.random.default_rng(2)
    rows = rng.normal(0, 10, 4000)
    rows *= 10 / rows.std(ddof=1)
    needed = compared(rows, np.arange(4000), bound=1).needed
    assert needed == pytest.approx(857, rel=2e-3)
    drawn = rng.normal(0, 10, (2000, round(needed)))
    found = [compared(row, np.arange(len(row)), bound=1).verdict for row in drawn]
    assert found.count(EQUIVALENT) / 2000 == pytest.approx(0.8, abs=0.045)


def test_intervals_that_are_known_at_95_percent():
    assert of_interval(0.02, 0.0196, 80, 0.05) == pytest.approx(
        (0.02, 0.01645, 0.0196, 80, 0.05), rel=1e-3
    )
