"""The judge of points on a 9x9 board, with the network that ships."""

import numpy as np
import pytest

from evenmatch.games import get_game
from evenmatch.search import Plan, Search
from evenmatch.search.forest import seeds_from
from evenmatch_lab.shared.point_losses import MOST, UNIT, Leads, PointJudge, mean_of

GO9 = get_game("go9")


@pytest.fixture(scope="module")
def judge():
    return PointJudge(GO9, visits=8)


def after(words):
    state = GO9.initial(1)
    for word in words.split():
        state = GO9.after(state, np.array([GO9.read_action(state[0], word)]))
    return state


def test_a_stone_in_the_corner_loses_more_than_one_in_the_middle(judge):
    start = np.repeat(GO9.initial(1), 2, 0)
    actions = np.array([GO9.read_action(start[0], word) for word in ("E5", "A1")])
    middle, corner = judge.losses(start, judge.worth(start), actions)
    assert abs(middle) < 1.5
    assert corner > 5


def test_leads_are_those_of_the_side_to_move(judge):
    """White passed once, or twice, while Black took two good points: Black leads."""
    assert judge.leads(after("E5 pass C3 pass"))[0] > 5
    assert judge.leads(after("E5 pass C3"))[0] < -5
    assert judge.worth(after("E5 pass C3 pass"))[0] > 5


def test_the_judge_s_own_move_loses_nothing(judge):
    """So what searches get wrong alike falls out of the loss."""
    start = after("E5 C3")
    moves = np.flatnonzero(GO9.legal_mask(start)[0, :-1])
    many = np.repeat(start, len(moves), 0)
    losses = judge.losses(many, np.repeat(judge.worth(start), len(moves)), moves)
    assert (losses == 0).any()


def test_a_mean_counts_the_root_as_one_visit():
    search = Search(GO9, Leads(GO9), trees=1, nodes=20)
    search.plant(np.arange(1), GO9.initial(1), seeds_from(1, 1))
    stats = search.run(np.arange(1), Plan(simulations=7))
    visited = [stats.values[0]] + [
        mean for n, mean in zip(stats.visits[0], stats.means[0], strict=True) for _ in range(n)
    ]
    assert len(visited) == 8
    assert mean_of(stats)[0] == pytest.approx(np.mean(visited))


def test_values_are_the_network_s_leads_and_a_pass_is_not_looked_at():
    states = np.concatenate([GO9.initial(1), after("E5")])
    said = Leads(GO9).evaluate(states)
    assert np.abs(said.values[0] * UNIT) < 5
    assert (said.logits[:, -1] < said.logits[:, :-1].max(1) - 20).all()


def test_positions_do_not_depend_on_their_neighbours(judge):
    one = after("E5 C3")
    many = np.concatenate([after("D4"), one, GO9.initial(1)])
    assert judge.leads(many)[1] == pytest.approx(judge.leads(one)[0], abs=0.2)


def test_a_game_that_is_over_has_its_score(judge):
    """Black has one stone and with it the board: 81 points less komi, lost by White's pass."""
    over = after("E5 pass pass")
    komi = GO9.komi_of(over)[0]
    assert judge.leads(over)[0] == pytest.approx(komi - 81)
    before = after("E5 pass")
    last = np.array([GO9.num_actions - 1])
    lost = judge.losses(before, np.array([70.0]), last)
    assert lost[0] == pytest.approx(70 + komi - 81)
    assert judge.losses(before, np.array([10.0]), last)[0] == -MOST
    assert judge.losses(before, np.array([99.0]), last)[0] == MOST


def test_equal_positions_are_judged_once(judge):
    start = GO9.initial(3)
    told: list[int] = []
    fresh = PointJudge(GO9, visits=2)
    fresh.leads(start, lambda done, _: told.append(done))
    fresh.leads(start, lambda done, _: told.append(done))
    assert told == [1]
