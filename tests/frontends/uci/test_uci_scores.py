"""Scores as chess programs show them, and lines of MultiPV on random statistics of a root."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.engine.analysis import by_score
from evenmatch.frontends.uci.protocol import EVEN_DRAWS, ValueScore
from evenmatch.play.tree import best_actions
from evenmatch.search import RootStats

VALUES = np.linspace(-1, 1, 41)


def test_centipawns_are_those_of_the_formula():
    assert ValueScore(0.0).centipawns == 0
    assert ValueScore(0.5).centipawns == -ValueScore(-0.5).centipawns == 89
    assert ValueScore(1.0).centipawns == 12780
    scores = [ValueScore(float(v)).centipawns for v in VALUES]
    assert scores == sorted(scores)


@pytest.mark.parametrize("draw", [None, 0.0, 0.3, 1.0])
def test_chances_are_of_a_thousand_and_mean_the_value(draw):
    for value in VALUES:
        chances = ValueScore(float(value), draw).wdl
        assert sum(chances) == 1000
        assert min(chances) >= 0
        assert abs((chances[0] - chances[2]) / 1000 - value) < 0.002


def test_draws_shrink_as_the_value_leaves_zero():
    even = ValueScore(0.0, 0.4)
    assert even.moved(0.5).draw == pytest.approx(0.3)
    assert even.moved(1.0).draw == 0
    assert ValueScore(0.0).wdl[1] == 1000 * EVEN_DRAWS


def root(visits, means=None, priors=None, legal=None):
    """A root's statistics; by default all actions are legal and alike."""
    n = len(visits)
    return RootStats(
        visits=np.array([visits], np.int32),
        means=np.where(np.array([visits]) > 0, [np.zeros(n) if means is None else means], 0.0),
        priors=np.array([np.full(n, 1 / n) if priors is None else priors], np.float32),
        legal=np.array([np.ones(n, bool) if legal is None else legal]),
        values=np.zeros(1, np.float32),
        scores=np.zeros((1, n)),
        gumbel=np.zeros(1, bool),
    )


@st.composite
def roots(draw):
    n = draw(st.integers(1, 12))
    few = st.sampled_from([-1.0, -0.25, 0.0, 0.1, 0.25, 1.0])  # so that many are equal
    value = few | st.floats(-1, 1)
    many = st.lists(value, min_size=n, max_size=n)
    visits = draw(st.lists(st.integers(0, 6) | st.integers(0, 1000), min_size=n, max_size=n))
    legal = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
    visits = [count * able for count, able in zip(visits, legal, strict=True)]
    return root(visits, draw(many), np.abs(draw(many)), legal)


@given(roots(), st.integers(1, 14), st.floats(-1, 1), st.integers(0, 2**12))
def test_every_line_is_another_move_and_no_score_is_above_the_one_before(stats, most, value, word):
    mates = lambda action: bool(word >> action & 1)  # noqa: E731
    lines = by_score(stats, most, value, mates)
    actions, values = [line.action for line in lines], [line.value for line in lines]
    assert len(actions) == len(set(actions)) == min(most, int(stats.legal.sum()))
    assert stats.legal[0, actions].all()
    assert values == sorted(values, reverse=True)
    assert [line.mate == 1 for line in lines] == sorted(map(mates, actions), reverse=True)
    assert sorted(actions) == sorted(best_actions(stats, most))
    first = lines[0]
    visits, means = stats.visits[0], stats.means[0]
    assert not first.bound
    assert first.mate or 2 * visits[first.action] >= visits[actions].max()
    for line in lines:
        if line.bound:
            assert line.value < means[line.action]  # a bound, as it says
            assert 2 * visits[line.action] < visits[actions].max()
        elif visits[line.action] and not line.mate:
            assert line.value == means[line.action]  # the search's own


@given(roots(), st.floats(-1, 1))
def test_a_single_line_is_the_most_visited(stats, value):
    (line,) = by_score(stats, 1, value, lambda action: False)
    visits = stats.visits[0]
    assert visits[line.action] == visits.max()
    assert line.value == (stats.means[0, line.action] if visits.max() else value)


def shown(rows):
    """Action and value of each row; moves to a mate and "bound" if they are set."""
    others = [([row.mate] if row.mate else []) + ["bound"] * row.bound for row in rows]
    return [(row.action, row.value, *more) for row, more in zip(rows, others, strict=True)]


@pytest.mark.parametrize(
    ("visits", "means", "wanted"),
    [
        ([60, 30], [0.1, 0.2], [(1, 0.2), (0, 0.1)]),
        ([60, 29], [0.1, 0.2], [(0, 0.1), (1, 0.1, "bound")]),
        ([60, 29], [0.1, 0.0], [(0, 0.1), (1, 0.0)]),
        ([60, 40, 2], [0.1, 0.2, 0.9], [(1, 0.2), (2, 0.2, "bound"), (0, 0.1)]),
        ([60, 0, 3], [-0.5, 0, -0.6], [(0, -0.5), (2, -0.6), (1, -0.6)]),
        ([60, 0, 3], [0.5, 0, 0.4], [(0, 0.5), (2, 0.4), (1, 0.3)]),
        ([0, 0], [0, 0], [(0, 0.3), (1, 0.3)]),
    ],
)
def test_orders_by_hand(visits, means, wanted):
    assert shown(by_score(root(visits, means), 5, 0.3, lambda action: False)) == wanted


def test_proven_lines_by_their_values():
    """Wins first, the quickest in front, draws among what was searched, losses last."""
    stats = root([60, 3, 0, 0, 0], [0.2, -0.4, 0, 0, 0])
    known = np.array([[np.nan, np.nan, 0.0, 1 - 5 / 1024, -1 + 4 / 1024]])
    lines = by_score(replace(stats, known=known), 5, 0.3, lambda action: False)
    assert shown(lines) == [
        (3, 1 - 5 / 1024, 3), (0, 0.2), (2, 0.0), (1, -0.4), (4, -1 + 4 / 1024, -2)
    ]  # fmt: skip
