import json
from dataclasses import replace

import pytest

from evenmatch.errors import StateError
from evenmatch.frontends import saves
from evenmatch.frontends.saves import Saved

GAME = Saved(game="connect4", opponent="random", side=-1, seed=7, actions=(3, 3, 0))


def test_reads_what_it_wrote(state):
    saves.write(GAME)
    assert saves.read("connect4") == GAME
    saves.write(replace(GAME, actions=(3,)))
    assert saves.read("connect4").actions == (3,)
    assert [path.name for path in state.iterdir()] == ["connect4.json"]  # no partial file left
    saves.remove("connect4")
    assert not list(state.iterdir())
    saves.remove("connect4")


def test_default_folder(monkeypatch):
    monkeypatch.delenv("EVENMATCH_STATE")
    assert saves.folder().name == "evenmatch"


def test_nothing_saved():
    with pytest.raises(StateError, match="leave out --resume to start one"):
        saves.read("connect4")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"game": "othello"},
        {"side": 0},
        {"side": "first"},
        {"seed": None},
        {"actions": "334"},
        {"actions": [1.5]},
        {"opponent": 3},
    ],
    ids=str,
)
def test_unreadable_fields(state, change):
    saves.write(GAME)
    path = state / "connect4.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match="delete it, or leave out --resume"):
        saves.read("connect4")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"version": 1}', "\x00", "[" * 100_000]
)
def test_unreadable_files(state, text):
    state.mkdir()
    (state / "connect4.json").write_text(text)
    with pytest.raises(StateError, match="is no saved game"):
        saves.read("connect4")


def test_a_failed_write_keeps_the_old_file(state, monkeypatch):
    saves.write(GAME)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(saves.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        saves.write(replace(GAME, actions=()))
    assert saves.read("connect4") == GAME
    assert len(list(state.iterdir())) == 1
