"""When an opponent of a rating resigns or accepts a draw."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.errors import UsageError
from evenmatch.opponents.resigning import (
    EVEN,
    EVEN_PLIES,
    EVEN_TURNS,
    MOST,
    PATIENCE,
    PEOPLE,
    RATINGS,
    accepts_draw,
    resign_chance,
)

CHANCES = st.floats(0, 1)
LOW = st.floats(0, MOST)


EARLY = [0.5] * PATIENCE  #: as many turns as nobody resigns at


def logit(chance):
    return math.log(chance / (1 - chance))


def after(rating, *chances):
    """The probability of resigning after a long even game and these turns."""
    return resign_chance(rating, [*EARLY, *chances])


def test_the_probability_is_the_formula_s():
    """By hand, with the numbers that ship."""
    turns = PEOPLE.now * logit(0.04) + PEOPLE.before * logit(0.3) + PEOPLE.earlier * logit(0.2)
    odds = math.exp(PEOPLE.constant + PEOPLE.rating * (1900 - 1600) / 400 + turns)
    assert after(1900, 0.1, 0.2, 0.3, 0.04) == pytest.approx(odds / (1 + odds))


def test_nobody_resigns_early():
    assert resign_chance(2400, []) == 0
    assert resign_chance(2400, [0.01] * PATIENCE) == 0
    assert resign_chance(2400, [0.01] * (PATIENCE + 1)) > 0


def test_who_resigns_more():
    """The stronger, the more hopeless, and who has just fallen rather than who plays on."""
    assert after(1000, *[0.03] * 3) < after(2000, *[0.03] * 3)
    assert after(1500, 0.03, 0.03, 0.03) < after(1500, 0.03, 0.03, 0.01)
    assert after(1500, 0.03, 0.03, 0.03) < after(1500, 0.5, 0.5, 0.03)


@given(st.floats(0, 4000), st.lists(CHANCES, max_size=6), st.floats(MOST, 1, exclude_min=True))
def test_nobody_resigns_who_has_chances(rating, before, now):
    assert after(rating, *before, now) == 0


@given(st.floats(0, 4000), st.lists(CHANCES, max_size=6), LOW)
def test_it_is_a_probability_and_never_certain(rating, before, now):
    assert 0 < after(rating, *before, now) < 1
    chances = np.array([*EARLY, *before, now])
    assert resign_chance(rating, chances) == after(rating, *before, now)


def test_ratings_and_chances_beyond_the_data_count_as_its_ends():
    low, high = RATINGS
    assert after(100, 0.02) == after(low, 0.02)
    assert after(3500, 0.02) == after(high, 0.02)
    assert after(1500, 0.0) == after(1500, 0.003)
    assert after(1500, 1.0, 0.02) == after(1500, 0.5, 0.02)


def test_a_dead_even_game_is_a_draw():
    even = [0.5 + EVEN / 2] * EVEN_TURNS
    assert accepts_draw([0.9, *even], EVEN_PLIES)
    assert not accepts_draw(even, EVEN_PLIES - 1)
    assert not accepts_draw(even[1:], EVEN_PLIES)
    for off in (0.5 + 1.1 * EVEN, 0.5 - 1.1 * EVEN):
        for at in range(EVEN_TURNS):
            assert not accepts_draw([*even[:at], off, *even[at + 1 :]], EVEN_PLIES)
    assert not accepts_draw([], 200)
    assert accepts_draw(np.array(even), EVEN_PLIES) is True


@pytest.mark.parametrize("bad", [-0.01, 1.01, math.nan])
def test_what_is_no_chance_is_refused(bad):
    with pytest.raises(UsageError, match="outside"):
        resign_chance(1500, [0.5, bad, 0.02])
    with pytest.raises(UsageError, match="outside"):
        accepts_draw([bad], 100)
