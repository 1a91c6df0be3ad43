"""Ratings are written and read on their scales."""

import pytest

from evenmatch.errors import UsageError
from evenmatch.ratings.scale import Elo, KyuDan

GO = KyuDan(one_dan=2100, width=100)


@pytest.mark.parametrize(
    ("rating", "text"),
    [(2100, "1d"), (2149, "1d"), (2151, "2d"), (2049, "1k"), (1600, "5k"), (2900, "9d")],
)
def test_ranks_of_go(rating, text):
    assert GO.write(rating) == text


@pytest.mark.parametrize("rating", [-5000, -901, 2901, 9000])
def test_ranks_end(rating):
    assert GO.write(rating) in ("30k", "9d")


@pytest.mark.parametrize(
    "text", [*(f"{n}k" for n in range(1, 31)), *(f"{n}d" for n in range(1, 10))]
)
def test_ranks_read_back(text):
    assert GO.write(GO.read(text)) == text


def test_neighbours_are_a_width_apart():
    assert GO.read("1d") - GO.read("1k") == 100
    assert GO.read(" 3D ") == 2300


@pytest.mark.parametrize("text", ["", "0k", "31k", "10d", "5", "k5", "5 stones", "٥k"])
def test_what_is_no_rank(text):
    with pytest.raises(UsageError, match="is not a rank; write one such as 8k or 2d"):
        GO.read(text)


def test_elo():
    assert Elo().write(1499.6) == "1500"
    assert Elo().read(" 1500 ") == 1500
    with pytest.raises(UsageError, match="is not a rating; write a number such as 1500"):
        Elo().read("1.5k")
