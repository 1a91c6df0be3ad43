"""Beliefs against a naive twin that keeps probabilities."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import StateError
from evenmatch.ratings.belief import Belief

GRID = np.arange(1000, 2600, 50) + 25.0
LOGS = st.lists(st.floats(-30, 0), min_size=len(GRID), max_size=len(GRID))


class Naive:
    """Probabilities of each rating, one by one, multiplied and divided."""

    def __init__(self, grid, prior):
        self.grid = list(grid)
        self.prior = self.scaled(np.exp(prior).tolist())
        self.chances = list(self.prior)

    @staticmethod
    def scaled(weights):
        return [weight / sum(weights) for weight in weights]

    def update(self, logs):
        self.chances = self.scaled([c * np.exp(x) for c, x in zip(self.chances, logs, strict=True)])

    def fade(self, kept):
        pairs = zip(self.chances, self.prior, strict=True)
        self.chances = self.scaled([c**kept * p ** (1 - kept) for c, p in pairs])

    def below(self, rating, step):
        """The chance of less than a rating, a cell's spread evenly."""
        shares = ((rating - (x - step / 2)) / step for x in self.grid)
        return sum(
            chance * min(max(share, 0), 1)
            for chance, share in zip(self.chances, shares, strict=True)
        )


@given(prior=LOGS, first=LOGS, second=LOGS, kept=st.floats(0, 1))
def test_it_is_as_a_naive_twin_has_it(prior, first, second, kept):
    belief, naive = Belief(GRID, prior), Naive(GRID, prior)
    for one in (belief, naive):
        one.update(np.array(first))
        one.fade(kept)
        one.update(np.array(second))
    assert belief.probabilities == pytest.approx(naive.chances, abs=1e-9)
    assert belief.mean == pytest.approx(np.dot(naive.chances, naive.grid))
    low, high = belief.interval()
    assert naive.below(low, 50) == pytest.approx(0.025, abs=1e-6)
    assert naive.below(high, 50) == pytest.approx(0.975, abs=1e-6)
    assert low < high, "the mean may lie outside: a small chance far away moves it"


def test_many_at_once_are_each_alone():
    rng = np.random.default_rng(1)
    evidence = rng.normal(size=(5, len(GRID)))
    together = Belief(GRID)
    together.update(evidence)
    for row, mean, interval in zip(evidence, together.mean, together.interval(), strict=True):
        alone = Belief(GRID)
        alone.update(row)
        assert alone.mean == pytest.approx(mean)
        assert alone.interval() == pytest.approx(interval)


def test_a_certain_belief_does_not_move():
    belief = Belief.certain(1537.5)
    belief.update([-3.0])
    belief.fade(0.5)
    assert belief.mean == 1537.5
    assert belief.interval().tolist() == [1537.5, 1537.5]


def test_fading_all_leaves_the_prior():
    belief = Belief(GRID, -((GRID - 1500) ** 2) / 2e5)
    before = belief.probabilities
    belief.update(GRID / 100)
    belief.fade(0.0)
    assert belief.probabilities == pytest.approx(before)


def test_json_holds_it():
    belief, other = Belief(GRID), Belief(GRID)
    belief.update(np.sin(GRID))
    other.read_json(json.loads(json.dumps(belief.to_json())))
    assert (other.log_weights == belief.log_weights).all()


@pytest.mark.parametrize("state", [None, {}, {"logs": [0.0]}, {"logs": ["a"] * 32}])
def test_json_of_another_is_refused(state):
    with pytest.raises(StateError, match="does not fit its ratings; start without it"):
        Belief(GRID).read_json(state)


def test_json_that_is_not_finite_is_refused():
    with pytest.raises(StateError):
        Belief(GRID).read_json({"logs": [float("nan"), *[0.0] * (len(GRID) - 1)]})
