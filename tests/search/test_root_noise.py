"""Randomness at the root: Dirichlet noise, Gumbel noise and sequential halving."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenmatch.search.root_noise import (
    completed_means,
    halving_choice,
    halving_turns,
    improved_policy,
)

#: (considered, simulations) -> turns, worked out by hand
TURNS = {
    (1, 4): (0, 1, 2, 3),
    (0, 3): (0, 1, 2),  # a root without actions to halve
    (2, 2): (0, 0),
    (2, 5): (0, 0, 1, 1, 2),  # one phase of 5 // 2 rounds, then the two go on in turn
    (2, 1): (0,),
    (3, 7): (0, 0, 0, 1, 1, 2, 2),  # ceil(log2 3) = 2 phases; 3 // 2 = 1, but two survive
    (4, 4): (0, 0, 0, 0),
    (4, 8): (0, 0, 0, 0, 1, 1, 2, 2),  # 8 / (2 * 4) = 1 round of four, 8 / (2 * 2) = 2 of two
    (4, 16): (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5),
    (5, 3): (0, 0, 0),
    (7, 12): (0,) * 7 + (1,) * 3 + (2, 2),  # 7, 3, 2: more phases than rounds to spend
    (8, 24): (0,) * 8 + (1,) * 4 + (2,) * 4 + (3, 3, 4, 4, 5, 5, 6, 6),
    (16, 32): (0,) * 16 + (1,) * 8 + (2,) * 4 + (3,) * 4,
}


@pytest.mark.parametrize(("considered", "simulations"), TURNS)
def test_turns_by_hand(considered, simulations):
    assert halving_turns(considered, simulations) == TURNS[considered, simulations]


@given(st.integers(1, 70), st.integers(1, 600))
def test_turns_are_a_schedule(considered, simulations):
    """Whoever is due exists, nobody is overtaken by more than the others' deaths allow."""
    turns = halving_turns(considered, simulations)
    assert len(turns) == simulations
    visits = [0] * considered
    for turn in turns:
        due = [i for i in range(considered) if visits[i] == turn]
        assert due  # an action with so many visits is there
        visits[due[0]] += 1
    assert sum(visits) == simulations
    assert (np.diff(turns) >= 0).all()
    tried = sum(count > 0 for count in visits)
    assert tried == min(considered, simulations)


@given(st.integers(2, 6), st.integers(1, 5))
def test_phases_share_the_simulations_equally(log, rounds):
    """With 2^k actions and a fitting budget every phase has the same number of simulations."""
    considered = 2**log
    simulations = log * considered * rounds
    turns, phase = halving_turns(considered, simulations), considered * rounds
    had = 0
    for k in range(log):
        survivors = considered >> k
        each = phase // survivors
        part = turns[k * phase : (k + 1) * phase]
        assert part == tuple(np.repeat(np.arange(had, had + each), survivors))
        had += each


# -- q of actions and the improved policy ----------------------------------------------------------


def row(*values, kind=float):
    return np.array([values], kind)


def test_completed_means_by_hand():
    """Visited: their own mean. Unvisited: (v + N * sum(p q) / sum(p)) / (1 + N)."""
    q = completed_means(
        row(2, 1, 0, 0, kind=int), row(0.5, -0.25, 0, 0), row(0.3, 0.1, 0.4, 0.2),
        np.array([0.2]), row(1, 1, 1, 0, kind=bool),
    )  # fmt: skip
    seen = (0.3 * 0.5 - 0.1 * 0.25) / 0.4
    mixed = (0.2 + 3 * seen) / 4
    assert q[0, :3] == pytest.approx([0.5, -0.25, mixed])


def test_without_visits_every_action_has_the_value_of_the_root():
    q = completed_means(
        row(0, 0, kind=int), row(0, 0), row(0.9, 0.1), np.array([-0.3]), row(1, 1, kind=bool)
    )
    assert q.tolist() == [[-0.3, -0.3]]


def test_improved_policy_by_hand():
    """softmax(log p + (50 + 2) * (q + 1) / 2) with q of the unvisited action mixed."""
    policy = improved_policy(
        row(2, 1, 0, kind=int), row(0.01, 0.03, 0), row(0.5, 0.25, 0.25),
        np.array([0.0]), row(1, 1, 1, kind=bool),
    )  # fmt: skip
    mixed = (0 + 3 * (0.5 * 0.01 + 0.25 * 0.03) / 0.75) / 4
    weights = [p * math.exp(26 * q) for p, q in ((0.5, 0.01), (0.25, 0.03), (0.25, mixed))]
    assert policy[0] == pytest.approx(np.array(weights) / sum(weights), rel=1e-5)


@st.composite
def roots(draw):
    """Statistics of one root: (visits, means, priors, values, legal), each [1, A] or [1]."""
    count = draw(st.integers(2, 8))

    def rows(strategy):
        return np.array([draw(st.lists(strategy, min_size=count, max_size=count))])

    legal = rows(st.booleans())
    legal[0, draw(st.integers(0, count - 1))] = True
    visits = np.where(legal, rows(st.integers(0, 30)), 0)
    means = np.where(visits > 0, rows(st.floats(-1, 1)), 0.0)
    weights = np.where(legal, rows(st.floats(0.001, 1)), 0.0)
    priors = (weights / weights.sum()).astype(np.float32)
    return visits, means, priors, np.array([draw(st.floats(-1, 1))], np.float32), legal


@given(roots())
def test_improved_policy_is_a_distribution_over_legal_actions(root):
    policy = improved_policy(*root)
    assert policy.dtype == np.float32
    assert policy.sum() == pytest.approx(1, abs=1e-5)
    assert (policy >= 0).all()
    assert (policy[~root[-1]] == 0).all()


@given(roots())
def test_improved_policy_improves(root):
    """The expected q under it is no lower than under the priors."""
    _, _, priors, _, legal = root
    q = np.where(legal, completed_means(*root), 0)
    assert (improved_policy(*root) * q).sum() >= (priors * q).sum() - 1e-5


@given(roots())
def test_improved_policy_is_the_prior_where_nothing_was_learned(root):
    visits, means, priors, values, legal = root
    unseen = improved_policy(np.zeros_like(visits), means * 0, priors, values, legal)
    assert unseen == pytest.approx(priors, abs=1e-5)
    alike = np.where(visits > 0, float(values[0]), 0.0)
    assert improved_policy(visits, alike, priors, values, legal) == pytest.approx(priors, abs=1e-4)


@given(roots(), st.integers(0, 7), st.floats(0.01, 0.5))
def test_a_better_visited_action_gets_more(root, action, gain):
    visits, means, priors, values, legal = root
    action %= visits.shape[1]
    if visits[0, action] == 0 or means[0, action] + gain > 1:
        return
    better = means.copy()
    better[0, action] += gain
    before = improved_policy(*root)[0, action]
    assert improved_policy(visits, better, priors, values, legal)[0, action] >= before - 1e-6


@given(st.lists(roots(), min_size=2, max_size=4))
def test_rows_do_not_touch(several):
    width = max(root[0].shape[1] for root in several)

    def stack(i):
        if several[0][i].ndim == 1:
            return np.concatenate([root[i] for root in several])
        pad = [((0, 0), (0, width - root[i].shape[1])) for root in several]
        return np.concatenate([np.pad(root[i], p) for root, p in zip(several, pad, strict=True)])

    together = improved_policy(*(stack(i) for i in range(5)))
    for policy, root in zip(together, several, strict=True):
        alone = improved_policy(*root)[0]
        assert policy[: len(alone)] == pytest.approx(alone, abs=1e-6)


def test_a_prior_of_nothing_stays_finite():
    policy = improved_policy(
        row(1, 3, kind=int), row(1.0, -1.0), row(0, 1), np.array([0.0]), row(1, 1, kind=bool)
    )
    assert np.isfinite(policy).all()
    assert policy.sum() == pytest.approx(1)


# -- the survivor ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visits", "means", "scores", "legal", "choice"),
    [
        ((4, 4, 2), (0.0, 0.1, 0.9), (0, 0, 0), (1, 1, 1), 1),  # among the most visited
        ((4, 4, 2), (0.0, 0.1, 0.9), (9, 0, 0), (1, 1, 1), 0),  # 9 > 54 * 0.05
        ((4, 4, 2), (0.0, 0.1, 0.9), (2, 0, 0), (1, 1, 1), 1),  # 2 < 54 * 0.05
        ((0, 0, 0), (0, 0, 0), (1, 3, 2), (1, 0, 1), 2),  # nothing tried: by prior and noise
        ((1, 1, 1), (0, 0, 0), (5, 5, 5), (1, 1, 1), 0),  # the first of equals
        ((0, 0, 0), (0, 0, 0), (-9, 0, 0), (1, 0, 0), 0),  # illegal ones have score 0
    ],
)
def test_halving_choice(visits, means, scores, legal, choice):
    found = halving_choice(
        row(*visits, kind=int), row(*means), row(*scores), row(*legal, kind=bool)
    )
    assert found.tolist() == [choice]


@settings(max_examples=50)
@given(roots(), st.integers(0, 2**32 - 1))
def test_halving_choice_is_legal_and_most_visited(root, seed):
    visits, means, _, _, legal = root
    scores = np.random.default_rng(seed).normal(size=visits.shape)
    choice = halving_choice(visits, means, scores, legal)[0]
    assert legal[0, choice]
    assert visits[0, choice] == visits.max()
