"""Finished games: kept with their moves, the latest first, counted, added from elsewhere."""

from dataclasses import replace
from itertools import pairwise

import pytest
from kept_games import GAME, keep

from evenmatch.errors import UsageError
from evenmatch.profiles import Finished, Outcome


def test_finished_games_are_kept_with_their_moves(profile):
    for seed, outcome in enumerate((Outcome(1, "resignation", 1500.0), Outcome(-1, ""))):
        place = keep(profile, replace(GAME, seed=seed), leave=False)
        profile.games.end(place.row, replace(GAME, seed=seed), outcome)
        place.leave()
    keep(profile, GAME)
    first, second = profile.games.finished("ADA")
    assert first.outcome == Outcome(1, "resignation", 1500.0)
    assert second.outcome == Outcome(-1, "", None)
    assert first.saved == replace(GAME, seed=0, states={})
    assert first.begun <= first.ended <= second.ended
    assert profile.games.finished("Ada", "connect4") == [first, second]
    assert profile.games.finished("Ada", "chess") == profile.games.finished("Bob") == []
    assert profile.games.names() == ["connect4-1"], "numbers of finished games are free"


def test_the_latest_games_are_told_by_the_page(profile):
    """In the order in which they ended, not in that in which they came here."""
    outcome = Outcome(1, "")
    for number, (person, ended) in enumerate((("Ada", 3), ("Bob", 2), ("Ada", 1), ("Ada", 1))):
        saved = replace(GAME, person=person, states={})
        finished = Finished(saved=saved, outcome=outcome, begun=0.0, ended=float(ended))
        profile.games.add([(f"{number}", finished)])
    last, second, first = profile.games.finished("Ada")[::-1]
    (other,) = profile.games.finished("Bob")
    assert profile.games.latest("ADA", 2) == [last, second]
    assert profile.games.latest("ada", 2, last.row) == [second, first]
    assert profile.games.latest("ada", 2, second.row) == [first]
    assert profile.games.latest("ada", 2, first.row) == []
    assert profile.games.latest("ada", 2, other.row) == []


def test_a_tally_differs_whenever_finished_games_changed(profile):
    """Also where as many went as came, or a game was turned; an unfinished game is none."""
    seen = [profile.games.tallies("ada")]
    place = keep(profile, GAME)
    assert profile.games.tallies("ada") == seen[0] == {}
    lost = Outcome(-1, "resignation")
    game = Finished(saved=replace(GAME, states={}), outcome=lost, begun=0.0, ended=1.0)
    profile.games.add([("elsewhere", game)])
    seen.append(profile.games.tallies("ADA"))
    assert seen[-1] == {"connect4": (1, 2, 1.0, 2 * GAME.side)}
    turned = replace(game, saved=replace(game.saved, side=-GAME.side))
    profile.games.add([("elsewhere", turned)])
    seen.append(profile.games.tallies("ada"))
    assert seen[-1] == {"connect4": (1, 2, 1.0, -2 * GAME.side)}
    with profile.together():
        profile.games.delete_row(2)
        profile.games.end(place.row, GAME, lost)
    seen.append(profile.games.tallies("ada"))
    assert seen[-1]["connect4"].games == 1
    with profile.together():
        profile.games.delete_row(place.row)
        profile.games.add([("again", game)])
    seen.append(profile.games.tallies("ada"))
    assert seen[-1] == {"connect4": (1, 3, 1.0, 3 * GAME.side)}
    profile.people.delete("Ada")
    seen.append(profile.games.tallies("ada"))
    assert seen[-1] == {}
    assert all(before != after for before, after in pairwise(seen))


def test_room_is_for_new_games_alone(profile):
    """Games that are there may be sent again; too many add none."""
    finished = [Finished(saved=GAME, outcome=Outcome(1, ""), begun=0.0, ended=k) for k in range(4)]
    games = [(f"{k}", one) for k, one in enumerate(finished)]
    assert profile.games.add(games[:3], 3).new == 3
    assert profile.games.add(games[:3], 0) == (0, 0, 0)
    with pytest.raises(UsageError, match="there is room for 0 new games, and these are 1"):
        profile.games.add(games, 0)
    assert len(profile.games.finished("Ada")) == 3
    assert profile.games.add(games, 1).new == 1
