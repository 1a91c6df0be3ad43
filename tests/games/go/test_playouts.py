"""Playouts of Go, ply by ply beside a naive twin: what they may play, and how evenly they draw."""

import numpy as np
import pytest
from naive_go import NaiveGo

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.go import Go
from evenmatch.games.go.playouts import draw_move, new_mailbox, play, set_up

FALSE_ALARM = 1e-6  # of each of six tests, were its seed not fixed
DRAWS = 20_000


@inlined
def copy_order(board, other):  # Mailbox, Mailbox
    """Give another board the order of the empty cells."""
    for i in range(len(board.empty)):
        other.empty[i] = board.empty[i]
    for cell in range(len(board.place)):
        other.place[cell] = board.place[cell]


@kernel
def recorded(board, kept, state, size, seed, cells, draws):  # Mailbox twice, [S], ..., [T], [N]
    """Play a playout of T plies, Black first, then draw the next move N times; write the cells."""
    across, side = size + 2, 0
    set_up(board, state, (size * size + 63) // 64, size)
    for ply in range(len(cells)):
        seed, cells[ply] = draw_move(board, across, side, seed)
        board.counts[1] = -1
        if cells[ply]:
            play(board, cells[ply], across, side)
        side = 1 - side
    copy_order(board, kept)
    for n in range(len(draws)):
        copy_order(kept, board)  # a draw changes it
        seed, draws[n] = draw_move(board, across, side, seed)


@kernel
def ko_of(board, state, size):  # Mailbox, [S], int -> int
    """The cell that ko forbids at the first move of a playout."""
    set_up(board, state, (size * size + 63) // 64, size)
    return board.counts[1]


def test_the_first_move_of_a_playout_keeps_ko():
    game = Go(5)
    cells = ".XO..X.XO..XO............"
    stones = {mark: [i for i, c in enumerate(cells) if c == mark] for mark in "XO"}
    state = game.start(black=stones["X"], white=stones["O"], to_play=-1)
    moves = {"B4": "C4", "E1": None, "E2": None}  # and what ko forbids after it
    for move, forbidden in moves.items():
        state = game.after(state[None], [game.read_action(state, move)])[0]
        cell = ko_of(new_mailbox(5), state, 5)
        point = None if cell < 0 else game.action_text(state, actions_of(cell, 5))
        assert point == forbidden


def playout_of(size, seed, plies, draws=0):
    """The actions of a playout from the empty board, and draws of the next one."""
    cells, drawn = np.empty(plies, np.int64), np.empty(draws, np.int64)
    boards, start = (new_mailbox(size), new_mailbox(size)), Go(size).initial()[0]
    recorded(*boards, start, size, np.uint64(seed), cells, drawn)
    return actions_of(cells, size).tolist(), actions_of(drawn, size)


def actions_of(cells, size):
    """The actions that cells of the padded board stand for."""
    rows, columns = np.divmod(cells, size + 2)
    return np.where(cells, (rows - 1) * size + columns - 1, size * size)


def candidates(game):
    """What a playout may play: no suicide, no retaking of a ko, no filling of an own eye."""
    found = []
    for point in np.ndindex(game.size, game.size):
        stones = game.after(point)
        if stones is None or fills_eye(game, point):
            continue
        if frozenset(stones.items()) not in game.seen[-2:-1]:
            found.append(point[0] * game.size + point[1])
    return found


def fills_eye(game, point):
    """Whether a point is walled in by the player's stones, whose diagonals hold."""
    if any(game.stones.get(other) != game.player for other in game.near(point)):
        return False
    row, column = point
    corners = [(row + i, column + j) for i in (-1, 1) for j in (-1, 1)]
    inside = [corner for corner in corners if set(corner) <= set(range(game.size))]
    theirs = sum(game.stones.get(corner) == -game.player for corner in inside)
    return theirs < (2 if len(inside) == 4 else 1)


@pytest.mark.parametrize(("size", "games"), [(3, 60), (5, 60), (9, 5)])
def test_a_playout_passes_only_without_candidates(size, games):
    for seed in range(1, games + 1):
        game = NaiveGo(size)
        for action in playout_of(size, 1000 * size + seed, 3 * size * size)[0]:
            if game.over():
                break
            assert action in (candidates(game) or [size * size])
            game.play(action)
        assert game.over() or size == 3


@pytest.mark.parametrize(
    ("size", "filled"), [(3, 0.4), (5, 0.0), (5, 0.8), (5, 1.2), (9, 0.6), (9, 0.9)]
)
def test_every_candidate_is_as_likely(size, filled):
    """Draws from one position, some plies for each point into a playout: chi-square."""
    stats = pytest.importorskip("scipy.stats")
    played, drawn = playout_of(size, size, int(filled * size * size), DRAWS)
    game = NaiveGo(size)
    for action in played:
        game.play(action)
    legal = candidates(game)
    assert len(legal) > 1
    counts = np.bincount(drawn, minlength=size * size + 1)
    assert set(np.flatnonzero(counts)) == set(legal)
    assert stats.chisquare(counts[legal]).pvalue > FALSE_ALARM
