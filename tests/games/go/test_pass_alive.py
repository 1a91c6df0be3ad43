"""Areas: by their definition on random boards, and known shapes."""

import numpy as np
import pytest
from katago_reference import drawn, random_game
from naive_replay import NaiveReplay

from evenmatch.games.go.linked_board import cell, link, work_for
from evenmatch.games.go.pass_alive import leave_stones_and_life, mark_area


def area(game, suicide=False, taxed=False):
    """Return whose each point is, 1, -1 or 0, as a dictionary."""
    size, work = game.size, work_for(game.size)
    stones = np.array([game.board[divmod(p, size)] % 3 for p in range(size * size)], np.int8)
    link(work.board, stones, size)
    mark_area(size, suicide, work)
    if taxed:
        leave_stones_and_life(size, work)
    owner = {0: 0, 1: 1, 2: -1}
    return {divmod(p, size): owner[int(work.area[cell(p, size)])] for p in range(size * size)}


# -- the definition ----------------------------------------------------------------------------


def flood(game, start, inside):
    """Return the connected points from `start` for which `inside` holds."""
    found, queue = {start}, [start]
    while queue:
        for near in game.beside(queue.pop()):
            if near not in found and inside(near):
                found.add(near)
                queue.append(near)
    return frozenset(found)


def regions_of(game, side):
    """Return the regions of a side that have an empty point."""
    empty = [point for point, colour in game.board.items() if colour == 0]
    return {flood(game, point, lambda p: game.board[p] != side) for point in empty}


def chains_of(game, side):
    """Return the chains of a side."""
    return {frozenset(game.chain(p)[0]) for p, colour in game.board.items() if colour == side}


def beside(game, one, other):
    """Return whether a point of a set has a neighbour in another."""
    return any(near in other for point in one for near in game.beside(point))


def living(game, side, suicide):
    """Return (chains, regions) of Benson's algorithm: those that survive together."""
    chains, regions = chains_of(game, side), regions_of(game, side)

    def is_vital(region, chain):
        asked = [p for p in region if suicide or game.board[p] == 0]
        return all(any(near in chain for near in game.beside(p)) for p in asked)

    while True:
        kept = {c for c in chains if sum(is_vital(r, c) for r in regions) >= 2}
        safe = {r for r in regions if all(c in kept for c in chains if beside(game, r, c))}
        if (kept, safe) == (chains, regions):
            return chains, regions
        chains, regions = kept, safe


def safe_regions(game, side, suicide):
    """Return the regions that border no chain but living ones."""
    alive, _ = living(game, side, suicide)
    dead = chains_of(game, side) - alive
    return alive, {r for r in regions_of(game, side) if not any(beside(game, r, c) for c in dead)}


def naive_area(game, suicide):
    """Return whose each point is; what lives is settled before what only is enclosed."""
    owner = dict.fromkeys(game.board, 0)
    for side in (1, -1):
        if side not in game.board.values():
            continue
        alive, safe = safe_regions(game, side, suicide)
        for chain in alive:
            owner.update(dict.fromkeys(chain, side))
        for region in safe:
            inner = [p for p in region if not any(game.board[n] == side for n in game.beside(p))]
            if len(inner) <= 1 or all(game.board[p] == 0 for p in region):
                owner.update(dict.fromkeys(region, side))
    for side in (1, -1):
        for region in regions_of(game, side):
            if side in game.board.values() and all(game.board[p] == 0 for p in region):
                owner.update({p: side for p in region if not owner[p]})
    return {p: owner[p] or game.board[p] for p in game.board}


def naive_taxed(game, owner):
    """Return the area without territory in seki."""
    taxed = dict(owner)
    for start in game.board:
        if not owner[start]:
            continue
        group = flood(game, start, lambda p, s=start: owner[p] == owner[s])
        atari = any(game.board[p] == owner[p] and len(game.chain(p)[1]) == 1 for p in group)
        neutral = any(game.board[n] == owner[n] == 0 for p in group for n in game.beside(p))
        if atari or neutral:
            taxed.update({p: 0 for p in group if game.board[p] != owner[p]})
    return taxed


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_areas_of_random_games_are_by_definition(seed, suicide):
    rng, enclosed = np.random.default_rng(seed), 0
    for _ in range(80):
        size = int(rng.integers(2, 8))
        game, _ = random_game(rng, size, int(rng.integers(0, 3 * size * size)))
        want = naive_area(game, suicide)
        assert area(game, suicide) == want, game.board
        assert area(game, suicide, taxed=True) == naive_taxed(game, want), game.board
        enclosed += any(want[p] == -game.board[p] != 0 for p in want)
    assert enclosed > 3  # stones in the other side's area were among them


def test_two_eyes_live_and_what_is_within_is_dead():
    game = drawn(
        "O . X . X",
        "X X X X X",
        "O O O O O",
        ". . . . .",
        ". . . . .",
    )
    owner = area(game)
    assert all(owner[p] == 1 for p in owner if p[0] < 2)  # the white stone in the eye, too
    assert all(owner[p] == -1 for p in owner if p[0] >= 2)


def test_points_between_the_sides_are_nobodys():
    game = drawn(
        ". X . O .",
        "X X . O O",
        ". X . O .",
        "X X . O O",
        ". X . O .",
    )
    owner = area(game)
    assert [owner[2, c] for c in range(5)] == [1, 1, 0, -1, -1]
    taxed = area(game, taxed=True)
    assert [taxed[2, c] for c in range(5)] == [0, 1, 0, -1, 0]


def test_an_empty_board_is_nobodys():
    assert set(area(NaiveReplay(5)).values()) == {0}
