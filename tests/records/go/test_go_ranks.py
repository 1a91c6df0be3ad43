"""Ranks of Go as numbers, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.ratings.scale import RANKS
from evenmatch.records.go.values import rank_number

ALL = [*(f"{n}k" for n in range(30, 0, -1)), *(f"{n}d" for n in range(1, 10))]


def test_a_step_is_one_kyu_or_dan():
    numbers = [rank_number(rank) for rank in ALL]
    assert numbers == list(range(100, 4000, 100))
    assert [RANKS.write(number) for number in numbers] == ALL


def test_professionals_lie_above():
    numbers = [rank_number(f"{n}p") for n in range(1, 10)]
    assert numbers == list(range(4000, 4090, 10))
    assert [RANKS.write(number) for number in numbers] == [f"{n}p" for n in range(1, 10)]
    assert [RANKS.read(f"{n}p") for n in range(1, 10)] == numbers


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("1d?", "1d"), ("12 kyu", "12k"), ("9段", "9d"), ("3級", "3k"), ("18级", "18k"),
        ("5K", "5k"), (" 2 Dan ", "2d"), ("4d*", "4d"), ("6 kyu?", "6k"), ("7급", "7k"),
        ("初段", "1d"), ("九段", "9d"), ("十八级", "18k"), ("二十级", "20k"), ("pro9d", "9p"),
        ("5d pro", "5p"), ("1 pro", "1p"), ("9p pro", "9p"), ("职业七段", "7p"), ("P3d", "3p"),
        ("10gup", "10k"), ("4-dan", "4d"),
    ],
)  # fmt: skip
def test_ways_to_write_ranks(text, rank):
    assert rank_number(text) == RANKS.read(rank)


@pytest.mark.parametrize("text", ["", "-", "?", "NR"])
def test_no_rank(text):
    assert rank_number(text) == 0


@pytest.mark.parametrize("text", ["31k", "0k", "10d", "0d", "10p", "d", "strong", "1500", "十十级"])
def test_what_cannot_be_read(text):
    assert rank_number(text) is None


@given(st.text(alphabet="0123456789kdpyuan段級级十九初 ?*-pro", max_size=8) | st.text(max_size=8))
def test_whatever_is_typed_is_a_number_or_nothing(text):
    number = rank_number(text)
    assert number is None or number == 0 or 100 <= number <= 4080
