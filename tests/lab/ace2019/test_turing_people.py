"""The page of what people said of pairs of games, from a profile made here."""

import numpy as np
import pytest

from evenmatch.profiles import Profile
from evenmatch.profiles.people import Guess
from evenmatch.records.pairs import shipped_pairs
from evenmatch_lab.ace2019.turing_people import interval

OF_D = [
    pair
    for pair in shipped_pairs().by_id.values()
    if (pair.label, pair.player) == ("D", "pikl:elo=1250")
]


@pytest.fixture
def profile(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path / "state"))
    profile = Profile()
    yield profile
    profile.close()


def judge(profile, person: str, rights: str, sure: str = "certain") -> None:
    """Let a person judge as many pairs of class D as there are letters: y is right."""
    for pair, right in zip(OF_D, rights, strict=False):
        game = pair.program if right == "y" else pair.people
        profile.guesses.add(person, Guess(pair.id, game.id, sure, right == "y", 5.0))


def test_intervals_of_unequal_people():
    """The jackknife by hand: the shares without one of three people are 1/4, 3/4 and 2/4."""
    right, judges = np.array([1.0, 1, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2])
    low, high = interval(right, judges)
    assert low < 0.5 < high
    assert low + high == pytest.approx(1)
    assert high - low == pytest.approx(2 * 4.302653 * (3 - 1) ** 0.5 * np.std([0.25, 0.75, 0.5]))
