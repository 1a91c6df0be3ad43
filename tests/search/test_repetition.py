"""Chess in the forest: a position met a second time is a draw below a root, not at it."""

import chess
import numpy as np
import pytest
from oracle import SlowHash, SlowSearch, packed, said_by_hash
from oracle_chess import SlowChess, action_of
from trees import actions_of

from evenmatch.games.chess import Chess
from evenmatch.search import Plan, Search, UniformEvaluator
from evenmatch.search.forest import FRESH, TERMINAL

GAME = Chess()
ROOK = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"  # few pieces: repetitions are within reach
LATE = "4k3/8/8/8/8/8/8/4K2R w - - 90 90"  # ten plies from a draw by the clock
ROUND = ["Rh2", "Kd8", "Rh1", "Ke8"]


class Hashed:
    """Logits and values that hang on the state alone, its mark included."""

    def evaluate(self, states, request=None):
        return said_by_hash(states, GAME.num_actions)


def walked(words, fen=ROOK):
    """A position with the game that led to it."""
    position = SlowChess(chess.Board(fen))
    for word in words:
        position = position.play(action_of(position.board_, position.board_.parse_san(word)))
    return position


def action(position, word):
    return action_of(position.board_, position.board_.parse_san(word))


def assert_equal(forest, number, node):
    """Compare a node and all below it; return how many there are, and how many ended."""
    ours = forest.nodes[0, number]
    assert ours["visits"] == node.visits
    assert (ours["status"] == TERMINAL) == node.terminal
    if ours["status"] != FRESH or node.terminal:
        assert forest.states[0, number].tolist() == packed([node.position])[0].tolist()
    found = np.array([1, int(node.terminal)])
    known = actions_of(forest, 0, number)
    assert list(known) == sorted(node.edges or {})
    for action, ours in known.items():
        theirs = node.edges[action]
        assert ours.visits == theirs.visits
        assert ours.value_sum == pytest.approx(theirs.total)
        if ours.child >= 0:
            found += assert_equal(forest, ours.child, theirs.child)
    return found


def pair(position, seed=5):
    search = Search(GAME, Hashed(), nodes=8)
    search.plant([0], packed([position]), [seed])
    return search, SlowSearch(position, seed, SlowHash(GAME.num_actions))


@pytest.mark.parametrize(("words", "fen"), [((ROUND * 2)[:7], ROOK), (ROUND[:3], LATE)])
def test_trees_are_those_of_the_oracle(words, fen):
    """Node for node over four moves of a game; some nodes end by repetition or the clock."""
    search, oracle = pair(walked(words, fen))
    ended = 0
    for simulations in (100, 80, 60):
        search.run([0], Plan(simulations=simulations))
        oracle.run(Plan(simulations=simulations))
        ended += assert_equal(search.forest, 0, oracle.root)[1]
        best = max(oracle.root.edges, key=lambda a: oracle.root.edges[a].visits)
        search.follow([0], [best])
        oracle.follow(best)
        assert_equal(search.forest, 0, oracle.root)
        if oracle.root.position.is_drawn():
            break
    assert ended > 0


def test_following_a_repetition_goes_on():
    """The move that repeats ends the game within the search; played, it is a root with moves."""
    position = walked(ROUND[:3])
    search, oracle = pair(position)
    search.run([0], Plan(simulations=60, c_puct=20.0))
    oracle.run(Plan(simulations=60, c_puct=20.0))
    back = action(position, "Ke8")
    reached = actions_of(search.forest, 0, 0)[back].child
    assert reached > 0
    assert search.forest.nodes["status"][0, reached] == TERMINAL
    search.follow([0], [back])
    oracle.follow(back)
    stats = search.run([0], Plan(simulations=60))
    oracle.run(Plan(simulations=60))
    assert stats.visits.sum() == 60
    assert_equal(search.forest, 0, oracle.root)


def test_a_root_on_the_board_a_second_time_is_searched():
    position = walked(ROUND)
    search = Search(GAME, UniformEvaluator(GAME))
    search.plant([0], packed([position]), [1])
    assert search.run([0], Plan(simulations=40)).visits.sum() == 40


def test_a_finished_game_stays_finished_when_followed():
    position = walked((ROUND * 2)[:7])
    search, oracle = pair(position)
    search.run([0], Plan(simulations=80))
    oracle.run(Plan(simulations=80))
    back = action(position, "Ke8")
    search.follow([0], [back])
    oracle.follow(back)
    assert search.forest.nodes["status"][0, 0] == TERMINAL
    assert_equal(search.forest, 0, oracle.root)
