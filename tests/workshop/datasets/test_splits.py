"""Splits: the same everywhere, in the shares asked for."""

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.workshop.datasets.splits import read_shares, split_of

NAMES = [f"player {number}" for number in range(20_000)]


def test_shares_are_kept():
    """Fixed names and salt; of fresh salts one in 200,000 would be 5 deviations off."""
    for shares in ((75, 5, 10, 10), (1, 1, 2, 1)):
        counts = np.bincount([split_of(name, shares) for name in NAMES], minlength=4)
        wanted = np.array(shares) / sum(shares)
        spread = np.sqrt(len(NAMES) * wanted * (1 - wanted))
        assert (abs(counts - len(NAMES) * wanted) < 5 * spread).all()


def test_the_split_never_changes():
    """These numbers are a promise: datasets built long ago are divided by them."""
    splits = [split_of(name) for name in NAMES[:40]]
    assert "".join(map(str, splits)) == "0023220000200003002000320200002300000300"
    assert [split_of(name) for name in NAMES] != [split_of(name, salt="x") for name in NAMES]


def test_a_larger_share_keeps_who_was_in():
    before = [split_of(name, (60, 10, 10, 20)) for name in NAMES]
    after = [split_of(name, (80, 5, 5, 10)) for name in NAMES]
    assert all(b == 0 for a, b in zip(before, after, strict=True) if a == 0)


def test_empty_splits():
    assert {split_of(name, (1, 0, 0, 0)) for name in NAMES} == {0}
    assert {split_of(name, (0, 0, 1, 0)) for name in NAMES} == {2}


def test_shares_are_read():
    assert read_shares("75/5/10/10") == (75, 5, 10, 10)
    assert read_shares("1/0/0/0") == (1, 0, 0, 0)


@pytest.mark.parametrize(
    "text", ["", "80", "80/20", "75/5/10/10/1", "a/b/c/d", "-1/1/1/1", "1.5/1/1/1", "٣/1/1/1"]
)
def test_shares_that_cannot_be_read(text):
    with pytest.raises(UsageError, match="write them as 75/5/10/10"):
        read_shares(text)


def test_no_shares():
    with pytest.raises(UsageError, match="are 0; write"):
        read_shares("0/0/0/0")
