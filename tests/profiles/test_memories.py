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
    who = ("connect4", "even:sims=1,looks=1", "Ada")
    player, said = player_of(who[1], GAMES["connect4"]).controller, [[-1.0] * 9, [0.0] * 9]
    for row in said:
        learn(memories, 0.0, who, {"said": [0.0, *row], "styles": 1.0, "moves": 1})
    found = memories.recall(*who)
    prior, kept = player.prior, player.config.fade
    wanted = [
        p + kept * (kept * a + b)
        for p, a, b in zip(prior, [0.0, *said[0]], [0.0, *said[1]], strict=True)
    ]
    assert [x - found["logs"][0] for x in found["logs"]] == pytest.approx(
        [x - wanted[0] for x in wanted]
    )
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
