"""Intervals from draws."""

import math

import numpy as np
import pytest

from evenmatch_lab.shared.intervals import quantiles


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
