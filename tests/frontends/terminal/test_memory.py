import json

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.frontends.terminal import memory, saves
from evenmatch.games import GAMES
from evenmatch.players import make_player
from evenmatch.sessions.saved import YOU

WHO = ("connect4", "inter:sims=1", "Ada")


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    return tmp_path


def in_a_game(spec=WHO[1], game="connect4"):
    player = make_player(spec, GAMES[game])
    player.begin(np.array([0]), np.array([1], np.int8), 1)
    return player


def learn(result=1.0, who=WHO, **how):
    memory.learn(in_a_game(who[1], who[0]), *who, result, **how)


def recalled(who=WHO):
    player = make_player(who[1], GAMES[who[0]])
    assert memory.recall(player, *who)
    return player.remember(0)


def test_what_was_learned_is_kept_and_found(state):
    learn()
    other = make_player(WHO[1], GAMES["connect4"])
    assert memory.recall(other, *WHO)
    assert other.remember(0)["z"] == -0.375


def test_persons_and_opponents_are_kept_apart(state):
    learn()
    other = make_player(WHO[1], GAMES["connect4"])
    assert not memory.recall(other, "connect4", WHO[1], "Bob")
    assert not memory.recall(other, "connect4", "inter:sims=2", "Ada")
    assert not memory.recall(other, "othello", WHO[1], "Ada")


def test_forgetting(state):
    learn()
    assert memory.games_known(*WHO) == 1
    memory.forget(*WHO)
    memory.forget(*WHO)
    assert memory.games_known(*WHO) is None
    assert not memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


def test_players_that_do_not_learn_leave_nothing(state):
    learn(who=("connect4", "random", "Ada"))
    learn(who=("connect4", "alphazero:sims=1", "Ada"))
    assert not (state / "memory").exists()


def test_games_that_go_on_at_once_teach_both(state):
    """In the order in which they end; as one after the other if only results teach."""
    first, second = in_a_game(), in_a_game()
    memory.learn(first, *WHO, 1.0)
    memory.learn(second, *WHO, 1.0)
    assert recalled() == {"kind": "inter", "version": 2, "z": -0.375 * 1.95, "games": 2}


def test_moves_of_games_that_go_on_at_once_teach_both(state):
    """Both controllers of `even` began from nothing; the odds of both games are in the file."""
    who = ("connect4", "even:sims=1,looks=1", "Ada")
    games = [in_a_game(who[1]) for _ in range(2)]
    said = np.random.default_rng(1).normal(size=(2, 10))  # what the moves of each say of a level
    for player, odds in zip(games, said, strict=True):
        player.controller(0).update(odds)
    for player in games:
        memory.learn(player, *who, 0.0)
    state = recalled(who)
    found = np.array([state[f"level{i}"] for i in range(10)])
    prior = in_a_game(who[1]).controller(0).belief.prior
    expected = prior + 0.5 * (0.5 * said[0] + said[1])  # half of it fades after each game
    assert np.ptp(found - expected) < 1e-9, "but for a constant"
    assert state["games"] == 2


def test_a_result_that_says_nothing_teaches_nothing_but_moves_do(state):
    learn(1.0)
    learn(None)
    assert recalled() == {"kind": "inter", "version": 2, "z": -0.375, "games": 1}


def test_what_was_given_up_teaches_a_share(state):
    learn(0.25)
    assert recalled()["z"] == -0.375 / 4


def test_learning_anew(state):
    learn()
    learn(-1.0, anew=True)
    assert recalled()["z"] == 0.375


def test_people_are_known_in_any_case(state):
    learn()
    for name in ("ada", "ADA"):
        assert memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO[:2], name)


def test_what_older_versions_kept_is_found_and_moved(state):
    """Their file was named by the person's name as typed."""
    learn()
    new = memory.path_of(*WHO)
    old = memory._path(*WHO)
    assert old != new
    new.rename(old)
    assert memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)
    learn()
    assert recalled()["games"] == 2
    assert not old.exists()


def test_a_folder_that_cannot_be_written_still_lets_the_player_hear(state, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", "/dev/null/state")
    player = in_a_game()
    with pytest.raises(OSError, match="Not a directory"):
        memory.learn(player, *WHO, 1.0)
    assert player.remember(0)["games"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "its version is 9"),
        ({"game": "othello"}, "its game is 'othello'"),
        ({"person": "Bob"}, "its person is 'Bob'"),
        ({"state": None}, "it has no state"),
        ({"state": {}}, "not of 'inter'"),
        ({"state": {"kind": "inter", "version": 2, "z": "a", "games": 1}}, "no number 'z'"),
    ],
)
def test_foreign_files_are_refused(state, change, message):
    learn()
    path = memory.path_of(*WHO)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match=f"{message}.*start anew with --forget"):
        memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


@pytest.mark.parametrize("text", ["{", "[" * 100_000], ids=["{", "deep"])
def test_broken_files_are_refused(state, text):
    learn()
    memory.path_of(*WHO).write_text(text)
    with pytest.raises(StateError, match=r"not JSON.*--forget"):
        memory.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


LEARNS = ("connect4", "-o", WHO[1])


def test_a_resumed_game_is_the_same_persons(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="4")
    refused = run("play", "connect4", "--resume", "--name", "Bob", lines="resign")
    assert refused.exit_code == 2
    assert "the unfinished game is Ada's; leave out --name, or start a new game" in refused.stderr
    run("play", "connect4", "--resume", "--name", "ada", lines="resign")
    assert memory.path_of(*WHO).exists()
    assert not memory.path_of(*WHO[:2], YOU).exists()


def test_resigning_before_the_first_move_teaches_nothing(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="resign")
    assert not memory.path_of(*WHO).exists()


def test_what_will_be_forgotten_is_told_and_forgotten_with_the_first_move(run, state):
    learn()
    forget = ("play", *LEARNS, "--name", "Ada", "--forget")
    result = run(*forget, lines="quit")
    told = "With your first move inter forgets what it learned in 1 game with Ada."
    assert told in result.stdout
    assert memory.games_known(*WHO) == 1, "nothing was played"
    run(*forget, lines="4")
    assert memory.games_known(*WHO) is None
    assert "inter remembers nothing of Ada." in run(*forget, lines="quit").stdout


def test_a_broken_memory_is_mended_by_forgetting(run, state):
    learn()
    memory.path_of(*WHO).write_text("{")
    assert "start anew with --forget" in run("play", *LEARNS, "--name", "Ada").stderr
    result = run("play", *LEARNS, "--name", "Ada", "--forget", lines="4")
    assert "forgets what it learned with Ada" in result.stdout
    assert not memory.path_of(*WHO).exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [(" ", "at least one letter"), ("A\nB", "without line breaks"), ("x" * 81, "at most 80")],
)
def test_names_that_are_none(run, name, why):
    result = run("play", *LEARNS, "--name", name, lines="resign")
    assert result.exit_code == 2
    assert why in result.stderr


def test_a_saved_opponent_that_is_none(run, state):
    place = saves.take("connect4")
    place.write(saves.Saved(game="connect4", opponent="nobody", side=1, seed=1, actions=()))
    place.leave()
    result = run("play", "connect4", "--resume", lines="resign")
    assert result.exit_code == 2
    assert "is no saved game (unknown player 'nobody'" in result.stderr
    assert "delete it: evenmatch play --delete connect4-1" in result.stderr
    assert run("play", "--delete", "connect4-1").exit_code == 0
