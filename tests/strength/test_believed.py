"""Players of a rating follow a belief that moves within a game."""

import numpy as np
import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.players import Turns, make_player
from evenmatch.ratings.belief import Belief
from evenmatch.search.plan import Plan
from evenmatch.strength import levels
from evenmatch.strength.believed import AtBelief
from evenmatch.strength.controller import Fixed, View, check_controller

CHESS = get_game("chess")


def view():
    return View(0, 1, np.empty(0, np.float32))


def by_rating(rating):
    return Fixed(Plan(simulations=int(rating)))


def test_it_conforms():
    check_controller(lambda: AtBelief(by_rating, Belief([1000, 1500, 2000])))


def test_it_plays_at_what_is_believed_by_now():
    controller = AtBelief(by_rating, Belief([1000.0, 2000.0]))
    assert controller.plan(view()).simulations == 1500
    controller.belief.update([0.0, -50.0])
    assert controller.plan(view()).simulations == 1000
    state = controller.snapshot()
    controller.belief.update([-100.0, 0.0])
    assert controller.plan(view()).simulations == 2000
    controller.restore(state)
    assert controller.rating == pytest.approx(1000)


def test_a_rating_that_is_refused_is_refused_again():
    """Not played at the rating before, as if nothing were wrong."""

    def up_to_2000(rating):
        if rating > 2000:
            raise UsageError("too strong")
        return by_rating(rating)

    controller = AtBelief(up_to_2000, Belief([1000.0, 3000.0]))
    controller.belief.update([-1000.0, 0.0])
    for _ in range(2):
        with pytest.raises(UsageError, match="too strong"):
            controller.plan(view())
    assert controller.rating == 2000


def test_a_foreign_state_is_refused():
    with pytest.raises(StateError):
        AtBelief(by_rating, Belief([1000.0])).restore({"z": 1.0})


@pytest.mark.parametrize("name", ["pikl", "sa", "se:told=on", "ace"])
def test_rated_players_follow_a_belief_from_one_move_to_the_next(name):
    """The belief moves from 1100 to 2500 within a game; the next plan is a player's of 2500."""
    low, high = min(levels.CHESS.pikl), max(levels.CHESS.pikl)

    def plan_of(spec):
        player = make_player(spec, CHESS)
        player.begin(np.array([0]), np.array([1], np.int8), 1)
        return player.controller(0)

    def joined(elo):
        return f"{name}{',' if ':' in name else ':'}elo={elo:g}"

    controller = plan_of(joined(low))
    first = controller.plan(view())
    assert first == plan_of(joined(low)).plan(view())
    controller.belief = Belief([low, high])
    controller.belief.update([-1000.0, 0.0])
    assert controller.rating == low
    second = controller.plan(view())
    assert controller.rating == high
    assert second == plan_of(joined(high)).plan(view())


def test_the_policy_alone_follows_too():
    """Its draws are of the policy for the rating believed in at that move."""

    def chosen(player):
        player.begin(np.array([0]), np.array([1], np.int8), 3)
        state, none = CHESS.initial()[None], np.full((1, 1), -1, np.int32)
        return int(player.choose(Turns(np.array([0]), np.array([0]), state, none))[0])

    weak, strong = (make_player(f"human:elo={elo}", CHESS) for elo in (600, 2600))
    weak.beliefs[0] = strong.beliefs[0]
    assert chosen(weak) == chosen(strong)
