"""Proofs in the tree are true, and change what is played only where they say something."""

import random
from dataclasses import replace

import numpy as np
import pytest
from compared_trees import HashEvaluator, tree_seed
from naive_connect4 import Naive, random_position
from shared_data import shared_file

from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.games.game import ONE_PLY
from evenmatch.search import Plan, RootStats, Rule, Search, Solve, solver
from evenmatch.search.solver import known_children, plies_to_end, settled_line

CONNECT4, CHESS = GAMES["connect4"], GAMES["chess"]
MATE_IN_TWO = "6k1/5ppp/8/8/8/8/1r3PPP/R2R2K1 w - - 0 30"  # Rd8 mates at once
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 40"  # mate in two by the rooks
TRAPPED = "7k/R7/8/8/8/8/8/1R4K1 b - - 0 40"  # black is mated after its move


def packed(moves):
    state = CONNECT4.initial()
    for digit in moves:
        state = CONNECT4.after(state, [int(digit) - 1])
    return state


def searched(game, states, plan, *, seed=1, leaves=1):
    search = Search(game, HashEvaluator(game), trees=len(states), nodes=8, leaves=leaves)
    trees = np.arange(len(states))
    search.plant(trees, states, [tree_seed(seed + t) for t in trees])
    return search, search.run(trees, plan)


def of_fen(fen):
    return CHESS.from_fen(fen)[None]


@pytest.mark.parametrize("leaves", [1, 8])
@pytest.mark.parametrize("rule", [Rule.PUCT, Rule.UCT])
def test_what_is_proven_is_true(rule, leaves):
    """Beside plain negamax over whole lines of play, whatever the network says."""
    rng, proven = random.Random(5), 0
    for number in range(25):
        moves = random_position(rng, 33)
        plan = Plan(simulations=150, solve=Solve.SETTLE, rule=rule)
        _, stats = searched(CONNECT4, packed(moves), plan, seed=number, leaves=leaves)
        truth = Naive(moves).move_outcomes()
        known = {a: stats.known[0, a] for a in truth if not np.isnan(stats.known[0, a])}
        assert {a: np.sign(value) for a, value in known.items()} == {a: truth[a] for a in known}
        proven += len(known)
        if len(known) == len(truth) or max(known.values(), default=0) > 0:
            assert truth[int(stats.best()[0])] == max(truth.values())
    assert proven > 60


def test_published_scores_of_connect_four():
    """Pascal Pons' positions near the end: who wins, by the tree and by plain negamax."""
    lines = shared_file("connect4/Test_L3_R1").read_text().splitlines()
    scores = dict(line.split() for line in lines if len(line.split()[0]) >= 35)
    plan = Plan(simulations=400, solve=Solve.SETTLE)
    for moves, score in list(scores.items())[:12]:
        truth = Naive(moves).move_outcomes()
        assert max(truth.values()) == np.sign(int(score))
        _, stats = searched(CONNECT4, packed(moves), plan)
        assert truth[int(stats.best()[0])] == np.sign(int(score))


def test_a_decided_root_needs_no_more_leaves():
    """Its simulations all count, on the move that decides it."""
    search, stats = searched(CHESS, of_fen(MATE_IN_TWO), Plan(simulations=50, solve=Solve.SETTLE))
    assert len(search.evaluator.calls) == 1  # the root's own evaluation
    assert stats.visits.sum() == 50
    mate = CHESS.read_action(CHESS.from_fen(MATE_IN_TWO), "Rd8#")
    assert stats.best()[0] == mate
    assert stats.visits[0, mate] == 50
    assert stats.means[0, mate] == stats.known[0, mate] == 1 - ONE_PLY
    assert search.forest.nodes[0, 0]["visits"] == 51


def test_mate_in_two_is_seen_before_the_search():
    search, stats = searched(CHESS, of_fen(LADDER), Plan(simulations=1, solve=Solve.SETTLE))
    best = int(stats.best()[0])
    assert plies_to_end(stats.known[0, best]) == 3
    assert len(search.evaluator.calls) == 1


def test_the_loser_holds_out_longest():
    """All moves lose; the best is one that is not mate at once."""
    _, stats = searched(CHESS, of_fen(TRAPPED), Plan(simulations=20, solve=Solve.SETTLE))
    known = stats.known[0][stats.legal[0]]
    assert (known < 0).all()
    assert stats.known[0, stats.best()[0]] == known.max()


def test_losing_moves_are_left_alone():
    """A move that is mated at once is never chosen, though it had all the visits."""
    fen = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 30"  # the rook may not leave the first rank
    _, stats = searched(CHESS, of_fen(fen), Plan(simulations=30, solve=Solve.SETTLE))
    lost = stats.known[0] < 0
    assert lost.any()
    assert not lost[stats.best()[0]]


def test_mates_in_two_are_seen_after_a_move_of_a_kept_tree():
    """Though the mating move has been visited: 200 simulations by a network that knows nothing."""
    fen = "8/6pk/7p/8/8/8/R5PP/1R4K1 b - - 0 40"
    search, _ = searched(CHESS, of_fen(fen), Plan(simulations=200, solve=Solve.SETTLE))
    search.follow([0], [CHESS.read_action(CHESS.from_fen(fen), "g6")])
    root = search.forest.states[0, :1]
    known = known_children(CHESS, root)
    assert (known.values < 0).any()
    stats = search.run([0], Plan(simulations=1, solve=Solve.SETTLE))
    for action, value in zip(known.actions, known.values, strict=True):
        assert stats.known[0, action] == -value - np.sign(-value) * ONE_PLY
    assert stats.known[0, stats.best()[0]] > 0


def test_analysis_goes_on_beside_a_proven_win():
    """Further simulations are of other moves, until all are known."""
    _, settled = searched(CHESS, of_fen(LADDER), Plan(simulations=60, solve=Solve.SETTLE))
    _, analysed = searched(CHESS, of_fen(LADDER), Plan(simulations=60, solve=Solve.ANALYSE))
    best = int(settled.best()[0])
    assert settled.visits[0, best] == 60
    assert analysed.visits[0].sum() == 60
    assert int(analysed.best()[0]) == best
    known = ~np.isnan(analysed.known[0])
    assert analysed.visits[0, ~known].sum() > 30


def test_a_sure_draw_is_better_than_a_doubtful_loss():
    stats = RootStats(
        visits=np.array([[50, 3, 2]]), means=np.array([[-0.1, 0.0, -1.0]]),
        priors=np.full((1, 3), 1 / 3, np.float32), legal=np.ones((1, 3), bool),
        values=np.zeros(1, np.float32), scores=np.zeros((1, 3)), gumbel=np.zeros(1, bool),
        known=np.array([[np.nan, 0.0, -1.0]]),
    )  # fmt: skip
    assert stats.best().tolist() == [1]
    better = replace(stats, means=np.array([[0.1, 0.0, -1.0]]))
    assert better.best().tolist() == [0]


def test_where_answers_are_too_many_they_are_not_looked_at(monkeypatch):
    monkeypatch.setattr(solver, "MOST_ANSWERS", 3)
    assert not len(known_children(CHESS, of_fen(LADDER)).actions)
    monkeypatch.setattr(solver, "MOST_ANSWERS", 20_000)
    assert len(known_children(CHESS, of_fen(LADDER)).actions)


def test_without_solve_nothing_is_known():
    _, stats = searched(CHESS, of_fen(LADDER), Plan(simulations=30))
    assert stats.known is None


def test_trees_with_and_without_proofs_side_by_side():
    """A tree is searched as it would be alone."""
    states = np.concatenate([of_fen(LADDER), of_fen(LADDER)])
    plans = [Plan(simulations=30), Plan(simulations=30, solve=Solve.SETTLE)]
    _, both = searched(CHESS, states, plans)
    _, alone = searched(CHESS, states[:1], plans[0])
    assert (both.visits[0] == alone.visits[0]).all()
    assert np.isnan(both.known[0]).all()
    assert not np.isnan(both.known[1]).all()


@pytest.mark.parametrize("kept", [True, False])
def test_proofs_after_a_move(kept):
    """The next root is looked at anew; its proofs are true as before."""
    rng = random.Random(7)
    for number in range(8):
        moves = random_position(rng, 32)
        plan = Plan(simulations=200, solve=Solve.SETTLE)
        search, stats = searched(CONNECT4, packed(moves), plan, seed=number)
        action = int(stats.best()[0])
        board = Naive(moves)
        if board.drop(action) or not board.legal():
            continue
        state = packed(moves + str(action + 1))
        search.follow([0], [action]) if kept else search.plant([0], state, [3])
        after = search.run([0], plan)
        truth = board.move_outcomes()
        for other, outcome in truth.items():
            value = after.known[0, other]
            assert np.isnan(value) or np.sign(value) == outcome
        assert after.visits.sum() >= 200


@pytest.mark.parametrize("others", [{"rule": Rule.BALANCE}, {"considered": 4}])
def test_proofs_go_with_plain_search_alone(others):
    with pytest.raises(UsageError, match="proofs go with"):
        Plan(solve=Solve.SETTLE, **others)


@pytest.mark.parametrize("fen", [LADDER, TRAPPED, "8/8/8/3k4/8/8/8/K6R w - - 0 1"])
def test_settled_lines_lead_to_mate_in_the_plies_that_are_known(fen):
    state = of_fen(fen)
    plies = plies_to_end(known_children(CHESS, state).values.min()) + 1
    line = settled_line(CHESS, state[0])
    for action in line:
        state = CHESS.after(state, [action])
    assert len(line) == plies
    over, value = CHESS.outcome(state)
    assert over[0]
    assert value[0] == -1


def test_lines_that_only_a_search_knows_are_empty():
    assert settled_line(CHESS, CHESS.initial()[0]) == []
    drawn = of_fen("8/8/3k4/8/8/8/8/K6B w - - 0 1")
    assert settled_line(CHESS, drawn[0]) == []
