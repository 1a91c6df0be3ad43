"""The linked board: chains after random moves are those by flood fill, and moves are undone."""

import numpy as np
import pytest
from katago_reference import number
from naive_replay import NaiveReplay

from evenmatch.games.go.linked_board import (
    COLOUR,
    HEAD,
    KO,
    LIBERTIES,
    NEXT,
    STONES,
    cell,
    is_legal,
    link,
    play,
    take_back,
    work_for,
)


def assert_shows(board, game):
    """The board has the stones, chains and ko of a game."""
    size = game.size
    for point, colour in game.board.items():
        at = cell(number(point, size), size)
        assert board[COLOUR, at] == colour % 3
        if colour:
            stones, liberties = game.chain(point)
            head = board[HEAD, at]
            assert (board[STONES, head], board[LIBERTIES, head]) == (len(stones), len(liberties))
            ring, stone = set(), at
            while stone not in ring:
                ring.add(stone)
                stone = board[NEXT, stone]
            assert ring == {cell(number(p, size), size) for p in stones}
    ko = game.ko()
    assert board[KO, 0] == (cell(number(ko, size), size) if ko else 0)


@pytest.mark.parametrize("seed", range(6))
def test_random_games_forth_and_back(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 8))
    game, work, top, side = NaiveReplay(size), work_for(size), 0, 1
    link(work.board, np.zeros(size * size, np.int8), size)
    trail = []
    for _ in range(size * size):
        board = work.board
        legal = [
            point
            for point, colour in game.board.items()
            if colour == 0 and is_legal(board, cell(number(point, size), size), side % 3, size)
        ]
        assert set(legal) == {
            point
            for point, colour in game.board.items()
            if colour == 0 and point != game.ko() and game.after(side, point)[0][point]
        }
        if not legal:
            break
        point = legal[rng.integers(len(legal))]
        trail.append((top, board.copy()))
        top = play(board, work.journal, top, cell(number(point, size), size), side % 3, size)
        game.play(side, point)
        assert_shows(board, game)
        side = -side
    stones = np.array([game.board[divmod(p, size)] % 3 for p in range(size * size)], np.int8)
    fresh = work_for(size).board
    link(fresh, stones, size)
    fresh[KO, 0] = work.board[KO, 0]
    assert_shows(fresh, game)
    for bottom, before in reversed(trail):
        take_back(work.board, work.journal, top, bottom)
        top = bottom
        np.testing.assert_array_equal(work.board, before)
