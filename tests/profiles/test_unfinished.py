"""Unfinished games: written as they go on, gone on with by name, one program at a time."""

import multiprocessing
import stat
from dataclasses import replace

import pytest
from kept_games import GAME, keep

from evenmatch.errors import StateError
from evenmatch.profiles import Profile
from evenmatch.profiles.database import NAME as DATABASE


def read(profile, name):
    return next(one.saved for one in profile.games.unfinished() if one.name == name)


def test_a_game_is_read_as_it_was_written(profile):
    place = keep(profile, GAME, leave=False)
    assert place.name == "connect4-1"
    assert read(profile, "connect4-1") == GAME
    assert stat.S_IMODE((profile.folder / DATABASE).stat().st_mode) == 0o600
    place.remove()
    assert profile.games.unfinished() == []


@pytest.mark.parametrize(
    "later",
    [
        {"actions": (3, 3, 0, 1), "marks": ("given", "", "hint", "")},
        {"actions": (3,), "marks": ("given",), "states": {"1": {"z": 0.5}}},
        {"clock": (60.0, 1.0, 1.5, 0.0), "seen": 9, "pace": None, "disputed": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("again", [False, True], ids=["at once", "gone on with"])
def test_what_changed_is_written(profile, later, again):
    """Moves added, taken back, played otherwise; by who wrote the game, or who goes on with it."""
    place = keep(profile, GAME, leave=again)
    if again:
        place, _ = Profile(profile.folder).games.resume("connect4-1")
    changed = replace(GAME, **later)
    place.save(changed)
    assert read(profile, "connect4-1") == changed


def test_every_game_has_a_name_of_its_own(profile):
    places = [keep(profile, replace(GAME, seed=seed), leave=False) for seed in range(3)]
    assert profile.games.names() == ["connect4-3", "connect4-2", "connect4-1"]
    places[1].remove()
    assert profile.games.names() == ["connect4-3", "connect4-1"]
    assert keep(profile, GAME).name == "connect4-2"
    assert read(profile, "connect4-3").seed == 2


def test_the_latest_is_gone_on_with_unless_it_is_open(profile):
    keep(profile, replace(GAME, seed=1))
    keep(profile, replace(GAME, game="othello", seed=2))
    last = keep(profile, replace(GAME, seed=3), leave=False)
    place, saved = profile.games.resume("connect4")
    assert saved.seed == 1, "the latest, connect4-2, is open"
    place.leave()
    last.leave()
    place, saved = profile.games.resume(None)
    assert (place.name, saved.seed) == ("connect4-2", 3)
    with pytest.raises(StateError, match="connect4-2 is open in another terminal"):
        profile.games.resume("connect4-2")
    with pytest.raises(StateError, match="connect4-2 is open in another terminal"):
        profile.games.delete("connect4-2")
    assert profile.games.resume("othello-1")[1].seed == 2


def test_delete(profile):
    keep(profile, GAME)
    profile.games.delete("connect4-1")
    assert profile.games.names() == []
    for name in ("connect4-1", "../memory/x-1", "connect4"):
        with pytest.raises(StateError, match="there is no unfinished game"):
            profile.games.delete(name)


def test_nothing_saved(profile):
    with pytest.raises(StateError, match=r"no unfinished game of connect4 in .*; start one"):
        profile.games.resume("connect4")
    keep(profile, replace(GAME, game="othello"))
    with pytest.raises(StateError, match=r"no unfinished game of connect4 in .*there is othell"):
        profile.games.resume("connect4")
    with pytest.raises(StateError, match="no unfinished game 'chess-9' in"):
        profile.games.resume("chess-9")


def test_a_failed_write_keeps_the_game_as_it_was(profile):
    """Of a change that fails half way nothing is kept; the next one is whole."""
    place = keep(profile, GAME, leave=False)

    def fail():
        with profile.together():
            place.save(replace(GAME, actions=(3, 4), marks=("", "")))
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert read(Profile(profile.folder), "connect4-1") == GAME


def _die_while_open(folder):
    import os

    keep(Profile(folder), GAME, leave=False)
    os._exit(1)


def test_a_program_that_died_leaves_its_game_to_others(profile):
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=_die_while_open, args=(profile.folder,))
    child.start()
    child.join(60)
    assert child.exitcode == 1
    assert profile.games.resume("connect4-1")[1] == GAME
