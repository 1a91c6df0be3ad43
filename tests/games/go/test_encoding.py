"""Packed Go positions as KataGo's inputs: equal to its own, and to those of a naive game."""

import numpy as np
import pytest
from katago_reference import (
    MODERN,
    POSITIONS,
    RULES,
    arrays_of,
    game_of,
    handicap_points,
    inputs_of,
    number,
    reference_positions,
    side_of,
)
from naive_replay import PASS, NaiveReplay

from evenmatch.games.go import Go, state
from evenmatch.games.go.encoding import encode, new_shown
from evenmatch.games.go.katago_planes import write_planes
from evenmatch.games.go.linked_board import work_for


def encoded(game, states):
    """The inputs [B, 41, H, W] of positions."""
    out = np.full((len(states), 41, game.size, game.size), np.nan, np.float32)
    encode(states, game.size, game.near, new_shown(game.size), out)
    return out


def with_rules(states, points, rules):
    """Write what networks are told of the rules."""
    for name, value in zip(("ko", "territory", "tax", "suicide"), rules, strict=True):
        state.write_field(states, points, name, value)


def packed(position):
    """Return (game, state [1, S] of the play form) of a position of the reference."""
    naive, _ = game_of(position)
    size, game = naive.size, Go(naive.size)
    handicap = [number(p, size) for p in handicap_points(size, position["handicap"])]
    komi = -side_of(position["to_move"]) * 20 * position["globals"][5]
    first = -1 if handicap else 1
    begun = game.start(komi=round(2 * komi) / 2, black=handicap, to_play=first)[None]
    with_rules(begun, size * size, RULES[position["rules"]])
    for side, point in naive.moves:
        assert game.to_play(begun)[0] == side
        begun = game.after(begun, np.array([size * size if point == PASS else number(point, size)]))
    return game, begun


@pytest.mark.parametrize("name", [POSITIONS, MODERN])
def test_inputs_are_those_of_katago(name):
    for position in reference_positions(name):
        game, states = packed(position)
        strict = name == MODERN and position["rules"] in ("tromp-taylor", "japanese")
        state.write_field(states, game.points, "strict", strict)
        suicide_area = "suicidearea" in position.get("net", "")
        state.write_field(states, game.points, "suicide_area", suicide_area)
        want = inputs_of(position)
        stones = game.board(states)[0] * game.to_play(states)[0]
        if RULES[position["rules"]][3] and (stones != want[1] - want[2]).any():
            continue  # several stones were given up, which is not played here
        for form in (states, game.as_roots(states)):
            got = encoded(game, form)[0]
            np.testing.assert_array_equal(got[:22], want[:22], err_msg=position["label"])
            np.testing.assert_allclose(got[22:], want[22:], atol=1e-6, err_msg=position["label"])


@pytest.mark.parametrize("size", [3, 5, 7])
def test_inputs_of_random_games(size):
    """Random games are full of captures; on small boards of kos and repetitions, too."""
    rng, rules, bans = np.random.default_rng(size), (1, 0, 0, 0), 0
    game, fresh, told = Go(size), work_for(size), np.array([1, 0, 0, 0, 0, 0])
    for _ in range(6):
        states, naive, side = game.start(komi=0.5)[None].copy(), NaiveReplay(size), 1
        with_rules(states, size * size, rules)
        while not game.outcome(states)[0][0]:
            want = np.empty((41, size, size), np.float32)
            arrays = arrays_of(naive, side, rules)
            write_planes(size, *arrays, -0.5 * side, told, fresh, want)
            for form in (states, game.as_roots(states)):
                np.testing.assert_array_equal(encoded(game, form)[0], want)
            bans += arrays[3].sum()
            legal = game.legal_actions(states)[0]
            played = legal[rng.integers(max(len(legal) - 1, 1))]  # a pass where there is no move
            states = game.after(states, np.array([played]))
            naive.play(side, PASS if played == size * size else divmod(int(played), size))
            side = -side
    assert bans > 0
