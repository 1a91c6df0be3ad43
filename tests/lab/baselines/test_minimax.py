"""Minimax against a naive recursive twin, and against what a player expects of it."""

from collections import defaultdict
from functools import cache
from itertools import groupby, product

import numpy as np
import pytest

from evenmatch.errors import SpecError, UsageError
from evenmatch.games import get_game, random_positions
from evenmatch_lab.baselines import minimax
from evenmatch_lab.baselines.minimax import EVALUATIONS, Minimax

EQ_14 = """
 30  -5  2  2  -5  30
 -5 -15  3  3 -15  -5
  2   3  0  0   3   2
  2   3  0  0   3   2
 -5 -15  3  3 -15  -5
 30  -5  2  2  -5  30
"""
EQ_15 = """
 120 -20  20   5   5  20 -20 120
 -20 -40  -5  -5  -5  -5 -40 -20
  20  -5  15   3   3  15  -5  20
   5  -5   3   3   3   3  -5   5
   5  -5   3   3   3   3  -5   5
  20  -5  15   3   3  15  -5  20
 -20 -40  -5  -5  -5  -5 -40 -20
 120 -20  20   5   5  20 -20 120
"""
TABLES = {
    name: [[int(word) for word in line.split()] for line in text.strip().splitlines()]
    for name, text in (("othello6", EQ_14), ("othello", EQ_15))
}
EACH = pytest.mark.parametrize(("game_id", "name"), sorted(EVALUATIONS))
OTHELLOS = pytest.mark.parametrize("game_id", ["othello6", "othello"])


# -- the naive twin: one position at a time, recursive, lists of ints -----------------------------


@cache
def lines_of(height, width):
    """The cells of all rows, columns and diagonals of a board."""
    cells = list(product(range(height), range(width)))
    keys = (lambda r, c: r, lambda r, c: c + 50, lambda r, c: r - c + 100, lambda r, c: r + c + 150)
    lines = defaultdict(list)
    for key in keys:
        for r, c in cells:
            lines[key(r, c)].append((r, c))
    return list(lines.values())


def line_score(line, two, three):
    runs = ((disc, len(list(same))) for disc, same in groupby(line))
    return sum(disc * {2: two, 3: three}.get(length, 0) for disc, length in runs)


def naive_static(game_id, name, board):
    if game_id == "connect4":
        weights = {"minimax1": (100, 10_000), "minimax2": (100, 200)}[name]
        return sum(line_score([board[r][c] for r, c in line], *weights) for line in lines_of(6, 7))
    size = range(len(board))
    weight = TABLES[game_id] if name == "minimax1" else [[1] * len(board)] * len(board)
    return sum(weight[x][y] * board[x][y] for x in size for y in size)


def naive_value(game, name, state, player, depth, worst_leaf=False):
    side = int(game.to_play(state[None])[0])
    legal = game.legal_actions(state[None])[0]
    if not len(legal):
        outcome = float(game.outcome(state[None])[1][0])
        return player * side * outcome * (1_000_000 if game.id == "connect4" else 1000)
    if depth == 0:
        return player * naive_static(game.id, name, game.board(state[None])[0].tolist())
    below = [
        naive_value(game, name, game.after(state[None], [action])[0], player, depth - 1, worst_leaf)
        for action in legal
    ]
    return max(below) if side == player and not worst_leaf else min(below)


def naive_root(game, name, state, depth=3, worst_leaf=False):
    """Scores of all actions [A], -inf if illegal."""
    if game.id != "connect4" and (game.board(state[None]) == 0).sum() <= 6:
        depth = 1000
    player = int(game.to_play(state[None])[0])
    scores = [-np.inf] * game.num_actions
    for action in game.legal_actions(state[None])[0]:
        child = game.after(state[None], [action])[0]
        scores[action] = naive_value(game, name, child, player, depth - 1, worst_leaf)
    return scores


# -- positions ------------------------------------------------------------------------------------


def going(game, games, seed):
    """All positions of random games that are not terminal, [n, S]."""
    states = np.concatenate(list(random_positions(game, games, seed)))
    return states[game.examine(states)[1] > 0]


def spread(game, count, seed):
    """Positions of random games, spread evenly from the first ply to the last."""
    states = going(game, 4, seed)
    return states[np.linspace(0, len(states) - 1, count).astype(int)]


def with_empty(game, empty, count, seed):
    states = going(game, 40, seed)
    found = states[(game.board(states) == 0).sum((1, 2)) == empty][:count]
    assert len(found) == count
    return found


def connect4_after(columns):
    game = get_game("connect4")
    state = game.initial()
    for column in columns:
        state = game.after(state, [int(column) - 1])
    return state


# -- equal to the twin ----------------------------------------------------------------------------


@EACH
def test_equals_the_naive_twin(game_id, name):
    game = get_game(game_id)
    states = spread(game, 6 if game_id == "othello" else 12, seed=3)
    expected = [naive_root(game, name, state) for state in states]
    np.testing.assert_array_equal(Minimax(game, name).root_values(states), expected)
    np.testing.assert_array_equal(Minimax(game, name).choose(states), np.argmax(expected, 1))


@EACH
def test_worst_leaf_equals_the_naive_twin(game_id, name):
    game = get_game(game_id)
    states = spread(game, 4, seed=4)
    expected = [naive_root(game, name, state, worst_leaf=True) for state in states]
    found = Minimax(game, name, worst_leaf=True).root_values(states)
    np.testing.assert_array_equal(found, expected)
    assert (found <= Minimax(game, name).root_values(states)).all()


@pytest.mark.parametrize(("depth", "count"), [(1, 6), (2, 6), (4, 1)])
def test_equals_the_naive_twin_at_other_depths(depth, count):
    game = get_game("connect4")
    states = spread(game, count, seed=5)
    expected = [naive_root(game, "minimax2", state, depth) for state in states]
    np.testing.assert_array_equal(Minimax(game, "minimax2", depth).root_values(states), expected)


@OTHELLOS
@pytest.mark.parametrize("empty", [1, 5, 6, 7])
def test_last_six_turns_are_searched_to_the_end(game_id, empty):
    game = get_game(game_id)
    states = with_empty(game, empty, 6, seed=6)
    found = Minimax(game).root_values(states)
    np.testing.assert_array_equal(found, [naive_root(game, "minimax1", s) for s in states])
    outcomes = np.isin(found[np.isfinite(found)], (-1000, 0, 1000))
    assert outcomes.all() == (empty <= 6)


@OTHELLOS
def test_passes_at_the_root_and_below(game_id):
    game = get_game(game_id)
    states = going(game, 60, seed=7)
    actions, counts, _ = game.examine(states)
    passing = states[(counts == 1) & (actions[:, 0] == game.num_actions - 1)]
    first = game.after(states, actions[:, 0])
    before = states[(counts < 6) & game.legal_mask(first)[:, -1]]  # the first action forces a pass
    sample = np.concatenate([passing[:6], before[:4]])
    assert len(sample) == 10
    found = Minimax(game).root_values(sample)
    np.testing.assert_array_equal(found, [naive_root(game, "minimax1", s) for s in sample])
    assert (Minimax(game).choose(passing) == game.num_actions - 1).all()


@pytest.mark.parametrize("game_id", sorted({game_id for game_id, _ in EVALUATIONS}))
def test_a_batch_is_searched_as_each_alone_and_in_blocks(game_id, monkeypatch):
    game = get_game(game_id)
    states = np.random.default_rng(8).permutation(spread(game, 40, seed=8))
    player = Minimax(game)
    together = player.root_values(states)
    alone = [player.root_values(state[None])[0] for state in states]
    np.testing.assert_array_equal(together, alone)
    monkeypatch.setattr(minimax, "BLOCK", 7)
    np.testing.assert_array_equal(player.root_values(states[::4]), together[::4])
    assert player.root_values(states[:0]).shape == (0, game.num_actions)


# -- what a player expects ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["minimax1", "minimax2"])
def test_connect4_never_overlooks_a_win_or_a_loss_in_one(name):
    game = get_game("connect4")
    states = going(game, 6, seed=9)
    player, next_ply = Minimax(game, name), Minimax(game, name, depth=1)
    scores, chosen = player.root_values(states), player.choose(states)
    seen = 0
    for state, score, choice in zip(states, scores, chosen, strict=True):
        legal = np.flatnonzero(np.isfinite(score))
        children = game.after(np.repeat(state[None], len(legal), 0), legal)
        wins = game.outcome(children)[1] == -1
        loses = next_ply.root_values(children).max(1) == 1e6
        assert (score[legal[wins]] == 1e6).all()
        assert (score[legal[loses]] == -1e6).all()
        assert not wins.any() or score[choice] == 1e6
        assert loses.all() or choice not in legal[loses]
        seen += wins.any() + 2 * (loses.any() and not loses.all())
    assert seen > 20  # the sample holds such positions


# -- the tables -----------------------------------------------------------------------------------


@OTHELLOS
def test_othello_tables_are_the_papers_and_symmetric(game_id):
    table = EVALUATIONS[game_id, "minimax1"].table
    np.testing.assert_array_equal(table, TABLES[game_id])
    for other in (table.T, table[::-1], table[:, ::-1]):
        np.testing.assert_array_equal(table, other)
    assert (EVALUATIONS[game_id, "minimax2"].table == 1).all()


def test_runs_are_maximal_and_count_once_per_direction():
    boards = np.zeros((5, 6, 7), np.int8)
    boards[0, 5, :3] = 1  # one of three, no two
    boards[1, 5, [0, 1, 3, 4]] = 1  # two of two
    boards[2, 4:, :2] = -1  # a square: two rows, two columns, two diagonals
    boards[3, 5, :4] = 1  # four: none
    boards[4, 5, 5:], boards[4, 4, 0] = 1, 1  # a run does not go on in the next row
    scores = EVALUATIONS["connect4", "minimax1"].score(boards)
    np.testing.assert_array_equal(scores, [10_000, 200, -600, 0, 100])


# -- mistakes -------------------------------------------------------------------------------------


def test_errors_say_how_to_fix_them():
    game = get_game("connect4")
    with pytest.raises(SpecError, match="minimax1, minimax2"):
        Minimax(game, "minimax3")
    with pytest.raises(SpecError, match="no evaluation for chess; it plays connect4, othello"):
        Minimax(get_game("chess"), "minimax1")
    for depth in (0, 13):
        with pytest.raises(UsageError, match=rf"depth={depth} is outside \[1, 12\]"):
            Minimax(game, depth=depth)
    assert Minimax(game, depth=12).depth == 12
    won = connect4_after("1212121")
    with pytest.raises(UsageError, match="position 1 is terminal"):
        Minimax(game).choose(np.concatenate([game.initial(), won]))
