"""Evaluations of games: recorded, made, and the losses that follow."""

import numpy as np
import pytest

from evenmatch.estimation import PlayerGame
from evenmatch.estimation.player_games import (
    evals_around,
    evaluated,
    lacks_evals,
    lost_chances,
    winning_chances,
)
from evenmatch.records.codec import codec_for
from evenmatch.records.record import MATE, MOST_EVAL, NO_EVAL

TAGS = '[White "w"]\n[Black "b"]\n[Result "*"]\n\n'
BARE = "1. e4 e5 2. Nf3 Nc6 *\n"
TOLD = "1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Nf3 Nc6 *\n"
SCARCE = "1. e4 { [%eval 0.3] } e5 2. Nf3 Nc6 *\n"


@pytest.fixture
def record(tmp_path):
    def record(text: str):
        (tmp_path / "game.pgn").write_text(TAGS + text)
        (one,) = codec_for("chess").games(tmp_path / "game.pgn")
        return one

    return record


@pytest.mark.parametrize(("text", "lacks"), [(BARE, True), (TOLD, False), (SCARCE, True)])
def test_half_of_the_moves_are_to_have_some(record, text, lacks):
    assert lacks_evals(record(text)) is lacks


def test_a_game_is_evaluated_once_for_both_sides(record):
    bare, told = record(BARE), record(TOLD)
    asked = []

    def evaluate(games):
        asked.extend(len(states) for states in games)
        return [np.array([10.4, -1e6, 3, 1e6])]

    sides = [PlayerGame(one, side) for one in (bare, told) for side in (1, -1)]
    found = evaluated(sides, evaluate)
    assert asked == [4]
    assert [one.side for one in found] == [1, -1, 1, -1]
    assert found[0].record is found[1].record
    assert [one.record.evals_made for one in found] == [True, True, False, False]
    assert found[0].record.evals.tolist() == [10, -MOST_EVAL, 3, MOST_EVAL]
    assert found[2].record is told
    assert told.evals.tolist() == [30, 20, NO_EVAL, NO_EVAL]
    assert bare.evals is None, "the record that was given stays as it is"


def test_nobody_is_asked_where_all_have_some(record):
    sides = [PlayerGame(record(TOLD), 1)]
    assert evaluated(sides, None) == sides


def losses_of(evals, side):
    return lost_chances(evals_around(evals, bool(side), len(evals[side::2]), 20))


def test_chances_are_even_at_zero_and_sure_at_mates():
    assert winning_chances(np.array([0.0, MATE, -MATE])) == pytest.approx([0.5, 1, 0], abs=0.001)
    assert winning_chances(np.array([100.0])) == pytest.approx([0.591], abs=0.001)


def test_each_side_loses_what_its_own_moves_give_up():
    """White goes from +20 to -80, Black gives 50 back, White's next move gains, Black's loses."""
    evals = np.array([-80, -30, 0, 200], np.int16)
    white, black = losses_of(evals, 0), losses_of(evals, 1)
    chance = lambda x: float(winning_chances(np.array([x]))[0])  # noqa: E731
    assert white == pytest.approx([chance(20) - chance(-80), 0])
    assert black == pytest.approx([chance(80) - chance(30), chance(0) - chance(-200)])


def test_a_missing_eval_leaves_two_moves_unknown():
    evals = np.array([10, NO_EVAL, 20, 30], np.int16)
    assert np.isnan(losses_of(evals, 0)).tolist() == [False, True]
    assert np.isnan(losses_of(evals, 1)).tolist() == [True, False]


def test_evals_are_for_the_mover():
    evals = np.array([-80, -30, 0, 200], np.int16)
    assert evals_around(evals, True, 2, 20).tolist() == [[80, 30], [0, -200]]
    assert evals_around(evals, False, 1, 20).tolist() == [[20, -80]]
    assert np.isnan(evals_around(None, False, 3, 20)).all()
