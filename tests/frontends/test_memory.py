import json

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.frontends import memory, saves
from evenmatch.games import GAMES
from evenmatch.players import make_player

WHO = ("connect4", "inter:sims=1", "Ada")


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    return tmp_path


def player_after(result):
    player = make_player(WHO[1], GAMES["connect4"])
    player.begin(np.array([0]), np.array([1], np.int8), 1)
    player.finish(0, result)
    return player


def test_what_was_learned_is_kept_and_found(state):
    memory.keep(player_after(1.0), *WHO)
    other = make_player(WHO[1], GAMES["connect4"])
    assert memory.recall(other, *WHO)
    assert other.remember(0)["z"] == -0.375


def test_persons_and_opponents_are_kept_apart(state):
    memory.keep(player_after(1.0), *WHO)
    other = make_player(WHO[1], GAMES["connect4"])
    assert not memory.recall(other, "connect4", WHO[1], "Bob")
    assert not memory.recall(other, "connect4", "inter:sims=2", "Ada")
    assert not memory.recall(other, "othello", WHO[1], "Ada")


def test_forgetting(state):
    memory.keep(player_after(1.0), *WHO)
    assert memory.forget(*WHO)
    assert not memory.forget(*WHO)
    assert not memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


def test_players_that_do_not_learn_leave_nothing(state):
    memory.keep(make_player("random", GAMES["connect4"]), "connect4", "random", "Ada")
    assert not list(state.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "its version is 9"),
        ({"game": "othello"}, "its game is 'othello'"),
        ({"person": "Bob"}, "its person is 'Bob'"),
        ({"state": None}, "not of 'inter'"),
        ({"state": {"kind": "inter", "version": 2, "z": "a", "games": 1}}, "no number 'z'"),
    ],
)
def test_foreign_files_are_refused(state, change, message):
    memory.keep(player_after(1.0), *WHO)
    path = memory.path_of(*WHO)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match=f"{message}.*start anew with --forget"):
        memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


@pytest.mark.parametrize("text", ["{", "[" * 100_000], ids=["{", "deep"])
def test_broken_files_are_refused(state, text):
    memory.keep(player_after(1.0), *WHO)
    memory.path_of(*WHO).write_text(text)
    with pytest.raises(StateError, match=r"not JSON.*--forget"):
        memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


LEARNS = ("connect4", "-o", WHO[1])


def test_a_resumed_game_is_the_same_persons(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="4")
    refused = run("play", "connect4", "--resume", "--name", "Bob", lines="resign")
    assert refused.exit_code == 2
    assert "the unfinished game is Ada's; leave out --name or --resume" in refused.stderr
    run("play", "connect4", "--resume", lines="resign")
    assert memory.path_of(*WHO).exists()
    assert not memory.path_of(*WHO[:2], saves.YOU).exists()


def test_resigning_before_the_first_move_teaches_nothing(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="resign")
    assert not memory.path_of(*WHO).exists()


def test_what_is_forgotten_is_told(run, state):
    memory.keep(player_after(1.0), *WHO)
    told = f"{WHO[1]} has forgotten Ada."
    for text in (told, f"{WHO[1]} knew nothing of Ada."):
        result = run("play", *LEARNS, "--name", "Ada", "--forget", lines="resign")
        assert text in result.stdout + result.stderr


def test_a_nameless_name(run):
    result = run("play", *LEARNS, "--name", " ", lines="resign")
    assert result.exit_code == 2
    assert "at least one letter" in result.stderr


def test_a_saved_opponent_that_is_none(run, state):
    saves.write(saves.Saved(game="connect4", opponent="nobody", side=1, seed=1, actions=()))
    result = run("play", "connect4", "--resume", lines="resign")
    assert result.exit_code == 2
    assert "is no saved game (unknown player 'nobody'" in result.stderr
    assert "delete it, or leave out --resume" in result.stderr
