import math

import numpy as np
import pytest

from evenmatch.arena import Pairing, play_series
from evenmatch.errors import StateError, UsageError
from evenmatch.games import GAMES
from evenmatch.players import make_player
from evenmatch.strength import InterGame, IntraGame, Root, View, VisitSoftmax, check_controller
from evenmatch.strength.dynamic import cool_down_plies


def dial():
    return VisitSoftmax(0.0)


def root_worth(mean):
    legal = np.array([True, True])
    return Root(np.array([9, 1]), np.array([mean, -1.0]), np.full(2, 0.5), legal, 0.0, best=0)


def test_controllers_conform():
    check_controller(lambda: InterGame(dial()))
    check_controller(lambda: IntraGame(dial(), cool_down=20))


def test_inter_game_by_hand():
    """Delta z = 0.375, 0.35625, ... until the floor of 0.03."""
    inter = InterGame(dial())
    for result, z in ((1, -0.375), (-1, -0.375 + 0.35625), (0, -0.01875)):
        inter.finish(result)
        assert inter.dial.z == pytest.approx(z)
    assert inter.step == pytest.approx(0.375 * 0.95**3)
    for _ in range(100):
        inter.finish(-1)
    assert inter.step == 0.03


def test_inter_game_turns_by_a_share_for_a_game_given_up_and_not_at_all_without_a_result():
    inter = InterGame(dial())
    inter.finish(None)
    assert (inter.dial.z, inter.games) == (0, 0)
    inter.finish(0.4)
    assert inter.dial.z == pytest.approx(-0.375 * 0.4)


def test_inter_game_remembers():
    inter, other = InterGame(dial()), InterGame(dial())
    for result in (1, 1, -1):
        inter.finish(result)
    other.recall(inter.remember())
    assert (other.dial.z, other.games) == (inter.dial.z, 3)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"kind": "even", "version": 2}, "of 'even', not of 'inter'"),
        ({"kind": "inter", "version": 7}, "version .7."),
        ({"kind": "inter", "version": 2, "games": 3}, "no number 'z'"),
        ({"kind": "inter", "version": 2, "games": 3, "z": math.nan}, "outside"),
        ({"kind": "inter", "version": 2, "games": -3, "z": 0.0}, "outside"),
        ({"kind": "inter", "version": 2, "games": True, "z": 0.0}, "no number 'games'"),
        ([1, 2], "not of 'inter'"),
    ],
)
def test_foreign_states_are_refused(state, message):
    with pytest.raises(StateError, match=message):
        InterGame(dial()).recall(state)
    with pytest.raises(StateError, match=message):
        make_player("inter:sims=1", GAMES["connect4"]).recall(0, state)


def test_intra_game_by_hand():
    """Eq. 18: the full step from 10% off, a proportional one nearer to 50%."""
    intra = IntraGame(dial(), cool_down=150, delta=0.2)
    rng = np.random.default_rng(0)
    intra.plan(View(0, 1, np.empty(0, np.float32)))
    intra.choose(root_worth(0.2), rng)  # W = 60%
    assert intra.dial.z == pytest.approx(-0.2)
    intra.choose(root_worth(-0.1), rng)  # W = 45%
    assert intra.dial.z == pytest.approx(-0.1)
    intra.plan(View(75, 1, np.empty(0, np.float32)))
    intra.choose(root_worth(1.0), rng)
    assert intra.dial.z == pytest.approx(-0.2)  # half as warm
    intra.plan(View(150, 1, np.empty(0, np.float32)))
    intra.choose(root_worth(1.0), rng)
    assert intra.dial.z == pytest.approx(-0.2)  # cold


def test_cool_down_is_the_papers_share_of_a_game():
    assert cool_down_plies(230) == pytest.approx(150, abs=1)
    assert cool_down_plies(64) == 42


@pytest.mark.parametrize(
    "wrong", [{"delta": -1}, {"epsilon": 0.0}, {"cool_down": 0}, {"delta": math.nan}]
)
def test_bad_values(wrong):
    with pytest.raises(UsageError, match="outside"):
        IntraGame(dial(), **({"cool_down": 20} | wrong))


def test_series_turn_the_dial_for_each_opponent_alone():
    """Three rounds at two tables: z of each table is what its own results make it."""
    heard = {}

    def watch(entrant, turns, player):
        if entrant == 0:
            heard.update({int(game): player.remember(int(game)) for game in turns.games})

    rounds = [
        [Pairing(0, 1), Pairing(2, 0)],
        [Pairing(1, 0), Pairing(0, 2)],
        [Pairing(0, 1), Pairing(2, 0)],
    ]
    specs = ["inter:sims=2", "random", "mcts:sims=20"]
    played = list(play_series(specs, rounds, GAMES["connect4"], seed=3, watch=watch))
    for table in (0, 1):
        expected = InterGame(dial())
        for games in played[:2]:  # what the third game's controller started from
            game = games[table]
            expected.finish(game.result if game.pairing.first == 0 else -game.result)
        assert heard[table] == expected.remember()


def test_series_keep_opponents_apart():
    with pytest.raises(UsageError, match="same two entrants"):
        list(play_series(["random"] * 3, [[Pairing(0, 1)], [Pairing(0, 2)]], GAMES["connect4"]))
