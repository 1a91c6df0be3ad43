"""What players look like and score, of rows made up."""

import numpy as np
import pytest

from evenmatch.arena import Pairing, Played
from evenmatch.games import GAMES
from evenmatch.ratings import elo_from_score
from evenmatch_lab.ours.self_estimate import ends, finding, page, scored, side_of


def row(asked, seen, pairs, player="sa"):
    """A player who looks like ``seen``; ``pairs`` of games gave 0, 1/2, 1, 3/2 and 2 points."""
    return {
        "settings": {
            "asked": asked, "games": 20, "players": [f"{player}:elo={asked}", f"pikl:elo={asked}"]
        },
        "row": {"first": [0, 0, 0], "second": [0, 0, 0], "pairs": pairs, "distinct": 20},
        "distinct": 20,
        "looks": [seen, seen - 50.0, seen + 50.0],
        "alone": [seen - 10.0, seen + 10.0],
        "moves": 400,
    }  # fmt: skip


def test_the_score_says_how_strong():
    """Three points of four."""
    won = row(1200, 1500.0, [0, 0, 5, 0, 5])
    assert scored(won)[0] == pytest.approx(1200 + elo_from_score(0.75))


def test_intervals_without_an_end():
    assert ends((1200.0, 1100.0, 1300.0)) == "1200 (1100 to 1300)"
    assert ends((1200.0, 1100.0, np.inf)) == "1200 (above 1100)"
    assert ends((np.inf, 1100.0, np.inf)) == "above 1100"
    assert ends((-np.inf, -np.inf, 1100.0)) == "below 1100"


def test_what_is_said():
    rows = [row(1200, 1500.0, [0, 0, 10, 0, 0]), row(1400, 1450.0, [0, 0, 10, 0, 0])]
    said = finding("sa", rows)
    assert "look 175 from the rating asked for on average, within 100 at 1 of 2 ratings" in said
    assert "rise at 0 of 1 steps" in said
    assert "They look 175 stronger than it scores, on average." in said


def test_a_player_that_met_itself_has_no_score():
    rows = {"pikl 1200": row(1200, 1210.0, [0, 0, 10, 0, 0], "pikl")}
    text = "\n".join(page(rows))
    assert "| 1200 | 1210 (1160 to 1260) | 1210 ± 10 | itself |" in text
    assert "scores, on average" not in text


def test_a_game_as_either_side_played_it():
    game = GAMES["chess"]
    state, actions = game.initial(), []
    for word in ("e2e4", "e7e5", "g1f3"):
        actions.append(game.read_action(state[0], word))
        state = game.after(state, np.array([actions[-1]]))
    played = Played(Pairing(1, 0), -1.0, tuple(actions))
    mine = side_of(game, played, 0)
    assert mine.side == -1
    assert mine.record.result == -1
    assert len(mine.counted) == 1, "Black's one move was answered"
