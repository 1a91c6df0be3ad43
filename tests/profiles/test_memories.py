from pathlib import Path

import pytest
from some_turns import player_of

from evenmatch.errors import StateError
from evenmatch.games import GAMES
from evenmatch.opponents import Mind
from evenmatch.profiles import Profile

WHO = ("connect4", "inter:sims=1", "Ada")


@pytest.fixture
def memories(profile):
    return profile.memories


def learn(memories, result=1.0, who=WHO, state=None, **how):
    player = player_of(who[1], GAMES[who[0]])
    memories.learn(*who, lambda memory: player.learn(Mind(memory, state or {}), result), **how)


def test_what_was_learned_is_kept_and_found(memories):
    learn(memories)
    assert memories.recall(*WHO) == {"z": -0.375, "games": 1}


def test_games_that_go_on_at_once_teach_both(memories):
    """In the order in which they end: results, and what the moves of each said."""
    learn(memories)
    learn(memories)
    assert memories.recall(*WHO) == {"z": -0.375 * 1.95, "games": 2}
    who = ("connect4", "even:sims=1", "Ada")
    player, wanted = player_of(who[1], GAMES["connect4"]).controller, {}
    for first in (0.0, -9.0):
        state = player.blank | {"styles": [first, *[-3.0] * 8, 0.0]}
        learn(memories, 0.0, who, state)
        wanted = player.learn(Mind(wanted, state), 0.0)
    found = memories.recall(*who)
    assert found["logs"] == pytest.approx(wanted["logs"])
    assert found["games"] == 2


def test_a_folder_that_cannot_be_written():
    memories = Profile(Path("/dev/null/state")).memories
    assert memories.recall(*WHO) == {}
    with pytest.raises(OSError, match="Not a directory"):
        learn(memories)


def test_a_memory_that_is_damaged_is_refused(profile):
    learn(profile.memories)
    with profile.together() as connection:
        connection.execute("UPDATE memory SET state = '[1'")
    with pytest.raises(StateError, match=r"it is damaged.*start again with --forget"):
        profile.memories.recall(*WHO)
