"""The drill of profiles in a small size, and that it notices what is wrong."""

import shutil

import pytest

from evenmatch.profiles import Profile
from evenmatch_lab.drills import profile_kills


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a drill of a few games, and what it saw.

    Moves take long enough that a few games are not over before the first kill.
    """
    folder = tmp_path_factory.mktemp("drill")
    return folder, profile_kills.drill(3, 1, folder)


def test_nothing_is_lost_by_kills(played):
    _, seen = played
    assert seen["kills"] > 0
    assert profile_kills.passed(seen), seen


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("DELETE FROM game WHERE ended IS NOT NULL", "finished games that are missing"),
        ("DELETE FROM move WHERE ply = 3", "moves that are missing"),
        ("UPDATE move SET action = 6 - action", "moves that are missing"),
        ("DELETE FROM move WHERE ply > 3", "games that are not by the rules"),
        ("DELETE FROM memory", "games that taught nothing, or twice"),
    ],
)
def test_what_is_wrong_is_noticed(played, tmp_path, sentence, wrong):
    folder, _ = played
    shutil.copytree(folder / "state", tmp_path / "state")
    with Profile(tmp_path / "state").together() as connection:
        connection.execute(sentence)
    seen = profile_kills.compared(tmp_path / "state", sorted(folder.glob("*.log")), 3)
    assert seen[wrong] > 0
    assert not profile_kills.passed({"kills": 1} | seen)
