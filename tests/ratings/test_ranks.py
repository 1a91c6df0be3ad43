import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.ratings.ranks import Bands

RANKS = Ranks()


def test_bands_of_the_paper():
    """Eight bands of 200 from 1000 to 2600, rank 1 the strongest."""
    ratings = [999, 1000, 1199, 1200, 2399, 2400, 2599, 2600, np.nan, -50]
    assert RANKS.of(ratings).tolist() == [0, 8, 8, 7, 2, 1, 1, 0, 0, 0]
    assert RANKS.name(1) == "2400-2599"
    assert RANKS.name(8) == "1000-1199"


def test_middles_lie_in_their_ranks():
    ranks = np.arange(1, 9)
    assert (RANKS.of(RANKS.middle(ranks)) == ranks).all()
    assert RANKS.middle(1.5) == 2400


@pytest.mark.parametrize("wrong", [{"width": 0}, {"count": 1}])
def test_ranks_that_cannot_be_told_apart(wrong):
    with pytest.raises(UsageError, match="at least 2 ranks"):
        Ranks(**wrong)


def test_ratings_are_scaled_by_their_ranks():
    assert RANKS.scaled([1000, 1800, 2600]).tolist() == [-1, 0, 1]
    assert Ranks(lowest=3050, width=100, count=9).scaled(3500) == 0


def test_bands_of_go_are_named_by_their_ranks():
    bands = Bands((50, 1550, 3050, 3550, 3950, 4100), "kyu")
    names = ["1p-9p", "6d-9d", "1d-5d", "15k-1k", "30k-16k"]
    assert [bands.name(number) for number in range(1, 1 + bands.count)] == names
    assert bands.spans[0] == (3950, 4100)
    assert bands.middles.tolist() == [4025, 3750, 3300, 2300, 800]
    dans = Ranks(lowest=3050, width=100, count=9, written="kyu")
    assert [dans.name(rank) for rank in (1, 9)] == ["9d", "1d"]
    assert dans.middle(1) == 3900


def test_ranks_are_bands_of_one_width():
    assert [RANKS.bands.name(rank) for rank in (1, 8)] == ["2400-2599", "1000-1199"]
    assert (RANKS.bands.middles == RANKS.middle(range(1, 9))).all()
