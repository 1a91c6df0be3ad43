"""Games recorded without evaluations get some."""

import numpy as np
import pytest

from evenmatch.estimation import PlayerGame
from evenmatch.estimation.player_games import evaluated, lacks_evals
from evenmatch.records.chess.pgn import read_games
from evenmatch.records.record import MOST_EVAL, NO_EVAL

TAGS = '[White "w"]\n[Black "b"]\n[Result "*"]\n\n'
BARE = "1. e4 e5 2. Nf3 Nc6 *\n"
TOLD = "1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Nf3 Nc6 *\n"
SCARCE = "1. e4 { [%eval 0.3] } e5 2. Nf3 Nc6 *\n"


@pytest.fixture
def record(tmp_path):
    def record(text: str):
        (tmp_path / "game.pgn").write_text(TAGS + text)
        (one,) = read_games(tmp_path / "game.pgn")
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
