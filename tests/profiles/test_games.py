"""Finished games: kept with their moves, the latest first, counted, added from elsewhere."""

from dataclasses import replace
from itertools import pairwise

import pytest
from kept_games import GAME, finished, keep

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.play.session import Session
from evenmatch.profiles import Finished, KeptGame, Outcome, Profile


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


def test_a_damaged_game_is_left_out_and_the_others_are_read(profile, caplog):
    for ended in range(3):
        profile.games.add([(f"{ended}", finished(ended))])
    first, second, last = profile.games.finished("Ada")
    with profile.together() as connection:
        connection.execute("UPDATE game SET saved = '{' WHERE id = ?", (second.row,))
    assert profile.games.finished("Ada") == profile.games.latest("Ada", 9)[::-1] == [first, last]
    (said,) = caplog.messages
    assert said.startswith("what is kept of a game (connect4) is damaged (left out; it stays in ")
    assert f"row {second.row} of {profile.folder}" in said
    assert profile.games.count_unrated("Ada", "connect4", "x", "y") == 2
    with pytest.raises(StateError, match=r"\(connect4\) is damaged"):
        profile.games.add([("1", finished(1))])


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


def test_room_is_for_new_games_alone(profile):
    """Games that are there may be sent again; too many add none."""
    games = [(f"{k}", finished(k)) for k in range(4)]
    assert profile.games.add(games[:3], 3).new == 3
    assert profile.games.add(games[:3], 0) == (0, 0, 0)
    with pytest.raises(UsageError, match="there is room for 0 new games, and these are 1"):
        profile.games.add(games, 0)
    assert len(profile.games.finished("Ada")) == 3
    assert profile.games.add(games, 1).new == 1


def test_a_tally_differs_whenever_finished_games_changed(profile):
    """Also where as many went as came, or a game was turned."""
    game = Finished(saved=replace(GAME, states={}), outcome=Outcome(-1, ""), begun=0.0, ended=1.0)
    turned = replace(game, saved=replace(game.saved, side=-GAME.side))
    seen = [profile.games.tallies("ada")]
    for one in (game, turned):
        profile.games.add([("elsewhere", one)])
        seen.append(profile.games.tallies("ADA"))
    profile.games.delete_row(profile.games.finished("Ada")[0].row)
    profile.games.add([("again", game)])
    seen.append(profile.games.tallies("ada"))
    assert all(before != after for before, after in pairwise(seen))


def test_a_game_that_is_in_memory_is_not_replayed(profile, monkeypatch):
    session = Session(get_game("connect4"), "random", 1, 1, "Ada", store=profile.memories)
    kept = KeptGame(profile.games)
    while not session.over:
        session.move(session.legal[0])
        if not session.over:
            session.reply()
    kept.finish(session)
    played = list(session.line.actions)
    with monkeypatch.context() as patched:
        patched.setattr(Line, "push", None)  # not to be called
        (known,) = profile.games.finished("Ada")
        assert known.line.actions == played
    session.rematch(2)
    assert known.line.actions == played, "a rematch leaves it as it was"
    (again,) = Profile(profile.folder).games.finished("Ada")
    assert again.line.actions == played, "another program replays it"
