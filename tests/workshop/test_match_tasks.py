"""Games in parts are those of all at once."""

import os

import pytest

from evenmatch.errors import NetworkError
from evenmatch.games import get_game
from evenmatch.play.arena import Pairing, play, play_match
from evenmatch.workshop.match_tasks import GAMES, MatchTasks
from evenmatch.workshop.tasks import InlineExecutor, ProcessExecutor

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
CONNECT4 = get_game("connect4")


def test_some_games_are_played_as_among_all():
    specs = ["mcts:sims=8", "random", "mcts:sims=3"]
    pairings = [Pairing(k % 3, (k + 1) % 3, k // 2) for k in range(12)]
    everything = play(specs, pairings, CONNECT4, seed=3, openings=2)
    heard = []
    some = play(
        specs, pairings, CONNECT4, seed=3, openings=2, only=[1, 7, 8],
        progress=lambda *told: heard.append(told),
    )  # fmt: skip
    assert some == [everything[place] for place in (1, 7, 8)]
    assert heard[-1] == (3, 3)


@pytest.mark.parametrize(
    "jobs", [0, pytest.param(2, marks=pytest.mark.skipif(CORES < 2, reason="one core here"))]
)
def test_a_match_in_parts_is_the_same_match(jobs):
    """By players that ask no network: it rounds differently in calls of another size."""
    games = 2 * GAMES + 3
    expected = play_match("mcts:sims=8", "random", CONNECT4, games, seed=4, openings=3)
    ended, heard = [], []
    with ProcessExecutor(jobs) if jobs else InlineExecutor() as executor:
        parts = MatchTasks(executor)
        found = play_match(
            "mcts:sims=8", "random", CONNECT4, games, seed=4, openings=3, by=parts,
            finished=ended.append, progress=lambda *told: heard.append(told),
        )  # fmt: skip
    assert found.games == expected.games
    assert sorted(map(str, ended)) == sorted(map(str, found.games))
    assert heard[-1] == (games, games)
    assert all(due == games for _, due in heard)


def test_what_a_part_refuses_is_refused():
    with pytest.raises(NetworkError, match="no network file"):
        play_match(
            "alphazero:net=none.onnx", "random", CONNECT4, 2, by=MatchTasks(InlineExecutor())
        )
