from dataclasses import replace

import pytest
from kept_games import GAME, keep

from evenmatch.errors import StateError
from evenmatch.profiles import Outcome


def test_nobody_is_deleted_in_the_middle_of_a_game(profile):
    place = keep(profile, GAME, leave=False)
    with pytest.raises(StateError, match="connect4-1 is open in another terminal"):
        profile.people.delete("Ada")
    place.leave()
    profile.people.delete("Ada")
    with pytest.raises(StateError, match="the game was deleted meanwhile"):
        place.save(GAME)
    with pytest.raises(StateError, match="the game was deleted meanwhile"):
        profile.games.end(place.row, GAME, Outcome(1, ""))
    keep(profile, GAME)
    with profile.together() as connection:
        assert connection.execute("SELECT id FROM game").fetchone()[0] == 2, "no number twice"


def test_what_is_deleted_is_not_left_in_the_file(profile):
    keep(profile, replace(GAME, person="Somebody Unusual"))
    profile.people.delete("somebody unusual")
    found = b"".join(path.read_bytes() for path in profile.folder.glob("profile*"))
    assert b"Somebody Unusual" not in found


def test_names_that_nobody_has_or_somebody_has(profile):
    keep(profile, GAME)
    with pytest.raises(StateError, match="nobody is called 'Bob' here; known: Ada"):
        profile.people.delete("Bob")
    with pytest.raises(StateError, match="nobody is called 'Bob'"):
        profile.people.rename("Bob", "Ada")
    with profile.together() as connection:
        connection.execute("INSERT INTO person (name, folded) VALUES ('Bob', 'bob')")
    with pytest.raises(StateError, match="there is a 'ADA' already"):
        profile.people.rename("Bob", "ADA")
