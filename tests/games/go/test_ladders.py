"""Ladders: known ones, and on random boards those of an obvious search."""

import numpy as np
import pytest
from katago_reference import drawn, number, random_game
from naive_replay import NaiveReplay

from evenmatch.games.go.ladders import mark_ladders
from evenmatch.games.go.linked_board import KO, cell, link, work_for


def ladders(game, side):
    """Return (stones caught, moves that catch the opponent of `side`), as sets of numbers."""
    size, points = game.size, game.size**2
    stones = np.array([game.board[divmod(p, size)] * side % 3 for p in range(points)], np.int8)
    work, caught, captures = work_for(size), np.zeros(points), np.zeros(points)
    link(work.board, stones, size)
    if game.ko():
        work.board[KO, 0] = cell(number(game.ko(), size), size)
    before = work.board.copy()
    mark_ladders(size, work, caught, captures, True)
    assert (work.board == before).all()
    return set(np.flatnonzero(caught)), set(np.flatnonzero(captures))


class TooLargeError(Exception):
    """An obvious search would take too long."""


class NaiveLadders:
    """The search as its description has it: no order of moves, no short cuts but for kos."""

    def __init__(self, game):
        self.game = game
        self.nodes = 0

    def marks(self, side):
        """Return what `ladders` does."""
        caught, captures = set(), set()
        for point, colour in self.game.board.items():
            liberties = self.game.chain(point)[1] if colour else ()
            if len(liberties) == 1 and self.owner_loses(self.game, point):
                caught.add(number(point, self.game.size))
            if len(liberties) == 2:
                working = {move for move in liberties if self.catches(self.game, point, move)}
                if working:
                    caught.add(number(point, self.game.size))
                if colour == -side:
                    captures |= {number(move, self.game.size) for move in working}
        return caught, captures

    def moved(self, game, side, point):
        """Return the game after a move, None if that would be suicide."""
        self.nodes += 1
        if self.nodes > 3000:
            raise TooLargeError
        after = NaiveReplay(game.size)
        after.board = game.board
        after.play(side, point)
        return after if after.board[point] else None

    def owner_loses(self, game, point):
        """Return whether a chain is lost whose owner is to move."""
        owner, (stones, liberties) = game.board[point], game.chain(point)
        if len(liberties) > 1:
            return False
        moves = liberties.union(*self.atari_beside(game, stones, -owner))
        after = [self.moved(game, owner, move) for move in moves]
        return all(not then or self.opponent_catches(then, point) for then in after)

    def opponent_catches(self, game, point):
        """Return whether a chain is lost whose opponent is to move: by atari that leaves no ko."""
        liberties = game.chain(point)[1]
        if len(liberties) != 2:
            return len(liberties) < 2
        if self.is_between_kos(game, point, liberties):
            return True
        return any(self.catches(game, point, move, ko_saves=True) for move in liberties)

    def catches(self, game, point, move, ko_saves=False):
        """Return whether the opponent's move catches a chain."""
        after = self.moved(game, -game.board[point], move) if move != game.ko() else None
        if not after or (ko_saves and after.ko() and len(after.chain(point)[1]) == 1):
            return False
        return self.owner_loses(after, point)

    def atari_beside(self, game, stones, side):
        """Return the liberties, one each, of a side's chains in atari beside stones."""
        near = {n for stone in stones for n in game.beside(stone) if game.board[n] == side}
        found = [game.chain(stone)[1] for stone in near]
        return [liberties for liberties in found if len(liberties) == 1]

    def is_between_kos(self, game, point, liberties):
        """Return whether both liberties are kos of the opponent that connecting does not help."""
        owner = game.board[point]
        for move in liberties:
            around = game.beside(move)
            if any(game.board[near] != owner for near in around):
                return False
            weak = [near for near in around if len(game.chain(near)[1]) == 1]
            if len(weak) != 1 or len(game.chain(weak[0])[0]) != 1:
                return False
            if len(game.chain(move, {**game.board, move: owner})[1]) > 2:
                return False
        return not self.atari_beside(game, game.chain(point)[0], -owner)


def ladder_to_the_lower_right():
    return drawn(
        ". . . . . . .",
        ". . X X . . .",
        ". X O . . . .",
        ". . X . . . .",
        ". . . . . . .",
        ". . . . . . .",
        ". . . . . . .",
    )


def test_a_ladder_runs_to_the_edge():
    game = ladder_to_the_lower_right()
    stone = number((2, 2), 7)
    assert ladders(game, 1) == ({stone}, set())  # in atari already
    game.board[3, 2] = 0
    assert ladders(game, 1) == ({stone}, {number((3, 2), 7)})  # the other way it gets free
    assert ladders(game, -1) == ({stone}, set())  # its own stone, not to be caught


@pytest.mark.parametrize("breaker", [(4, 4), (5, 5)])
def test_a_stone_in_the_way_breaks_a_ladder(breaker):
    game = ladder_to_the_lower_right()
    game.board[breaker] = -1
    assert ladders(game, 1) == (set(), set())


def test_a_chain_that_can_capture_is_free():
    game = ladder_to_the_lower_right()
    for white in ((4, 2), (3, 1)):
        game.board[white] = -1
    assert len(game.chain((3, 2))[1]) == 1
    assert ladders(game, 1)[0] == NaiveLadders(game).marks(1)[0]
    assert number((2, 2), 7) not in ladders(game, 1)[0]


@pytest.mark.parametrize("seed", range(4))
def test_ladders_of_random_games_are_those_of_an_obvious_search(seed):
    rng, compared, found = np.random.default_rng(seed), 0, 0
    for _ in range(60):
        size = int(rng.integers(4, 9))
        game, side = random_game(rng, size, int(rng.integers(3, size * size)))
        try:
            want = NaiveLadders(game).marks(side)
        except TooLargeError:
            continue
        assert ladders(game, side) == want, game.board
        compared += 1
        found += bool(want[0])
    assert compared > 50
    assert found > 15
