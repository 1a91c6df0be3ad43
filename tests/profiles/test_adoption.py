"""What older versions kept as files is taken over once."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from test_games import GAME

from evenmatch.games import GAMES
from evenmatch.players import make_player
from evenmatch.profiles import Profile

OLD = {"version": 1, "game": "connect4", "opponent": "random", "side": 1, "seed": 2,
       "actions": [3, 2], "person": "Ada"}  # fmt: skip
WHO = ("connect4", "inter:sims=1", "Ada")
MEMORY = {"version": 1, "game": WHO[0], "opponent": WHO[1], "person": WHO[2],
          "state": {"kind": "inter", "version": 2, "z": -0.375, "games": 1}}  # fmt: skip


@pytest.fixture
def write(profile):
    """Write a JSON value to a file of the folder."""

    def write(name, value):
        path = profile.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return write


def test_unfinished_games_are_taken_over_with_their_names(profile, write):
    path = write("unfinished/connect4-7.json", {"version": 2, **asdict(GAME)})
    write("connect4.json", OLD)
    found = {one.name: one.saved for one in profile.games.listed()}
    assert found["connect4-7"] == GAME
    assert found["connect4-1"].actions == (3, 2)
    assert found["connect4-1"].person == "Ada"
    assert not path.exists()
    moved = profile.folder / "before-profile"
    assert (moved / "unfinished" / "connect4-7.json").exists()
    assert (moved / "connect4.json").exists()


def test_two_of_one_name_are_both_taken_over(profile, write):
    write("unfinished/connect4-1.json", {"version": 2, **asdict(GAME)})
    write("connect4.json", OLD)
    assert sorted(profile.games.names()) == ["connect4-1", "connect4-2"]


def test_what_was_learned_is_taken_over(profile, write):
    write("memory/connect4-inter-abc.json", MEMORY)
    player = make_player(WHO[1], GAMES[WHO[0]])
    player.begin(np.array([0]), np.array([1], np.int8), 1)
    assert profile.memories.recall(player, *WHO)
    assert player.remember(0)["z"] == -0.375
    assert not (profile.folder / "memory" / "connect4-inter-abc.json").exists()


def test_it_happens_once(profile, write):
    """What an older version writes afterwards stays where it is."""
    write("connect4.json", OLD)
    profile.games.delete("connect4-1")
    write("connect4.json", OLD)
    assert Profile(profile.folder).games.names() == []


def test_other_files_of_the_folder_stay_where_they_are(profile, write):
    for name in ("package.json", "othello-backup.json", "unfinished/notes.json"):
        write(name, {})
    assert profile.games.listed() == []
    assert {path.name for path in profile.folder.glob("*.json")} == {
        "package.json", "othello-backup.json"
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"game": "othello"},
        {"side": 0},
        {"side": "first"},
        {"side": True},
        {"seed": None},
        {"seed": -1},
        {"actions": "334"},
        {"actions": [1.5]},
        {"opponent": 3},
        {"marks": ["stolen"]},
        {"marks": ["hint"]},
        {"hints": [3]},
        {"hints": [["a"]]},
        {"clock": [1, 2]},
        {"clock": [1, 2, 3, "4"]},
        {"pace": -1},
        {"forgets": 1},
        {"seen": -1},
        {"snapshots": [[1, {}]]},
    ],
    ids=str,
)
def test_games_that_cannot_be_read_stay_where_they_are(profile, write, change):
    data = {"version": 2, **asdict(GAME)} | change
    path = write("unfinished/connect4-1.json", data)
    fine = write("unfinished/connect4-2.json", {"version": 2, **asdict(replace(GAME, seed=3))})
    assert profile.games.names() == ["connect4-2"]
    assert path.exists()
    assert not fine.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"version": 1}', "\x00", "[" * 100_000]
)
def test_files_that_are_none_stay_where_they_are(profile, write, text):
    paths = [write("unfinished/connect4-1.json", text), write("memory/a.json", text)]
    assert profile.games.names() == []
    assert all(path.exists() for path in paths)


@pytest.mark.parametrize("field", ["game", "opponent", "side", "seed", "actions"])
def test_games_without_a_field_stay_where_they_are(profile, write, field):
    data = {"version": 2, **asdict(GAME)}
    del data[field]
    path = write("unfinished/connect4-1.json", data)
    assert profile.games.names() == []
    assert path.exists()


@pytest.mark.parametrize("change", [{"version": 9}, {"person": 3}, {"state": None}], ids=str)
def test_memories_that_cannot_be_read_stay_where_they_are(profile, write, change):
    path = write("memory/a.json", MEMORY | change)
    assert profile.memories.games_known(*WHO) is None
    assert path.exists()
