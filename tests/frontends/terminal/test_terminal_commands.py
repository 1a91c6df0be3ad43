"""What can be typed in a game in the terminal, and what the screen shows then."""

import re

import numpy as np
import pytest
from rich.console import Console
from scripted_terminal import saved

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.screen import Screen
from evenmatch.play import session
from evenmatch.profiles import Profile


def test_resign(run, state):
    result = run("play", "othello", "-o", "random", lines="resign")
    assert result.exit_code == 0
    assert "You resigned: random wins." in result.stdout
    assert not Profile().games.names()


@pytest.mark.parametrize(
    ("game", "side", "mover"), [("chess", "black", "random"), ("othello", "Black", "You")]
)
def test_sides_by_their_colour(run, game, side, mover):
    result = run("play", game, "-o", "random", "--as", side, "-s", "1", lines="resign")
    assert f"You ({side.title()})" in result.stdout
    assert ("random plays" in result.stdout) == (mover == "random")


def test_a_person_is_asked_again(play):
    output = play("x 9 1 1 1 quit")
    assert output.count("type a column from 1 to 7") == 2
    assert len(saved("connect4").actions) >= 6
    assert "The game is saved" in output


def test_commands(play):
    output = play("undo 4 undo hint moves help ? board 3 save draw q")
    assert "no move of yours to take back" in output
    assert re.search(r"A strong player would play [1-7]\.", output)
    assert "Legal moves: 1 2 3 4 5 6 7" in output
    assert "Saved as connect4-1 in " in output
    for name in terminal.COMMANDS:
        given = name not in ("draw", "score", "level")
        assert (f"\n  {name} " in output) == given, "no draws, no points, no level here"
    assert "No draw can be offered in Connect Four." in output
    assert saved("connect4").marks == ("retry", "")


def test_the_level_of_even_is_shown_to_who_asks_and_at_the_end(run):
    """It is hidden otherwise. Others have one that stays, or none."""
    even = ("play", "connect4", "-o", "even:sims=2")
    said = run(*even, lines="level help 4 4 level resign").stdout
    before, _, after = said.partition("You play 4")
    assert "Evenmatch has not moved yet; its level follows from your moves." in before
    assert "\n  level " in before
    (shown,) = re.findall(r"Evenmatch plays at about (\d+)0 now\.", after)
    (story,) = re.findall(r"^It .*you for \d+0 by this game, and .*$", after, re.M)
    assert re.search(rf"ended at {shown}0|played at about {shown}0", story)
    assert "you for" not in run(*even, lines="resign").stdout, "no move, no level"
    others = {"random": "The level of random is not known.", "style:s=3": "in all games."}
    for spec, words in others.items():
        assert words in run("play", "connect4", "-o", spec, lines="level quit").stdout


def test_help_stays_a_column_on_a_narrow_terminal(play, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    output = play("help quit")
    assert "\n  save     save the game now (it is\n           saved after every move" in output


def test_resigning_is_asked_about_once(play):
    output = play("4 resign n resign x resign yes n")
    assert output.count("You resigned") == 1


def test_how_even_it_stands_is_told_once_both_have_moved(run):
    output = run("play", "connect4", "-o", "even:sims=2", lines="moves 4 quit").stdout
    first, _, rest = output.partition("Legal moves")
    assert "You #" not in first
    assert re.search(r"You #+\.+ Evenmatch  ", rest)


def test_the_end_of_input_is_quitting(play):
    assert "The game is saved" in play("4")


def test_a_rematch_swaps_sides(play):
    output = play("resign n resign y y resign y n")
    assert output.count("You resigned") == 2
    assert "R You (Red)" in output
    assert "Y You (Yellow)" in output


def test_the_colour_screen(play, monkeypatch):
    class Even:
        def evaluate(self, states, request=None):
            return type("E", (), {"values": np.zeros(len(states), np.float32)})

    monkeypatch.setattr(session, "_evaluator_of", lambda game, opponent: Even())
    console = Console(record=True, width=90, color_system="truecolor", force_terminal=True)
    play("x d3 moves resign y n", game="othello", screen=Screen(console, redraw=True))
    text = console.export_text()
    for words in (
        "Othello   move 1", " ●  You (Black)   2", " ●  mcts (White)  2", "━ mcts", "even",
        "type a square a1 to h8", "last move", "Legal moves: ", "mcts is thinking",
        "You resigned: mcts wins.", "How even it was",
        "Even (chances 40% to 60%) in 2 of 2 positions", "Your chances on average: 50%",
    ):  # fmt: skip
        assert words in text, words


def test_a_narrow_terminal(play):
    console = Console(record=True, width=40, color_system="truecolor", force_terminal=True)
    play("quit", game="othello", screen=Screen(console, redraw=False))
    assert max(len(line) for line in console.export_text().split("\n")) <= 40
