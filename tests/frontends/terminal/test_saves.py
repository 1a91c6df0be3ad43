import json
import multiprocessing
import stat
from dataclasses import replace

import pytest

from evenmatch.errors import StateError
from evenmatch.frontends.terminal import saves
from evenmatch.sessions.saved import Saved

GAME = Saved(
    game="connect4", opponent="random", side=-1, seed=7, actions=(3, 3, 0),
    marks=("given", "", "hint"), hints=((3, 3, 0), (3, 3, 1)), clock=(60.0, 1.0, 50.5, 3.25),
    seen=3, pace=0.5,
)  # fmt: skip
OLD = {"version": 1, "game": "connect4", "opponent": "random", "side": 1, "seed": 2,
       "actions": [3, 2], "person": "Ada"}  # fmt: skip


def keep(saved, leave=True):
    place = saves.take(saved.game)
    place.write(saved)
    if leave:
        place.leave()
    return place


def files(state):
    return sorted(path.name for path in (state / "unfinished").glob("*.json"))


def test_reads_what_it_wrote(state):
    place = keep(GAME, leave=False)
    assert place.name == "connect4-1"
    assert saves.read("connect4-1") == GAME
    place.write(replace(GAME, actions=(3,)))
    assert saves.read("connect4-1").actions == (3,)
    assert files(state) == ["connect4-1.json"]  # no partial file left
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o600
    place.remove()
    assert not list((state / "unfinished").iterdir())


def test_every_game_has_a_file_of_its_own(state):
    places = [keep(replace(GAME, seed=seed), leave=False) for seed in range(3)]
    assert files(state) == ["connect4-1.json", "connect4-2.json", "connect4-3.json"]
    places[1].remove()
    assert files(state) == ["connect4-1.json", "connect4-3.json"]
    assert keep(GAME).name == "connect4-2"
    assert saves.read("connect4-3").seed == 2


def test_the_latest_is_gone_on_with_unless_it_is_open():
    keep(replace(GAME, seed=1))
    keep(replace(GAME, game="othello", seed=2))
    last = keep(replace(GAME, seed=3), leave=False)
    place, saved = saves.resume("connect4")
    assert saved.seed == 1, "the latest, connect4-2, is open"
    place.leave()
    last.leave()
    place, saved = saves.resume(None)
    assert (place.name, saved.seed) == ("connect4-2", 3)
    with pytest.raises(StateError, match="connect4-2 is open in another terminal"):
        saves.resume("connect4-2")
    with pytest.raises(StateError, match="connect4-2 is open in another terminal"):
        saves.delete("connect4-2")
    assert saves.resume("othello-1")[1].seed == 2


def test_all_are_listed(state):
    keep(GAME)
    open_still = keep(replace(GAME, game="othello"), leave=False)
    saves.path_of("chess-1").write_text("{")
    rows = saves.listed()
    assert [(row.name, row.is_open) for row in rows] == [
        ("chess-1", False), ("othello-1", True), ("connect4-1", False)
    ]  # fmt: skip
    assert rows[2].saved == GAME
    assert rows[0].saved is None
    assert "not JSON" in rows[0].why
    open_still.leave()


def test_delete(state):
    keep(GAME)
    saves.delete("connect4-1")
    assert not list((state / "unfinished").iterdir())
    for name in ("connect4-1", "../memory/x-1", "connect4"):
        with pytest.raises(StateError, match="there is no unfinished game"):
            saves.delete(name)


def test_games_kept_by_older_versions_are_gone_on_with(state):
    state.mkdir()
    (state / "connect4.json").write_text(json.dumps(OLD))
    keep(GAME)
    assert files(state) == ["connect4-1.json", "connect4-2.json"]
    old = saves.read("connect4-1")
    assert (old.actions, old.person, old.marks) == ((3, 2), "Ada", ())
    assert not (state / "connect4.json").exists()


def test_other_files_of_the_folder_stay_where_they_are(state):
    state.mkdir()
    for name in ("package.json", "othello-backup.json"):
        (state / name).write_text("{}")
    keep(GAME)
    assert [one.name for one in saves.listed()] == ["connect4-1"]
    assert {path.name for path in state.glob("*.json")} == {"package.json", "othello-backup.json"}


def test_default_folder(monkeypatch):
    monkeypatch.delenv("EVENMATCH_STATE")
    assert saves.folder().name == "evenmatch"


def test_nothing_saved():
    with pytest.raises(StateError, match=r"no unfinished game of connect4 in .*; start one"):
        saves.resume("connect4")
    keep(replace(GAME, game="othello"))
    with pytest.raises(StateError, match=r"no unfinished game of connect4 in .*there is othell"):
        saves.resume("connect4")


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
        {"hints": [3]},
        {"hints": [["a"]]},
        {"clock": [1, 2]},
        {"clock": [1, 2, 3, "4"]},
        {"pace": -1},
        {"forgets": 1},
        {"seen": -1},
    ],
    ids=str,
)
def test_unreadable_fields(change):
    path = keep(GAME).path
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match=r"4-1\.json is no saved game .*--delete connect4-1"):
        saves.resume("connect4-1")
    saves.delete("connect4-1")  # what it says to do works


@pytest.mark.parametrize("field", ["game", "opponent", "side", "seed", "actions"])
def test_missing_fields(field):
    path = keep(GAME).path
    data = json.loads(path.read_text())
    del data[field]
    path.write_text(json.dumps(data))
    with pytest.raises(StateError, match=f"no valid '{field}'"):
        saves.read("connect4-1")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"version": 1}', "\x00", "[" * 100_000]
)
def test_unreadable_files(text):
    keep(GAME).path.write_text(text)
    with pytest.raises(StateError, match="is no saved game"):
        saves.read("connect4-1")


def test_a_failed_write_keeps_the_old_file(state, monkeypatch):
    place = keep(GAME, leave=False)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(saves.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        place.write(replace(GAME, actions=()))
    assert saves.read("connect4-1") == GAME
    assert files(state) == ["connect4-1.json"]


def _die_while_open(folder):
    import os

    os.environ["EVENMATCH_STATE"] = folder
    keep(GAME, leave=False)
    os._exit(1)


def test_a_program_that_died_leaves_its_game_to_others(state):
    child = multiprocessing.get_context("spawn").Process(target=_die_while_open, args=(str(state),))
    child.start()
    child.join(60)
    assert child.exitcode == 1
    assert saves.resume("connect4-1")[1] == GAME
