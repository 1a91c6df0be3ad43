"""Chess in the terminal: its ends, its ratings, its words."""

import re

import pytest
from rich.console import Console

from evenmatch.frontends.terminal.screen import Screen
from evenmatch.opponents.rating_range import supported_range
from evenmatch.play.played_game import End
from evenmatch.play.session import Session
from evenmatch.profiles import Profile

HIGHEST = int(supported_range("chess")[1])

STALEMATE = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6"  # S. Loyd


@pytest.mark.parametrize(
    ("side", "moves", "last", "ending"),
    [
        ("second", "f3 e5 g4", "Qh4", "You win: checkmate."),
        ("second", "f3 e5 g4", "d8h4", "You win: checkmate."),
        ("first", STALEMATE, "Qe6", "A draw: stalemate."),
        ("second", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", "Ng8", "A draw: threefold repetition."),
        ("first", "e4 e5", "resign", "You resigned: random wins."),
    ],
)
def test_ends_of_chess(run, state, side, moves, last, ending):
    result = run("play", "chess", "-o", "random", "--as", side, "--moves", moves, lines=last)
    assert result.exit_code == 0, result.output
    assert ending in result.stdout.splitlines()[-2:], "and how even it was, if both moved"
    assert ("You play Qh4#\n" in result.stdout) == ("checkmate" in ending)
    assert not Profile().games.names()
    kept = f"The game is in {state / 'games.pgn'}\n"
    assert (kept in result.stdout) == (last != "resign"), "what the person played of it"


def test_marks_behind_a_move_are_passed_over(run):
    assert "You play e4\n" in run("play", "chess", "-o", "random", lines="e4!? resign").stdout


def test_check_is_told(run):
    moves = ("--moves", "e4 e5 d4 Bb4")
    result = run("play", "chess", "-o", "random", *moves, lines="a3")
    assert "\nYou are in check.\n" in result.stdout
    assert "'a3' does not end the check; legal moves: " in result.stderr
    assert "in check" not in run("play", "chess", "-o", "random", lines="moves").stdout


@pytest.mark.parametrize(
    ("options", "level", "which"),
    [
        (("--elo", "600"), 600, ""),
        (("--elo", "2800"), HIGHEST, "highest"),
        (("-o", "sa:sims=1,elo=700"), 1100, "lowest"),
        (("--elo", "1100"), 1100, ""),
    ],
)
def test_the_level_that_is_played_is_shown(run, options, level, which):
    told = run("play", "chess", *options, lines="resign").stdout
    assert re.search(rf"K?k? (Evenmatch|sa) at {level} \(Black\)", told)
    assert (f"; it plays at {level}, the {which} measured level." in told) == bool(which)
    asked = int(re.findall(r"\d+", options[-1])[-1])
    assert asked == level or not re.search(rf"(Evenmatch|sa) at {asked}\b", told)


@pytest.mark.parametrize(
    ("word", "pattern"),
    [
        ("e5", "'e5' is not legal here; legal moves: e[34] e[34] .* and 8 more "),
        ("e2e5", "'e2e5' is not legal here; legal moves: e[34] e[34] .* and 8 more "),
        ("Bc4", "'Bc4' is not legal here; legal moves: .* and 8 more "),
        ("e9", "cannot read 'e9' as a move; type it as in Nf3, exd5, O-O or g1f3 "),
        ("!?", "cannot read '!\\?' as a move; "),
        ("0000", "cannot read '0000' as a move; type it as in "),
    ],
)
def test_a_bad_move_in_chess_names_a_few_that_are_good(refused, word, pattern):
    line = refused("play", "chess", "-o", "random", lines=word)
    assert re.search(pattern, line)
    assert len(line) < 200


def test_chess_on_the_colour_screen(play):
    console = Console(record=True, width=90, color_system="truecolor", force_terminal=True)
    play("e4 Nf3 moves x hint quit", game="chess", opponent="random",
         screen=Screen(console, redraw=True))  # fmt: skip
    text = console.export_text()
    assert "Chess   move 1 " in text
    assert "Chess   move 2 " in text  # after a move of each
    assert "Chess   move 3 " in text
    assert "Chess   move 4 " not in text
    assert "▸  ♚  You (White)" in text
    assert "A strong player would play " in text
    legal = text[text.index("   Legal moves: ") :].split("\n")
    assert all(line.startswith("   ") for line in legal[:2])  # broken, and still a column
    assert all(len(line) <= 90 for line in legal[:2])


def test_an_opponent_that_resigns(play, monkeypatch):
    monkeypatch.setattr("evenmatch.play.session.wants_to_resign", lambda session: True)
    assert "random resigns: you win." in play("4 n", opponent="random")


def test_an_agreed_draw(play, monkeypatch):
    def offer(self):
        self.end = End.DRAW_AGREED
        return True

    monkeypatch.setattr(Session, "offer_draw", offer)
    assert "random agrees: a draw." in play("e4 draw n", game="chess", opponent="random")


def test_an_opponent_that_plays_on(play, monkeypatch):
    monkeypatch.setattr(Session, "offer_draw", lambda self: False)
    assert "random plays on." in play("e4 draw quit", game="chess", opponent="random")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("resign", "you made no move"),
        ("e4 resign", "you gave up a game that was not lost"),
        ("hint e4 resign", "you had hints or took moves back"),
    ],
)
def test_a_game_given_up_early_says_that_it_does_not_count(run, words, why):
    told = run("play", "chess", "-o", "human:elo=1500", lines=words).stdout
    assert f"The result does not count for your level: {why}." in told


def test_a_stranger_hears_how_to_say_their_level(run):
    told = "To report it: evenmatch play chess --i-am 1000, or --i-am beginner."
    assert told in run("play", "chess", lines="quit").stdout
    assert told not in run("play", "chess", "--elo", "1500", lines="quit").stdout
    run("play", "chess", "--i-am", "1200", lines="quit")
    assert "To report it" not in run("play", "chess", lines="quit").stdout
