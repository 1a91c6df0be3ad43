"""How many have resigned after so many turns."""

import numpy as np
import pytest
from own_turns_by_hand import own_turns

from evenmatch.strength.resigning import Habit
from evenmatch_lab.shared import playing_on
from evenmatch_lab.shared.playing_on import Followed, after_falling, follow, half_time, incidence
from evenmatch_lab.shared.resigning_turns import row_features

NEVER = Habit(-50, 0, 0, 0, 0)
HALF = Habit(0, 0, 0, 0, 0)


def followed(there, resigned, ended, expected=None):
    there, resigned, ended = (np.array(x, bool) for x in (there, resigned, ended))
    expected = np.where(there, 0.25, 0.0) if expected is None else np.array(expected)
    return Followed(there, resigned, expected, ended, np.arange(len(there)))


def test_without_other_ends_it_is_the_share_that_has_resigned():
    there = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    resigned = [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
    curve = incidence(followed(there, resigned, np.zeros((4, 3))), np.ones((1, 4)), False)
    assert curve[0] == pytest.approx([0.25, 0.5, 0.5])


def test_other_ends_compete():
    """By hand: one of four is mated after its first turn, one resigns at the second."""
    there = [[1, 0], [1, 1], [1, 1], [1, 1]]
    resigned, ended = [[0, 0], [0, 1], [0, 0], [0, 0]], [[1, 0], [0, 0], [0, 0], [0, 0]]
    curve = incidence(followed(there, resigned, ended), np.ones((1, 4)), False)
    assert curve[0] == pytest.approx([0, 0.75 / 3])


def test_who_is_lost_sight_of_says_nothing():
    """By hand (Kaplan and Meier): of four three are seen at the second turn, and one resigns."""
    there = [[1, 0], [1, 1], [1, 1], [1, 1]]
    resigned = [[0, 0], [0, 1], [0, 0], [0, 0]]
    curve = incidence(followed(there, resigned, np.zeros((4, 2))), np.ones((1, 4)), False)
    assert curve[0] == pytest.approx([0, 1 / 3])


def test_the_model_resigns_with_its_probabilities():
    """By hand: a quarter at each turn, and a third of those who go on is mated after the first."""
    there, ended = [[1, 0], [1, 1], [1, 1]], [[1, 0], [0, 0], [0, 0]]
    curve = incidence(followed(there, np.zeros((3, 2)), ended), np.ones((1, 3)), True)
    assert curve[0] == pytest.approx([0.25, 0.25 + 0.75 * 2 / 3 * 0.25])


def test_weights_count_sides():
    there = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    resigned = [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
    found = followed(there, resigned, np.zeros((4, 3)))
    twice = followed([there[0], *there], [resigned[0], *resigned], np.zeros((5, 3)))
    weighted = incidence(found, np.array([[2.0, 1, 1, 1]]), False)
    assert weighted == pytest.approx(incidence(twice, np.ones((1, 5)), False))


def test_half_of_those_who_resign():
    assert half_time(np.array([0.1, 0.2, 0.3, 0.4, 0.4])) == 1
    assert half_time(np.array([0.3, 0.3, 0.4])) == 0


# -- following recorded games --------------------------------------------------------------------


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(playing_on, "HORIZON", 3)
    monkeypatch.setattr(playing_on, "SHOWN", (0, 2))


def test_sides_are_followed_from_the_first_lost_turn():
    """Resigns at its third lost turn; is mated after its first; recovers, and wins."""
    turns = own_turns(
        ([0.5, 0.04, 0.03, 0.02], "resigns"),
        ([0.5, 0.04, 0.0], "is mated"),
        ([0.5, 0.04, 0.6, 0.8], "wins"),
        ([0.5, 0.06, 0.5], "wins"),
    )
    found = follow(turns, row_features(turns), HALF, np.ones(4, bool))
    assert found.people.tolist() == [0, 1, 2]
    assert found.there.tolist() == [[True] * 3, [True, False, False], [True, True, False]]
    assert found.resigned.tolist() == [[False, False, True], [False] * 3, [False] * 3]
    assert found.expected.tolist() == [[0.5, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]]
    assert found.ended.tolist() == [[False] * 3, [True, False, False], [False, True, False]]


def test_games_without_an_increment_are_lost_sight_of():
    """From ply 80 on, where people begin to run out of time."""
    lost = [0.04] * 5
    known = own_turns((lost, "resigns"), start=74)
    blind = own_turns((lost, "resigns"), start=74, increment=0)
    for turns, there in ((known, [True] * 3), (blind, [True] * 3)):
        found = follow(turns, row_features(turns), HALF, np.ones(1, bool))
        assert found.there[0].tolist() == there
        assert not found.ended.any()
    later = own_turns((lost, "is mated"), start=76, increment=0)
    found = follow(later, row_features(later), HALF, np.ones(1, bool))
    assert found.there[0].tolist() == [True, True, False]
    assert not found.ended.any()


def test_people_and_model_side_by_side():
    lost = [([0.5, 0.04, 0.04, 0.04], "resigns")] * 6 + [([0.5, 0.04, 0.04, 0.04], "is mated")] * 2
    turns = own_turns(*lost)
    found = after_falling(turns, row_features(turns), NEVER, np.ones(8, bool))
    assert (found["sides"], found["people"]) == (8, 8)
    assert found["shown"][-1][0] == pytest.approx(0.75)
    assert found["shown"][0][0] == 0
    assert found["model"][-1] == [0, 0, 0]
    low, high = found["more"][-1][1:]
    assert low < -0.75 < high <= 0
    assert after_falling(turns, row_features(turns), NEVER, np.zeros(8, bool)) == {}
