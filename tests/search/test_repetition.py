"""Chess in the forest: a position met a second time is a draw below a root, not at it."""

import chess
import pytest
from compared_trees import HashEvaluator, actions_of, assert_equal_trees
from oracle_chess import SlowChess, action_of
from oracle_evaluators import SlowHash
from oracle_games import packed
from oracle_search import SlowSearch

from evenmatch.games.chess import Chess
from evenmatch.search import Plan, Search, UniformEvaluator
from evenmatch.search.forest import TERMINAL

GAME = Chess()
ROOK = "4k3/8/8/8/8/8/8/4K2R w - - 0 1"  # few pieces: repetitions are within reach
LATE = "4k3/8/8/8/8/8/8/4K2R w - - 90 90"  # ten plies from a draw by the clock
ROUND = ["Rh2", "Kd8", "Rh1", "Ke8"]


def walked(words, fen=ROOK):
    """A position with the game that led to it."""
    position = SlowChess(chess.Board(fen))
    for word in words:
        position = position.play(action_of(position.board_, position.board_.parse_san(word)))
    return position


def action(position, word):
    return action_of(position.board_, position.board_.parse_san(word))


def ended(search):
    """How many nodes of a tree are the end of the game."""
    nodes = search.forest.nodes[0, : search.forest.trees["nodes"][0]]
    return int((nodes["status"] == TERMINAL).sum())


def pair(position, seed=5):
    search = Search(GAME, HashEvaluator(GAME), nodes=8)
    search.plant([0], packed([position]), [seed])
    return search, SlowSearch(position, seed, SlowHash(GAME.num_actions))


@pytest.mark.parametrize(("words", "fen"), [((ROUND * 2)[:7], ROOK), (ROUND[:3], LATE)])
def test_trees_are_those_of_the_oracle(words, fen):
    """Node for node over four moves of a game; some nodes end by repetition or the clock."""
    search, oracle = pair(walked(words, fen))
    met = 0
    for simulations in (100, 80, 60):
        search.run([0], Plan(simulations=simulations))
        oracle.run(Plan(simulations=simulations))
        assert_equal_trees(search, oracle)
        met += ended(search)
        best = max(oracle.root.edges, key=lambda a: oracle.root.edges[a].visits)
        search.follow([0], [best])
        oracle.follow(best)
        assert_equal_trees(search, oracle)
        if oracle.root.position.is_drawn():
            break
    assert met > 0


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
    assert_equal_trees(search, oracle)


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
    assert_equal_trees(search, oracle)
