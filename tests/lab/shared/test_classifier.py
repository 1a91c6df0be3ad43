"""The classifier that tells two kinds of rows apart, and its intervals."""

import numpy as np

from evenmatch_lab.shared.classifier import balanced, told_right


def test_two_kinds_are_told_apart():
    rng = np.random.default_rng(1)
    agents = np.arange(300) % 3 == 0
    rows = rng.normal(size=(300, 6)) + agents[:, None] * [3, 0, 0, 0, 0, 0]
    assert told_right(rows, agents, np.arange(300), 1).mean() > 0.85  # at best 0.93


def test_one_kind_is_not():
    """400 guesses at even chances: beyond five deviations with a chance of 6e-7."""
    rng = np.random.default_rng(2)
    rows, agents = rng.normal(size=(400, 6)), np.arange(400) % 2 == 0
    assert abs(told_right(rows, agents, np.arange(400), 1).mean() - 0.5) < 0.125


def test_nobody_is_both_learned_and_asked():
    """Every person has a number of their own, which a classifier could learn by heart."""
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(100), 4)
    rows = rng.normal(size=(100, 60))[people]
    agents = (rng.random(100) < 0.5)[people]
    assert told_right(rows, agents, people, 1).mean() < 0.75  # by heart it is 1


def test_of_each_kind_rows_weigh_as_much():
    """What is told right of 3 of 4 and of 10 of 40 is half on average."""
    kinds = np.arange(44) >= 4
    right = np.concatenate([[1, 1, 1, 0], np.arange(40) < 10]).astype(float)
    assert balanced(right, kinds, np.arange(44))[0] == 0.5


def test_intervals_hold_the_truth_where_rows_of_a_group_agree():
    """1000 samples of 20 people with 1 to 5 rows of one opinion, and 40 pairs.

    95% intervals should hold the truth in 950 of them, +-7; 915 is five deviations below. Taken as
    independent, rows promise too much: 72%, far below 900. (With 1 to 8 rows it is 93%.)
    """
    rng, held, naively = np.random.default_rng(6), 0, 0
    sizes = np.array([1, 2, 3, 4, 5] * 4)
    groups = np.concatenate([np.repeat(np.arange(20), sizes), np.repeat(np.arange(20, 60), 2)])
    kinds = groups >= 20
    for _ in range(1000):
        right = (rng.random(60) < np.where(np.arange(60) < 20, 0.6, 0.8))[groups].astype(float)
        middle, half = balanced(right, kinds, groups)
        held += abs(middle - 0.7) < half
        middle, half = balanced(right, kinds, np.arange(len(groups)))
        naively += abs(middle - 0.7) < half
    assert held > 915
    assert naively < 900


def test_where_all_is_told_right_the_interval_is_that_of_half_a_failure():
    right, kinds = np.ones(40), np.arange(40) >= 20
    middle, half = balanced(right, kinds, np.arange(40))
    share = 20.5 / 21
    assert middle == 1
    t = 2.0930  # of 19 degrees of freedom, from tables
    assert np.isclose(half, t * (share * (1 - share) / 20 / 2) ** 0.5, rtol=1e-4)
