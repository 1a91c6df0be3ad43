"""Go in the terminal: its board, its options, and the score at the end."""

import io
from typing import NamedTuple

import numpy as np
import pytest
from rich.console import Console
from scripted_terminal import Scripted, saved

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.screen import Screen
from evenmatch.games import GAMES
from evenmatch.opponents import Decision, Engine
from evenmatch.opponents.controller import NEW
from evenmatch.play import session
from evenmatch.play.session import Session
from evenmatch.profiles import Profile

GO9 = GAMES["go9"]
PASSES = Decision(GO9.num_actions - 1, NEW)
#: Black's wall on D, White's on F, and a white stone at B5: dead, if anybody tells.
WALLS = "D1 F1 D2 F2 D3 F3 D4 F4 D5 F5 D6 F6 D7 F7 D8 F8 D9 F9 E1 B5"


class Told(NamedTuple):
    values: np.ndarray
    ownership: np.ndarray
    leads: np.ndarray | None = None


class Network:
    """Gives Black the columns A to E."""

    def evaluate(self, states, request=None):
        own = np.full((9, 9), -0.9, np.float32)
        own[:, :5] = 0.9
        sides = GO9.to_play(states)
        return Told(np.zeros(len(states), np.float32), own.ravel() * sides[:, None])


@pytest.fixture
def play(monkeypatch, capsys):
    """Play go9 after WALLS against one who passes; return the game and what was printed."""
    monkeypatch.setattr(terminal, "PAUSE", 0)

    def play(words, network=None, screen=None, **how):
        monkeypatch.setattr(session, "_evaluator_of", lambda networks, opponent: network)
        monkeypatch.setattr(Engine, "think", lambda self, turns: [PASSES] * len(turns))
        played = Session(GO9, "random", 1, 3, **how)
        for text in WALLS.split():
            played.push(GO9.read_action(played.state, text))
        terminal.TerminalGame(played, words=Scripted(words), screen=screen or Screen(None)).run()
        return played, capsys.readouterr().out

    return play


class Counting(Network):
    """Says, too, that White will be 2.6 points ahead."""

    def evaluate(self, states, request=None):
        return super().evaluate(states)._replace(leads=-2.6 * GO9.to_play(states))


PLAIN = """\
    A B C D E F G H J
  9 . . . X . O . . . 9
  8 . . . X . O . . . 8
  7 . . + X . O + . . 7
  6 . . . X . O . . . 6
  5 .(O). X + O . . . 5
  4 . . . X . O . . . 4
  3 . . + X . O + . . 3
  2 . . . X . O . . . 2
  1 . . . X X O . . . 1
    A B C D E F G H J
"""


def test_the_board_and_the_rules(play):
    _, output = play("quit")
    assert PLAIN in output
    assert "komi 7, area scoring\nX You (Black)  0 captured\nO random (White)  0 captured" in output


def test_who_is_ahead(play):
    _, output = play("score quit", Counting())
    assert "White leads by about 2.5 points, komi counted" in output
    _, output = play("help quit")
    assert "score    show who is ahead, as the network expects the game to end" in output


def test_nobody_knows_who_is_ahead(play):
    _, output = play("score quit")
    assert "This network does not count points." in output
    _, output = play("score quit", Network())
    assert "This network does not count points." in output


def test_a_score_that_is_agreed_on(play):
    """B5 is dead: Black has 4 columns and E1, White 4 columns; E2 to E9 are nobody's."""
    one, output = play("pass y n", Network())
    assert "You pass\n" in output
    assert "random passes\n" in output
    assert (
        "Black 37.\nWhite 36 + komi 7 = 43.\nResult W+6.\nDead, marked: Black 0, White 1." in output
    )
    assert "5 . o . X" in output, "dead stones have small letters"
    assert "random wins by 6 (W+6): two passes." in output
    assert one.result == -1
    assert not Profile().games.names()


def test_who_does_not_agree_plays_on_from_before_the_passes(play):
    """B5 is captured then, which gives the same score as its death."""
    one, output = play("pass n A5 C5 B4 B6 pass y n", Network())
    assert "You play on: capture what is dead, then pass." in output
    assert "A pass ends the game, and all stones count: W+33." in output
    assert "All stones count as alive, as you played on." in output
    assert "X You (Black)  1 captured" in output
    assert [one.text(ply) for ply in (20, 21)] == ["A5", "pass"]
    assert one.score().areas == (37, 36)
    assert one.marks[20] == "", "a move after the passes is no second try"


def test_too_many_stones_are_told(run):
    few, many = (run("play", "go9", "--handicap", n, lines="").output for n in ("5", "6"))
    assert "With more than 5 stones" in many
    assert "With more than" not in few


def test_a_game_left_at_the_question_is_asked_about_again(play, run):
    play("pass quit")
    assert len(saved("go9").actions) == 22
    output = run("play", "go9-1", lines="").stdout
    shown = "Result W+34.\nAll stones count as alive, because no network estimates which are dead."
    agreed = output.index("The input has ended: the score counts as agreed on.")
    assert output.index(shown) < agreed < output.index("random wins by 34")
    assert "random wins by 34 (W+34): two passes." in output
    assert not Profile().games.names()


def test_a_pass_is_taken_back(play):
    one, _ = play("pass n pass n A5 undo B4 quit", Network())
    assert one.text(20) == "B4"


def test_the_colour_screen(play):
    console = Console(record=True, width=80, height=24, color_system="truecolor",
                      force_terminal=True)  # fmt: skip
    play("pass y n", Network(), Screen(console, redraw=True))
    text = console.export_text()
    for words in (
        " 9  ┌─┬─┬─●─┬─●─┬─┬─┐  9    9x9 Go   move 21", "pass  undo  hint  moves  score",
        "komi 7, area scoring", "You (Black)     0 captured", "last move  B5  random",
        " 5  ▪─×─▪─●─•─●─▪─▪─▪  5 ", "White 36 + komi 7 = 43", "Dead, marked: Black 0, White 1",
        "random wins by 6 (W+6): two passes.",
    ):  # fmt: skip
        assert words in text, words


@pytest.mark.parametrize("game", ["go9", "go13", "go"])
def test_boards_fit_80_by_24(game, monkeypatch):
    """With an empty line above and below, and the line that is typed on."""
    monkeypatch.setattr(session, "_evaluator_of", lambda networks, opponent: None)
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    go = GAMES[game]
    one = Session(go, "random", 1, 3, start=go.beginning(handicap=4))
    one.reply()
    Screen(console, redraw=True).show(one)
    console.print("Your move:")
    lines = console.export_text().rstrip().split("\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "handicap" in lines[3], "the panel is beside the board"
    assert lines[1].split() == list("ABCDEFGHJKLMNOPQRST"[: go.size])


# -- options -------------------------------------------------------------------------------------


def test_handicap_and_komi(run):
    output = run("play", "go13", "-o", "random", "--handicap", "3", lines="pass quit").stdout
    assert "3 handicap stones, komi 0.5, area scoring" in output
    assert "X You (Black)" in output
    assert output.index("random plays ") < output.index("You pass"), "White moves first"
    output = run("play", "go9", "-o", "random", "--komi", "-5.5", lines="resign").stdout
    assert "\nkomi -5.5, area scoring" in output


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("othello", "--komi", "3"), "--komi is for go9, go13, go; Othello has none"),
        (("chess", "--handicap", "3"), "--handicap is for go9, go13, go; Chess has none"),
        (("go9", "--handicap", "10"), "go9 has no handicap of 10 stones; choose from 2 to 9"),
        (("go9", "--handicap", "x"), "Invalid value for '--handicap': write a whole number; see"),
        (("go9", "--komi", "x"), "Invalid value for '--komi': write a number; see"),
        (("go9", "--komi", "1.3"), "komi 1.3 is not possible; choose a whole or half number"),
        (("go9", "--komi", "1", "--fen", "KM[2]"), "--fen and --komi both say how to begin"),
    ],
)
def test_what_cannot_be_begun(refused, options, why):
    assert why in refused("play", *options, "-o", "random")


def test_a_resumed_game_has_its_komi(run, refused):
    run("play", "go9", "-o", "random", lines="J9 quit")
    line = refused("play", "go9", "--resume", "--komi", "3")
    assert "has its komi already; leave out --komi" in line


@pytest.mark.parametrize(
    ("moves", "word", "why"),
    [
        ("D4 D5", "D4", "'D4' is not legal here: there is a stone"),
        ("B1 E5 A2 E6 J9", "A1", "'A1' is not legal here: the stone would have no liberty"),
    ],
)
def test_an_illegal_move_says_why(refused, moves, word, why):
    side = "first" if len(moves.split()) % 2 == 0 else "second"
    line = refused("play", "go9", "-o", "random", "--as", side, "--moves", moves, lines=word)
    assert why in line
