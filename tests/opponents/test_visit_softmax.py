import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from some_turns import EARLY, drawn, drawn_often, player_of

from evenmatch.errors import SpecError, StateError, UsageError
from evenmatch.games import GAMES
from evenmatch.opponents.controller import NEW, Mind, Root, View, check_controller
from evenmatch.opponents.visit_softmax import (
    InterGame,
    IntraGame,
    VisitSoftmax,
    candidates,
    cool_down_plies,
    probabilities,
)  # fmt: skip
from evenmatch.play.arena import Pairing, play_series
from evenmatch.search import Plan

INFINITE = math.inf
VISITS = st.lists(st.integers(0, 10**6), min_size=1, max_size=40).filter(any)


def everything(visits):
    return np.ones(len(visits), bool)


@pytest.mark.parametrize("z", [-INFINITE, -2.0, 0.0, 1.5, INFINITE])
def test_controller_conforms(z):
    check_controller(lambda: VisitSoftmax(z))


@given(VISITS, st.floats(-30, 30))
def test_against_the_plain_formula(visits, z):
    """N_i^z / sum N_j^z in big floats, where it is defined."""
    counts = np.array(visits)
    allowed = counts > 0
    pi = probabilities(counts, allowed, z)
    powers = [math.exp(z * (math.log(n) - math.log(max(visits)))) if n else 0.0 for n in visits]
    if math.isfinite(sum(powers)) and sum(powers) > 0:
        assert pi == pytest.approx(np.array(powers) / sum(powers), abs=1e-12)
    assert pi.sum() == pytest.approx(1)
    assert (pi[~allowed] == 0).all()


@example([1235], 2.5e307)  # a product beyond the largest number
@example([5, 1235], -2.5e307)
@given(VISITS, st.floats(allow_nan=False))
def test_stable_for_any_z(visits, z):
    counts = np.array(visits)
    pi = probabilities(counts, everything(visits), z)
    assert np.isfinite(pi).all()
    assert (pi >= 0).all()
    assert pi.sum() == pytest.approx(1)


@given(VISITS)
def test_exact_at_the_infinities(visits):
    counts = np.array(visits)
    for z, extreme in ((INFINITE, counts.max()), (-INFINITE, counts.min())):
        pi = probabilities(counts, everything(visits), z)
        assert (pi > 0).tolist() == (counts == extreme).tolist()
        assert len(set(pi[pi > 0])) == 1


@given(VISITS, st.floats(0, 1))
def test_threshold(visits, r_th):
    """No candidate has fewer visits than R_th N_1, or none; the most visited always is one."""
    counts = np.array(visits)
    allowed = candidates(counts, everything(visits), r_th)
    assert allowed.tolist() == [n > 0 and n >= r_th * max(visits) for n in visits]
    assert allowed[counts.argmax()]


def test_threshold_of_1_plays_the_most_visited():
    root = Root(np.array([3, 9, 9, 1]), np.zeros(4), np.ones(4), np.ones(4, bool), 0.0, 1)
    dial = VisitSoftmax(-INFINITE, r_th=1.0)
    assert {drawn(dial, root, seed) for seed in range(30)} == {1, 2}


def test_top_keeps_the_most_visited():
    visits = np.array([5, 40, 20, 20, 0])
    assert candidates(visits, everything(visits), 0.0, top=1).tolist() == [0, 1, 0, 0, 0]
    assert candidates(visits, everything(visits), 0.0, top=2).tolist() == [0, 1, 1, 1, 0]
    assert candidates(visits, everything(visits), 0.0, top=9).tolist() == [1, 1, 1, 1, 0]
    assert candidates(visits, visits > 0, 0.5, top=3).tolist() == [0, 1, 1, 1, 0]


def test_moves_that_were_never_searched_are_no_candidates():
    legal = np.ones(3, bool)
    assert candidates(np.array([5, 0, 40]), legal, 0.0).tolist() == [1, 0, 1]
    assert candidates(np.zeros(3, int), legal, 0.1).all()


def test_draws_follow_the_probabilities():
    """Chi-square over 4000 draws; false alarm 1e-6."""
    visits = np.array([100, 50, 25, 12])
    root = Root(visits, np.zeros(4), np.ones(4), np.ones(4, bool), 0.0, 0)
    dial = VisitSoftmax(1.0, r_th=0.1)
    counts = 4000 * drawn_often(dial, root, 4000)
    expected = 4000 * visits / visits.sum()
    assert ((counts - expected) ** 2 / expected).sum() < 30.7  # 3 degrees of freedom


def test_the_search_is_the_same_for_every_z():
    plan = Plan(simulations=77)
    weak, strong = VisitSoftmax(-1.0, base=plan), VisitSoftmax(2.0, base=plan)
    assert weak.plan(EARLY, NEW) == strong.plan(EARLY, NEW) == plan


@pytest.mark.parametrize(
    "wrong",
    [{"z": math.nan}, {"z": 0.0, "r_th": 1.1}, {"z": 0.0, "r_th": -0.1}, {"z": 0, "top": -1}],
)
def test_bad_values(wrong):
    with pytest.raises(UsageError, match=r"nan|outside"):
        VisitSoftmax(**wrong)


@pytest.mark.parametrize(
    "spec", ["softmax:z=nan", "softmax:r_th=1.5", "softmax:r_th=nan", "softmax:sims=-3"]
)
def test_bad_specs(spec):
    with pytest.raises((SpecError, UsageError), match=r"nan|outside"):
        player_of(spec, GAMES["connect4"])


# -- between games and within them ---------------------------------------------------------------


def test_controllers_with_a_moving_z_conform():
    check_controller(InterGame)
    check_controller(lambda: IntraGame(cool_down=20))


def after(controller, *results):
    """Return the memory after games with these results."""
    mind = NEW
    for result in results:
        mind = Mind(controller.learn(mind, result))
    return mind.memory


def test_inter_game_by_hand():
    """Delta z = 0.375, 0.35625, ... until the floor of 0.03."""
    inter = InterGame()
    assert after(inter, 1) == {"z": -0.375, "games": 1}
    assert after(inter, 1, -1)["z"] == pytest.approx(-0.375 + 0.35625)
    assert after(inter, 1, -1, 0)["z"] == pytest.approx(-0.01875)
    assert inter.step(3) == pytest.approx(0.375 * 0.95**3)
    assert inter.step(100) == 0.03


def test_inter_game_moves_by_a_share_for_a_resigned_game_and_not_without_a_result():
    assert after(InterGame(), None) == {"z": 0, "games": 0}
    assert after(InterGame(), None, 0.4)["z"] == pytest.approx(-0.375 * 0.4)


def test_inter_game_plays_by_what_it_remembers():
    root = Root(np.array([9, 1]), np.zeros(2), np.ones(2), np.ones(2, bool), 0.0, 0)
    strong, weak = (Mind({"z": z, "games": 3}) for z in (50.0, -50.0))
    assert {drawn(InterGame(), root, seed, mind=strong) for seed in range(20)} == {0}
    assert {drawn(InterGame(), root, seed, mind=weak) for seed in range(20)} == {1}


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"games": 3}, "other entries .z."),
        ({"games": 3, "z": 0.0, "said": 1}, "other entries .said."),
        ({"games": 3, "z": math.nan}, "a z outside"),
        ({"games": -3, "z": 0.0}, "a games outside"),
        ({"games": True, "z": 0.0}, "a games outside"),
        ({"games": 3, "z": [0.0]}, "a z outside"),
        ([1, 2], "damaged"),
    ],
)
def test_memories_of_others_are_refused(memory, message):
    with pytest.raises(StateError, match=message):
        InterGame().check(Mind(memory))


def test_intra_game_by_hand():
    """Eq. 18: the full step from 10% off, a proportional one nearer to 50%."""
    intra, rng, mind = IntraGame(cool_down=150, delta=0.2), np.random.default_rng(0), NEW
    legal, found = np.array([True, True]), []
    for ply, mean in ((0, 0.2), (0, -0.1), (75, 1.0), (150, 1.0)):  # W = 60%, 45%, 100%, 100%
        view = View(ply, 1, np.empty(0, np.float32))
        root = Root(np.array([9, 1]), np.array([mean, -1.0]), np.full(2, 0.5), legal, 0.0, best=0)
        mind = intra.choose(root, view, mind, rng)[1]
        found.append(mind.game["z"])
    assert found == pytest.approx([-0.2, -0.1, -0.2, -0.2]), "half as warm, then cold"


def test_cool_down_is_the_papers_share_of_a_game():
    assert cool_down_plies(230) == cool_down_plies(361) == 150, "as in the paper on 19x19"
    assert cool_down_plies(64) == 42


@pytest.mark.parametrize(
    "wrong", [{"delta": -1}, {"epsilon": 0.0}, {"cool_down": 0}, {"delta": math.nan}]
)
def test_bad_steps(wrong):
    with pytest.raises(UsageError, match="outside"):
        IntraGame(**({"cool_down": 20} | wrong))


def test_series_move_z_for_each_opponent_alone():
    """Three rounds at two tables: z of each table is what its own results make it."""
    memories = {}

    def learned(entrant, place, memory):
        if entrant == 0:
            memories[place] = memory

    rounds = [
        [Pairing(0, 1), Pairing(2, 0)],
        [Pairing(1, 0), Pairing(0, 2)],
        [Pairing(0, 1), Pairing(2, 0)],
    ]
    specs = ["inter:sims=2", "random", "mcts:sims=20"]
    played = list(play_series(specs, rounds, GAMES["connect4"], seed=3, learned=learned))
    for table in (0, 1):
        games = [games[table] for games in played]
        own = [one.result if one.pairing.first == 0 else -one.result for one in games]
        assert memories[table] == after(InterGame(), *own)


def test_series_keep_opponents_apart():
    with pytest.raises(UsageError, match="same two entrants"):
        list(play_series(["random"] * 3, [[Pairing(0, 1)], [Pairing(0, 2)]], GAMES["connect4"]))
