"""What opponents learn of a person in the terminal, and forget."""

import pytest
from some_turns import player_of

from evenmatch.games import GAMES
from evenmatch.opponents import Mind
from evenmatch.play.saved import YOU, Saved
from evenmatch.profiles import Profile

WHO = ("connect4", "inter:sims=1", "Ada")
LEARNS = ("connect4", "-o", WHO[1])


def known(person=WHO[2]):
    """Return from how many games the player knows somebody."""
    return Profile().memories.games_known(*WHO[:2], person)


def learn():
    """Let the player learn from a game that it lost."""
    player = player_of(WHO[1], GAMES[WHO[0]])
    Profile().memories.learn(*WHO, lambda memory: player.learn(Mind(memory), 1.0))


def test_a_resumed_game_is_the_same_persons(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="4")
    refused = run("play", "connect4", "--resume", "--name", "Bob", lines="resign")
    assert refused.exit_code == 2
    assert "Bob has no unfinished game of connect4 in" in refused.stderr
    assert "; there is connect4-1 (--name Ada)\n" in refused.stderr
    by_name = run("play", "connect4-1", "--name", "Bob", lines="resign")
    assert "the unfinished game is Ada's; leave out --name, or start a new game" in by_name.stderr
    run("play", *LEARNS, lines="4")
    run("play", "--resume", "--name", "Ada", lines="4 quit")
    assert {one.saved.person: len(one.saved.actions) for one in Profile().games.unfinished()} == {
        "Ada": 4,
        YOU: 2,
    }
    run("play", "connect4", "--resume", "--name", "ada", lines="resign")
    assert known() is not None
    assert known(YOU) is None


def test_resigning_before_the_first_move_teaches_nothing(run, state):
    run("play", *LEARNS, "--name", "Ada", lines="resign")
    assert known() is None


def test_what_will_be_forgotten_is_told_and_forgotten_with_the_first_move(run, state):
    learn()
    forget = ("play", *LEARNS, "--name", "Ada", "--forget")
    result = run(*forget, lines="quit")
    told = "With your first move inter forgets what it learned in 1 game with Ada."
    assert told in result.stdout
    assert known() == 1, "nothing was played"
    run(*forget, lines="4")
    assert known() is None
    assert "inter remembers nothing of Ada." in run(*forget, lines="quit").stdout


@pytest.mark.parametrize("text", ['{"z": "high"}', '{"z"', '{"games": "many"}'])
def test_a_broken_memory_is_mended_by_forgetting(run, state, text):
    learn()
    with Profile().together() as connection:
        connection.execute("UPDATE memory SET state = ?", (text,))
    why = run("play", *LEARNS, "--name", "Ada").stderr
    assert why.startswith("error: what inter remembers of Ada cannot be used: ")
    assert why.endswith("; start again with --forget\n")
    result = run("play", *LEARNS, "--name", "Ada", "--forget", lines="4")
    assert "forgets what it learned with Ada" in result.stdout
    assert known() is None


@pytest.mark.parametrize(
    ("name", "why"),
    [(" ", "at least one letter"), ("A\nB", "without line breaks"), ("x" * 81, "at most 80")],
)
def test_names_that_are_none(run, name, why):
    result = run("play", *LEARNS, "--name", name, lines="resign")
    assert result.exit_code == 2
    assert why in result.stderr


def test_a_saved_opponent_that_is_none(run, state):
    place = Profile().games.take("connect4")
    place.save(Saved(game="connect4", opponent="nobody", side=1, seed=1, actions=()))
    place.leave()
    result = run("play", "connect4", "--resume", lines="resign")
    assert result.exit_code == 2
    assert "connect4-1 cannot be continued (unknown player 'nobody'" in result.stderr
    assert "delete it: evenmatch play --delete connect4-1" in result.stderr
    assert run("play", "--delete", "connect4-1").exit_code == 0
