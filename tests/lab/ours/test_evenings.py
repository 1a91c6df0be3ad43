"""Evenings through both front ends: a quick run, and who types what at which question."""

import sys

import numpy as np
import pytest

pytest.importorskip("websockets", reason="the page needs the extra web")

from evenmatch.errors import StateError
from evenmatch.games import get_game
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import evenings
from evenmatch_lab.pages import RESULTS, block_of
from evenmatch_lab.runner import ResultFile, run
from evenmatch_lab.shared.front_ends import CHANGE, Person


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_two_games_in_the_terminal_and_two_on_the_page(tmp_path):
    """Both by `even`; the second game begins with what is known of the first."""
    page = run(get_experiment("evenings"), tmp_path, quick=True)
    parts = ResultFile.read(tmp_path / "evenings_quick.json").parts
    assert list(parts) == ["beginner | terminal", "beginner | page"]
    for part in parts.values():
        first, second = part["rows"]
        assert first["opponent"] == "even"
        assert second["opponent"].startswith("even:elo=")
        for row in (first, second):
            assert row["points"] in (0, 0.5, 1)
            assert row["plies"] >= 7
            told, level = row["said"].split("\n")
            assert " and ended at " in told or " and played at about " in told
            assert level.startswith("Your level: " if row["shown"] else "No level yet: ")
            if row["shown"]:
                assert "({1} to {2})".format(*row["shown"]) in level
    text = block_of(page.read_text(), RESULTS)
    assert "\n| beginner, terminal | " in text
    assert (tmp_path / "evenings_quick.svg").exists()


@pytest.mark.parametrize("game_id", evenings.GAMES)
def test_everybody_is_in_the_table_of_players(game_id):
    parts = evenings.parts(False, game_id)
    assert len(parts) == 10
    assert len({part.settings["seed"] for part in parts.values()}) == 10
    Person(get_game(game_id), parts["improving player | page"].settings["players"], 1)


def test_somebody_improves_after_ten_games_and_answers_only_in_turn():
    person = Person(get_game("connect4"), ["random", "minimax1:depth=3"], 1)
    for _ in range(CHANGE):
        person.sit_down()
    with pytest.raises(StateError, match="not the person's turn"):
        person.answer([])  # of the tenth game, in which the other side begins
    person.sit_down()
    assert person.answer(["4", "1", "4", "1", "4", "2"]) == "4"


def row(points, shown=(1500, 1400, 1600)):
    return {"points": points, "played_at": 1510.0, "opponent": "even:elo=1500", "shown": shown}


def test_scores_are_of_games_one_to_five_and_of_the_rest():
    settings = {"game": "connect4", "persons": ["somebody"]}
    results = {
        f"beginner | {front_end}": {
            "settings": settings,
            "rows": [row(1.0, None) for _ in range(5)] + [row(won) for won in (0.5, 0.0)],
        }
        for front_end in ("terminal", "page")
    }
    text = "\n".join(evenings.page(results))
    assert "| beginner | somebody | 1.00 (0.72 to 1.00) | 0.25 (" in text
    assert "| all | - | 1.00 (1.00 to 1.00) | 0.25 (0.25 to 0.25) |" in text
    assert "| 5, 1, 1 | 1510 | 1510 | 1500 (1400 to 1600) | `even:elo=1500` |" in text
    assert np.isnan(evenings.Evening.all_of(results)[0].shown[:5]).all()
