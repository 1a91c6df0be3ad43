"""Intervals from draws."""

import math

import numpy as np
import pytest

from evenmatch.ratings import Interval
from evenmatch_lab.shared.intervals import number_text, quantiles, share_text, wilson


def test_a_draw_that_says_nothing_widens_both_ends():
    drawn = np.arange(1000.0)
    assert quantiles(drawn) == pytest.approx((25, 974), abs=1)
    drawn[500:520] = math.nan  # 2% are within the tails of 2.5%
    assert quantiles(drawn) == pytest.approx((5, 994), abs=1)
    drawn[500:530] = math.nan
    assert quantiles(drawn) == (-math.inf, math.inf)


def test_more_confidence_is_wider():
    drawn = np.arange(1000.0)
    assert quantiles(drawn, 0.99) == pytest.approx((5, 994), abs=1)


def test_an_interval_without_an_upper_end_tells_the_lower_one():
    assert number_text(4.35, Interval(3.54, math.inf)) == "4.35 (from 3.54, no upper end)"
    assert number_text(4.05, Interval(3.57, 4.67)) == "4.05 (3.57 to 4.67)"
    assert number_text(math.inf, Interval(1.74, math.inf)) == "above 1.74"


def test_shares_of_few():
    """Wilson's interval of 3 of 3 by hand: from 3 / (3 + 1.96^2) to 1; of half it is symmetric."""
    assert wilson(1.0, 3) == pytest.approx((0.4385, 1), abs=1e-4)
    assert sum(wilson(0.5, 8)) == pytest.approx(1)
    assert share_text(0.5, (-0.1, 1.1)) == "50.0% (0.0% to 100.0%)"
