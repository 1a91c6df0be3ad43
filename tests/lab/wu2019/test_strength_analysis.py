import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import UsageError
from evenmatch.opponents.visit_softmax import candidates, probabilities
from evenmatch_lab.wu2019.analysis import (
    candidates_of,
    linear_fit,
    logistic_fit,
    mean_candidates,
    mean_power,
    normalized_strength,
    relative_strengths,
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


def test_strength_index_is_nats_of_elo_by_e_norm():
    """Eqs. 16 and 17; Elo is 400 points a factor of ten. Not negative where both fall."""
    assert strength_index(-400 * math.log10(math.e), -1) == pytest.approx(1)
    assert strength_index(-1088, -1) == pytest.approx(1088 * math.log(10) / 400)
    assert strength_index(-1088, -0.5) == pytest.approx(2 * strength_index(-1088, -1))


@given(VISITS, st.floats(-1e6, 1e6), st.floats(0.001, 1))
def test_no_move_is_worse_than_formula_7(visits, z, r_th):
    """E_rel(z) >= H ln R_th, whatever the visits."""
    strength = relative_strengths(np.array([visits]), z, r_th)[0]
    assert math.log(r_th) - 1e-9 <= strength <= 1e-9


@given(VISITS, st.floats(0.001, 1))
def test_strength_rises_with_z(visits, r_th):
    """d/dz E_norm is the variance of ln R under pi(z)."""
    strengths = [
        relative_strengths(np.array([visits]), z, r_th)[0]
        for z in (-math.inf, -5.0, -1.0, 0.0, 0.5, 3.0, math.inf)
    ]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(strengths))


@given(VISITS, st.floats(-20, 20), st.floats(0.001, 1), st.integers(0, 41))
def test_against_the_players_own_probabilities(visits, z, r_th, top):
    """The same number from pi(z) as the player draws it."""
    counts = np.array(visits)
    allowed = candidates(counts, counts > 0, r_th, top)
    assert (candidates_of(counts[None], r_th, top)[0] == allowed).all()
    pi = probabilities(counts, allowed, z)[allowed]
    expected = pi @ np.log(counts[allowed] / counts.max())
    strength = relative_strengths(counts[None], z, r_th, top)[0]
    assert strength == pytest.approx(expected, abs=1e-9)


@given(VISITS, st.floats(-5, 5), st.floats(0.01, 1))
def test_power_means_rise_with_the_power_through_e_norm(visits, z, r_th):
    """Jensen: (1/k) ln E[R^k] rises with k, and is E[ln R] at k = 0."""
    counts = np.array([visits])
    below, above = (math.log(mean_power(counts, z, r_th, k)) / k for k in (-0.5, 0.5))
    assert below - 1e-9 <= normalized_strength(counts, z, r_th) <= above + 1e-9


def test_by_hand():
    visits = np.array([[100, 50, 9, 0]])
    assert relative_strengths(visits, math.inf, 0.1) == 0
    assert relative_strengths(visits, -math.inf, 0.1) == pytest.approx(math.log(0.5))
    assert relative_strengths(visits, 0.0, 0.1) == pytest.approx(math.log(0.5) / 2)
    assert relative_strengths(visits, 1.0, 0.1) == pytest.approx(math.log(0.5) / 3)
    assert relative_strengths(visits, -math.inf, 0.0) == pytest.approx(math.log(0.09))
    both = np.array([[100, 50, 9, 0], [1, 0, 0, 0]])
    assert normalized_strength(both, 0.0, 0.1) == pytest.approx(math.log(0.5) / 4)
    assert mean_candidates(both, 0.1) == 1.5
    assert mean_candidates(both, 0.0, top=2) == 1.5
    assert relative_strengths(visits, -math.inf, 0.0, top=2) == pytest.approx(math.log(0.5))
    assert mean_power(both, 0.0, 0.1, -1) == pytest.approx((1.5 + 1) / 2)
    assert mean_candidates(both, 0.5) == 1.5  # 50 of 100 visits are at the threshold


def test_no_positions():
    with pytest.raises(UsageError, match="no positions"):
        normalized_strength(np.empty((0, 7)), 0.0, 0.1)
