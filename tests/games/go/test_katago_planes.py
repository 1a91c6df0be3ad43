"""KataGo's inputs: equal to its own, and by their description where it is not at hand."""

import numpy as np
import pytest
from katago_reference import RULES, arrays_of, game_of, inputs_of, random_game, reference_positions
from naive_replay import PASS, NaiveReplay, read_point

from evenmatch.games.go.katago_planes import (
    BUTTON,
    KO_RULE,
    PASS_ENDS,
    SCORING,
    SITUATIONAL,
    SUICIDE,
    TAX,
    TERRITORY,
    wave,
    write_planes,
)
from evenmatch.games.go.linked_board import work_for


def planes_of(game, side, komi=0.0, rules=(0, 0, 0, 0)):
    """The planes [41, H, W] of a game in progress."""
    out = np.full((41, game.size, game.size), np.nan, np.float32)
    told = np.array([*rules, 0, 0][:6])
    arrays = arrays_of(game, side, rules)
    write_planes(game.size, *arrays, komi, told, work_for(game.size), out)
    return out


def played(size, *moves):
    """A game of these moves, Black first, and the side to move."""
    game, side = NaiveReplay(size), 1
    for move in moves:
        game.play(side, read_point(move, size))
        side = -side
    return game, side


def test_inputs_are_those_of_katago():
    for position in reference_positions():
        want, rules = inputs_of(position), RULES[position["rules"]]
        komi = 20 * want[22].flat[5]  # what each rule set adds for handicap stones included
        got = planes_of(*game_of(position), komi, rules)
        name = f"{position['label']}, {position['rules']}"
        np.testing.assert_allclose(got[22], want[22], atol=1e-6, err_msg=name)
        np.testing.assert_array_equal(got[:22], want[:22], err_msg=name)


def test_stones_liberties_and_moves():
    game, side = played(9, "A1", "B1", "E5", "pass", "pass", "E6", "C3")
    planes = planes_of(game, side)
    assert (planes[0] == 1).all()
    assert np.argwhere(planes[1]).tolist() == [[3, 4], [8, 1]]  # White's, who is to move
    assert np.argwhere(planes[2]).tolist() == [[4, 4], [6, 2], [8, 0]]
    assert np.argwhere(planes[3]).tolist() == [[8, 0]]
    assert np.argwhere(planes[4]).tolist() == [[8, 1]]
    assert np.argwhere(planes[5]).tolist() == [[3, 4], [4, 4]]
    latest = [np.flatnonzero(planes[9 + back]).tolist() for back in range(5)]
    assert latest == [[6 * 9 + 2], [3 * 9 + 4], [], [], [4 * 9 + 4]]
    assert planes[22:27, 0, 0].tolist() == [0, 0, 1, 1, 0]


def test_the_past_is_not_told_where_a_pass_ends_the_game():
    game, side = played(9, "C3", "D3", "pass")
    planes = planes_of(game, side)
    assert not planes[9:14].any()
    assert not planes[22].flat[:5].any()


def test_moves_of_one_side_in_a_row_end_the_past():
    game, side = played(9, "C3", "D3")
    game.play(side, read_point("E3", 9))
    planes = planes_of(game, side)
    assert not planes[9:14].any()


def test_ko_is_banned():
    game, side = played(5, "B3", "C4", "C2", "D3", "A1", "C3")
    stone = read_point("B2", 5)
    assert not planes_of(game, side)[6].any()
    game, side = played(5, "B2", "C2", "A3", "D3", "B4", "C4", "C3", "B3")
    assert game.captured[-1] == {read_point("C3", 5)}
    assert np.argwhere(planes_of(game, side)[6]).tolist() == [list(read_point("C3", 5))]
    assert stone in game.board


@pytest.mark.parametrize(
    ("place", "value", "numbers"),
    [
        (KO_RULE, 0, {}),
        (KO_RULE, 1, {6: 1, 7: 0.5}),
        (KO_RULE, SITUATIONAL, {6: 1, 7: -0.5}),
        (SCORING, TERRITORY, {9: 1, 18: 0}),
        (TAX, 1, {10: 1}),
        (TAX, 2, {10: 1, 11: 1}),
        (SUICIDE, 1, {8: 1}),
        (PASS_ENDS, 1, {14: 1}),
        (BUTTON, 1, {17: 1}),
    ],
)
def test_rules(place, value, numbers):
    rules = np.zeros(6, int)
    rules[place] = value
    out = np.zeros((41, 9, 9), np.float32)
    none = np.zeros((3, 81), np.int8), np.full(5, -1), np.full(3, -1), np.zeros(81, bool)
    write_planes(9, *none, 7.5, rules, work_for(9), out)
    want = {5: 7.5 / 20, 18: 0.5, **numbers}
    np.testing.assert_allclose(out[22:, 4, 4], [want.get(i, 0) for i in range(19)])


def test_komi_has_a_limit():
    out = np.zeros((41, 9, 9), np.float32)
    none = np.zeros((3, 81), np.int8), np.full(5, -1), np.full(3, -1), np.zeros(81, bool)
    write_planes(9, *none, -400.0, np.zeros(6, int), work_for(9), out)
    assert out[27, 0, 0] == pytest.approx(-101 / 20)


def test_the_wave_of_komi():
    """On odd boards a draw needs odd komi: around it half a point counts."""
    known = {7: 0.0, 7.5: 0.5, 8: 0.0, 6.5: -0.5, -7: 0.0, -6.5: 0.5, 7.25: 0.25}
    for komi, height in known.items():
        assert wave(komi, 9) == pytest.approx(height), komi
        assert wave(komi + 1, 10) == pytest.approx(height), komi


def test_territory_is_not_shown_while_it_does_not_count():
    game, side = played(5, "B2", "D4")
    assert planes_of(game, side, rules=(0, TERRITORY, 1, 0))[18:20].sum() == 0
    assert planes_of(game, side)[18:20].sum() == 2


@pytest.mark.parametrize("seed", range(3))
def test_what_was_before_does_not_matter(seed):
    """The room of an earlier position, of whatever board, leaves no trace."""
    rng = np.random.default_rng(seed)
    work = work_for(7)
    for _ in range(20):
        game, side = random_game(rng, 7, int(rng.integers(0, 60)))
        arrays = arrays_of(game, side, (1, 0, 0, 0))
        fresh, used = (np.full((41, 7, 7), np.nan, np.float32) for _ in range(2))
        rules = np.array([1, 0, 0, 0, 0, 0])
        write_planes(7, *arrays, 0.5, rules, work_for(7), fresh)
        write_planes(7, *arrays, 0.5, rules, work, used)
        np.testing.assert_array_equal(fresh, used)


def test_passes_are_numbers_of_the_board():
    game, side = played(9, "C3", "pass", "D4")
    assert game.moves[1][1] == PASS
    assert planes_of(game, side)[23].min() == 1
