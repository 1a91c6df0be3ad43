import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import UsageError
from evenmatch.strength.analysis import (
    ELO_PER_NAT,
    linear_fit,
    logistic_fit,
    mean_candidates,
    normalized_strength,
    relative_strength,
    strength_index,
)

# Wu et al. 2019, table 1
Z = np.array([2, 1.5, 1, 0.5, 0, -0.5, -1, -1.5, -2])
ELO = np.array([-153, -210, -237, -483, -644, -747, -868, -971, -983])

VISITS = st.lists(st.integers(0, 10_000), min_size=1, max_size=40).filter(any)


def test_published_linear_error():
    """The paper's 47.95 Elo from its table, whose entries are rounded to whole Elo."""
    assert linear_fit(Z, ELO).error == pytest.approx(47.95, abs=0.3)


def test_published_logistic_fit():
    fit = logistic_fit(Z, ELO, -1088, 0)
    assert fit.parameters == pytest.approx((-0.25, 1.16), abs=0.005)
    assert fit.error == pytest.approx(26.00, abs=0.3)


def test_published_strength_index():
    """H = 6.243 and a gap of 1088 Elo make E_norm(-inf) about -1; and back."""
    e_norm = -1088 / ELO_PER_NAT / 6.243
    assert e_norm == pytest.approx(-1.003, abs=0.001)
    assert strength_index(-1088, e_norm) == pytest.approx(6.243)


@given(VISITS, st.floats(-1e6, 1e6), st.floats(0.001, 1))
def test_no_move_is_worse_than_formula_7(visits, z, r_th):
    """E_rel(z) >= H ln R_th, whatever the visits."""
    strength = relative_strength(np.array(visits), z, r_th)
    assert math.log(r_th) - 1e-9 <= strength <= 1e-9


@given(VISITS, st.floats(0.001, 1))
def test_strength_rises_with_z(visits, r_th):
    """d/dz E_norm is the variance of ln R under pi(z)."""
    strengths = [
        relative_strength(np.array(visits), z, r_th)
        for z in (-math.inf, -5.0, -1.0, 0.0, 0.5, 3.0, math.inf)
    ]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(strengths))


def test_by_hand():
    visits = np.array([100, 50, 9, 0])
    assert relative_strength(visits, math.inf, 0.1) == 0
    assert relative_strength(visits, -math.inf, 0.1) == pytest.approx(math.log(0.5))
    assert relative_strength(visits, 0.0, 0.1) == pytest.approx(math.log(0.5) / 2)
    assert relative_strength(visits, 1.0, 0.1) == pytest.approx(math.log(0.5) / 3)
    assert relative_strength(visits, -math.inf, 0.0) == pytest.approx(math.log(0.005))
    assert normalized_strength([visits, visits], 0.0, 0.1) == pytest.approx(math.log(0.5) / 2)
    assert mean_candidates([visits, np.array([1, 0])], 0.1) == 1.5


def test_no_positions():
    with pytest.raises(UsageError, match="no positions"):
        normalized_strength([], 0.0, 0.1)
