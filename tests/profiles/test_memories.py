from pathlib import Path

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.games import GAMES
from evenmatch.players import make_player
from evenmatch.profiles import Profile

WHO = ("connect4", "inter:sims=1", "Ada")


def in_a_game(spec=WHO[1], game="connect4"):
    player = make_player(spec, GAMES[game])
    player.begin(np.array([0]), np.array([1], np.int8), 1)
    return player


@pytest.fixture
def memories(profile):
    return profile.memories


def learn(memories, result=1.0, who=WHO, **how):
    memories.learn(in_a_game(who[1], who[0]), *who, result, **how)


def recalled(memories, who=WHO):
    player = make_player(who[1], GAMES[who[0]])
    assert memories.recall(player, *who)
    return player.remember(0)


def test_what_was_learned_is_kept_and_found(memories):
    learn(memories)
    other = make_player(WHO[1], GAMES["connect4"])
    assert memories.recall(other, *WHO)
    assert other.remember(0)["z"] == -0.375


def test_persons_and_opponents_are_kept_apart(memories):
    learn(memories)
    other = make_player(WHO[1], GAMES["connect4"])
    assert not memories.recall(other, "connect4", WHO[1], "Bob")
    assert not memories.recall(other, "connect4", "inter:sims=2", "Ada")
    assert not memories.recall(other, "othello", WHO[1], "Ada")


def test_forgetting(memories):
    learn(memories)
    assert memories.games_known(*WHO) == 1
    memories.forget(*WHO)
    memories.forget(*WHO)
    assert memories.games_known(*WHO) is None
    assert not memories.recall(make_player(WHO[1], GAMES["connect4"]), *WHO)


def test_players_that_do_not_learn_leave_nothing(memories):
    learn(memories, who=("connect4", "random", "Ada"))
    learn(memories, who=("connect4", "alphazero:sims=1", "Ada"))
    assert memories.games_known("connect4", "random", "Ada") is None
    assert memories.games_known("connect4", "alphazero:sims=1", "Ada") is None


def test_games_that_go_on_at_once_teach_both(memories):
    """In the order in which they end; as one after the other if only results teach."""
    first, second = in_a_game(), in_a_game()
    memories.learn(first, *WHO, 1.0)
    memories.learn(second, *WHO, 1.0)
    assert recalled(memories) == {"kind": "inter", "version": 2, "z": -0.375 * 1.95, "games": 2}


def test_moves_of_games_that_go_on_at_once_teach_both(memories):
    """Both controllers of `even` began from nothing; the odds of both games are in the file."""
    who = ("connect4", "even:sims=1,looks=1", "Ada")
    games = [in_a_game(who[1]) for _ in range(2)]
    said = np.random.default_rng(1).normal(size=(2, 10))  # what the moves of each say of a level
    for player, odds in zip(games, said, strict=True):
        player.controller(0).update(odds)
    for player in games:
        memories.learn(player, *who, 0.0)
    state = recalled(memories, who)
    found = np.array([state[f"level{i}"] for i in range(10)])
    prior = in_a_game(who[1]).controller(0).belief.prior
    expected = prior + 0.5 * (0.5 * said[0] + said[1])  # half of it fades after each game
    assert np.ptp(found - expected) < 1e-9, "but for a constant"
    assert state["games"] == 2


def test_a_result_that_says_nothing_teaches_nothing_but_moves_do(memories):
    learn(memories, 1.0)
    learn(memories, None)
    assert recalled(memories) == {"kind": "inter", "version": 2, "z": -0.375, "games": 1}


def test_what_was_given_up_teaches_a_share(memories):
    learn(memories, 0.25)
    assert recalled(memories)["z"] == -0.375 / 4


def test_learning_anew(memories):
    learn(memories)
    learn(memories, -1.0, anew=True)
    assert recalled(memories)["z"] == 0.375


def test_people_are_known_in_any_case(memories):
    learn(memories)
    for name in ("ada", "ADA"):
        assert memories.recall(make_player(WHO[1], GAMES["connect4"]), *WHO[:2], name)


def test_a_folder_that_cannot_be_written_still_lets_the_player_hear():
    player = in_a_game()
    with pytest.raises(OSError, match="Not a directory"):
        Profile(Path("/dev/null/state")).memories.learn(player, *WHO, 1.0)
    assert player.remember(0)["games"] == 1


@pytest.mark.parametrize(
    ("state", "message"),
    [("{}", "not of 'inter'"), ('{"kind": "inter", "version": 2, "z": "a"}', "no number 'z'")],
)
def test_what_does_not_fit_the_player_is_refused(profile, state, message):
    learn(profile.memories)
    with profile.together() as connection:
        connection.execute("UPDATE memory SET state = ?", (state,))
    with pytest.raises(StateError, match=f"{message}.*start anew with --forget"):
        recalled(profile.memories)
