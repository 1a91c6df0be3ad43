import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks

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
