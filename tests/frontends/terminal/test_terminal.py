import os
import re
import select
import subprocess
import sys
import time
from collections import deque
from contextlib import contextmanager

import numpy as np
import pytest
from rich.console import Console

from evenmatch.errors import MoveError
from evenmatch.frontends.terminal import saves, terminal
from evenmatch.frontends.terminal.colour import ColourScreen
from evenmatch.frontends.terminal.time_limit import TimeUp
from evenmatch.games import GAMES
from evenmatch.sessions import session
from evenmatch.sessions.clock import Clock
from evenmatch.sessions.session import End, Session

FIRST_COLUMNS = " ".join("1234567" * 6)


class Scripted:
    """A person who types these words."""

    interactive = True

    def __init__(self, words):
        self._words = iter(words.split())

    def next(self, prompt):
        return next(self._words, None)


def saved(game):
    """Return the one unfinished game, as it was saved."""
    assert [one.name for one in saves.listed()] == [f"{game}-1"]
    return saves.read(f"{game}-1")


@pytest.fixture
def play(monkeypatch, capsys):
    """Play interactively; returns what was printed."""
    monkeypatch.setattr(terminal, "PAUSE", 0)
    monkeypatch.setattr(session, "_judge", lambda game, opponent: None)

    def play(words, game="connect4", opponent="mcts:sims=2", side=1, screen=None):
        one = terminal.TerminalGame(Session(GAMES[game], opponent, side, 3))
        one.words = Scripted(words)
        one.screen = screen or one.screen
        one.run()
        return capsys.readouterr().out

    return play


# -- from a pipe -------------------------------------------------------------------------------


def whole_game(run, game, side, seed):
    """Play random legal moves through the pipe by asking which are legal; return the output."""
    rng = np.random.default_rng(seed)
    begin = ("play", game, "-o", "random", "--as", side, "-s", "1")
    result = run(*begin, lines="moves")  # not kept, for nothing was played
    for number in range(100):
        if result.exit_code == 0:
            return result.stdout
        assert "input ended in the middle of the game" in result.stderr
        legal = result.stdout.rpartition("Legal moves: ")[2].split("\n")[0].split()
        again = ("play", game, "--resume") if number else begin
        result = run(*again, lines=f"{rng.choice(legal)} moves")
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("side", ["first", "second"])
def test_whole_games_resumed_before_every_move(run, state, side):
    output = whole_game(run, "othello6", side, 4)
    assert any(words in output for words in ("You win, ", "random wins, ", "A draw, "))
    assert not saves.listed()  # a finished game is not kept


def test_a_whole_game_in_one_go(run):
    result = run("play", "connect4", "-o", "random", "-s", "2", lines="4\n4\n4\n4\n")
    again = run("play", "connect4", "-o", "random", "-s", "2", lines="4 4 4 4")
    assert result.exit_code == 0
    assert result.stdout == again.stdout
    assert "\nYou play 4\n" in result.stdout
    assert "\nrandom plays " in result.stdout
    assert "You win." in result.stdout
    assert "[y/N]" not in result.stdout


def test_resume_goes_on_where_the_input_ended(run, refused):
    line = refused("play", "othello", "-o", "mcts:sims=5", "-s", "9", lines="d3")
    assert "the game is saved; go on with: evenmatch play othello-1)" in line
    before = saved("othello")
    assert (before.opponent, before.seed, len(before.actions)) == ("mcts:sims=5", 9, 2)
    result = run("play", "othello", "--resume", lines="board quit")
    assert result.exit_code == 0
    assert "The game is saved; go on with: evenmatch play othello-1" in result.stdout
    assert saved("othello") == before


def test_an_empty_pipe_keeps_an_older_game(refused):
    refused("play", "connect4", "-o", "random", lines="4")
    before = saved("connect4")
    refused("play", "connect4", "-o", "random", lines="")
    assert saved("connect4") == before


def test_a_game_without_moves_is_not_saved(run):
    result = run("play", "connect4", "-o", "random", "--as", "second", lines="save quit")
    assert "There is nothing to save before your first move." in result.stdout
    command = "evenmatch play connect4 --opponent random --as second"
    assert f"Nothing was played; start again with: {command}\n" in result.stdout
    assert not saves.listed()


def test_every_unfinished_game_is_kept(run, refused):
    for move in "1234":
        refused("play", "connect4", "-o", "random", lines=move)
    table = run("play", "--saved").stdout
    assert [f"connect4-{n}" in table for n in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
    for number, move in enumerate("1234", start=1):
        assert saves.read(f"connect4-{number}").actions[0] == int(move) - 1
    assert run("play", "connect4-2", lines="resign").exit_code == 0
    assert [one.name for one in saves.listed()] == ["connect4-4", "connect4-3", "connect4-1"]
    assert "You go on with connect4-4." in run("play", "--resume", lines="quit").stdout
    assert run("play", "--delete", "CONNECT4-3").stdout == "Deleted connect4-3.\n"
    assert "There is connect4-1" not in run("play", "--delete", "connect4-3").stdout
    assert {one.name for one in saves.listed()} == {"connect4-4", "connect4-1"}


def test_a_resumed_game_is_started_again_by_what_it_was(run, monkeypatch):
    """Its own file is gone once it is over; only options that it had are repeated."""
    run("play", "connect4", "-o", "random", "--as", "red", "--name", "Ada", lines="4 quit")
    seen = []
    monkeypatch.setattr(terminal.TerminalGame, "run", lambda self: seen.append(self._command))
    run("play", "connect4-1")
    command = "evenmatch play connect4 --opponent random --as first --name Ada"
    assert seen == [command]


def test_no_unfinished_games(run, refused):
    assert run("play", "--saved").stdout == "You have no unfinished games.\n"
    assert "say which game: evenmatch play GAME" in refused("play")
    assert "no unfinished game 'othello-7'" in refused("play", "othello-7")


def test_start_from_moves(run, refused):
    result = run("play", "connect4", "-o", "random", "--moves", "4 4 4 4", lines="quit")
    assert saved("connect4").marks == ("given",) * 4
    assert result.exit_code == 0
    assert "cannot read 'd9'" in refused("play", "othello", "-o", "random", "--moves", "d3 d9")


@pytest.mark.parametrize("move", ["x", "8", "4 4 4 4 4 4 4 4"])
def test_a_bad_move_in_a_pipe_ends_the_game_and_keeps_it(refused, move):
    line = refused("play", "connect4", "-o", "mcts:sims=200", "--moves", "4 4 4 4 4 4", lines=move)
    assert "type a column" in line or "not legal here; legal moves: 1 2 3 5 6 7" in line
    assert "the game is saved" in line
    assert saved("connect4").actions[:6] == (3,) * 6


@pytest.mark.parametrize(
    "options", [["--as", "second"], ["-o", "mcts1"], ["-s", "8"], ["--moves", "4"]], ids=str
)
def test_resume_another_game_than_asked(refused, options):
    refused("play", "connect4", "-o", "random", "-s", "7", lines="4")
    line = refused("play", "connect4", "--resume", *options)
    assert "; leave out --" in line
    assert "or start a new game" in line


def test_a_folder_that_cannot_be_written(run, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", "/dev/null/state")
    result = run("play", "connect4", "-o", "random", "-s", "2", lines="4 4 4 4")
    assert result.exit_code == 0
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("warning: the game cannot be saved (/dev/null/state: Not a d")
    boards = result.stdout.split("R You")[2:-1]
    assert len(boards) == 3
    assert all("This game is not saved (/dev/null/state: Not a dir" in text for text in boards)
    typed = run("play", "connect4", "-o", "random", lines="4 save quit").stdout
    assert "Not a directory); set EVENMATCH_STATE to a folder that can be written." in typed
    left = run("play", "connect4", "-o", "random", lines="4")
    assert left.exit_code == 2
    assert "the game could not be saved" in left.stderr.split("\n")[1]


def test_resign(run, state):
    result = run("play", "othello", "-o", "random", lines="resign")
    assert result.exit_code == 0
    assert "You resigned: random wins." in result.stdout
    assert not saves.listed()


def test_giving_up_at_once_leaves_an_older_game_alone(run, refused):
    refused("play", "connect4", "-o", "random", lines="4")
    before = saved("connect4")
    assert run("play", "connect4", "-o", "random", lines="resign").exit_code == 0
    assert saved("connect4") == before
    assert run("play", "connect4", "--resume", lines="resign").exit_code == 0
    refused("play", "connect4", "--resume")  # that one was resigned


# -- chess -------------------------------------------------------------------------------------

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
    assert not saves.listed()
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
    ("game", "side", "mover"), [("chess", "black", "random"), ("othello", "Black", "You")]
)
def test_sides_by_their_colour(run, game, side, mover):
    result = run("play", game, "-o", "random", "--as", side, "-s", "1", lines="resign")
    assert f"You ({side.title()})" in result.stdout
    assert ("random plays" in result.stdout) == (mover == "random")


def test_nobody_has_that_side(run):
    result = run("play", "othello", "--as", "red")
    assert "nobody in othello is 'red'; choose first, second, black, white" in result.stderr


@pytest.mark.parametrize(
    ("options", "level", "which"),
    [
        (("--elo", "600"), 1100, "lowest"),
        (("--elo", "2800"), 2500, "highest"),
        (("-o", "sa:sims=1,elo=700"), 1100, "lowest"),
        (("--elo", "1100"), 1100, ""),
    ],
)
def test_the_level_that_is_played_is_shown(run, options, level, which):
    told = run("play", "chess", *options, lines="resign").stdout
    assert re.search(rf"K?k? (pikl|sa) {level} \(Black\)", told)
    assert (f"; it plays at {level}, the {which} measured level." in told) == bool(which)
    assert not re.search(r"(pikl|sa) (600|700|2800)", told)


def test_the_option_that_differs_is_named(run):
    run("play", "chess", "-o", "random", lines="e4")
    result = run("play", "chess", "--elo", "1500", "--resume")
    assert "is against random; leave out --elo, or start a new game" in result.stderr


def test_a_whole_game_of_chess_resumed_before_every_move(run):
    """Against a random mover from close to the end; both notations, and moves taken back."""
    rng, moves = np.random.default_rng(2), "e4 e5 Nf3 Nc6 Bb5 a6 O-O"
    result = run("play", "chess", "-o", "random", "--as", "second", "-s", "1", "--moves", moves,
                 lines="moves")  # fmt: skip
    for _ in range(6):
        legal = result.stdout.rpartition("Legal moves: ")[2].split("\n")[0].split()
        move = str(rng.choice(legal))
        result = run("play", "chess", "--resume", lines=f"{move} undo {move} moves")
        assert result.stdout.count(f"You play {move}\n") == 2
        assert result.stdout.count("random plays ") == 2
    game = saved("chess")
    assert len(game.actions) == 7 + 6 * 2
    assert game.marks == ("given",) * 7 + ("retry", "") * 6


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


def test_a_game_of_no_moves_says_how_to_start_it_again(refused):
    refused("play", "chess", "-o", "random", lines="e4")
    options = ("--as", "white", "--name", "Ada B", "--time", "5+3", "--play-on")
    line = refused("play", "chess", "-o", "mcts:sims=2", *options, lines="e9")
    command = "evenmatch play chess --opponent mcts:sims=2 --as white --name 'Ada B' --time 5+3"
    assert f"start again with: {command} --play-on)" in line


def test_chess_on_the_colour_screen(play):
    console = Console(record=True, width=90, color_system="truecolor", force_terminal=True)
    play("e4 Nf3 moves x hint quit", game="chess", opponent="random",
         screen=ColourScreen(console, redraw=True))  # fmt: skip
    text = console.export_text()
    assert "Chess   move 1 " in text
    assert "Chess   move 2 " in text  # after a move of each
    assert "Chess   move 3 " in text
    assert "Chess   move 4 " not in text
    assert "♚  You    White" in text
    assert "Full strength plays " in text
    legal = text[text.index("   Legal moves: ") :].split("\n")
    assert all(line.startswith("   ") for line in legal[:2])  # broken, and still a column
    assert all(len(line) <= 90 for line in legal[:2])


# -- a person ----------------------------------------------------------------------------------


def test_a_person_is_asked_again(play):
    output = play("x 9 1 1 1 quit")
    assert output.count("type a column from 1 to 7") == 2
    assert len(saved("connect4").actions) >= 6
    assert "The game is saved" in output


def test_commands(play, monkeypatch):
    monkeypatch.setattr(Session, "hint", lambda self: 3)
    output = play("undo 4 undo hint moves help ? board 3 save draw q")
    assert "no move of yours to take back" in output
    assert "Full strength plays 4." in output
    assert "Legal moves: 1 2 3 4 5 6 7" in output
    assert "Saved in " in output
    for name in terminal.COMMANDS:
        assert f"\n  {name} " in output
    assert output.count("offer a draw") == 2
    assert "Nobody agrees on a draw in Connect Four." in output
    assert saved("connect4").marks == ("retry", "")


def test_help_stays_a_column_on_a_narrow_terminal(play, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    output = play("help quit")
    assert "\n  save     save the game now (it is\n           saved after every move" in output


def test_a_game_in_any_case_is_saved_under_its_id(refused):
    refused("play", "Connect4", "-o", "random", lines="4")
    assert saved("connect4").game == "connect4"


def test_a_long_move_is_repeated_in_part(refused):
    line = refused("play", "connect4", "-o", "random", lines="x" * 5000)
    assert "'xxxxx" in line
    assert "…' as a move" in line
    assert "x" * 40 not in line


class Typed(terminal.Words):
    """A person who types these lines."""

    def __init__(self, *lines):
        self.interactive, self._waiting, self._lines = True, deque(), iter(lines)


def test_one_word_a_line_from_a_person(monkeypatch):
    """What comes after a slip would be played in another position."""
    typed = Typed("4 4", " 4 ", "")
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed._lines))
    with pytest.raises(MoveError, match="type one move or word at a time, not '4 4'"):
        typed.next("")
    assert typed.next("") == "4"


def test_resigning_is_asked_about_once(play):
    output = play("4 resign n resign x resign yes n")
    assert output.count("You resigned") == 1


def test_a_save_failure_stays_on_the_screen_until_a_save_succeeds(play, monkeypatch, capsys):
    written, fails = saves.Place.write, [True]

    def write(self, game):
        if fails[0]:
            raise OSError(28, "No space left on device")
        written(self, game)

    def mend(self):
        fails[0] = False
        return False

    monkeypatch.setattr(saves.Place, "write", write)
    monkeypatch.setitem(terminal.COMMANDS, "moves", terminal.Command(mend, "mends the disk"))
    console = Console(record=True, width=200, color_system="truecolor", force_terminal=True)
    play("4 3 2 board save moves save board 1 quit", screen=ColourScreen(console, redraw=True))
    screens = console.export_text().split("Connect Four   move ")
    shown = ["No space left on device" in text.partition("undo  hint")[0] for text in screens[1:]]
    saved_at = next(i for i, text in enumerate(screens) if "Saved in " in text)
    assert shown[0] is False, "before the first move"
    assert sum(shown) >= 4
    assert not any(shown[saved_at:])
    assert all(shown[i] for i in range(3, saved_at - 1))
    assert "not saved" in screens[saved_at - 1] or "No space" in screens[saved_at]
    assert saved("connect4").actions[0] == 3


class Slow(Scripted):
    """Takes a while for every word."""

    def __init__(self, words, seconds):
        super().__init__(words)
        self.seconds = seconds

    def next(self, prompt):
        time.sleep(self.seconds)
        return super().next(prompt)


@pytest.mark.parametrize(
    ("base", "words", "line"),
    [
        (0.01, "4", "Your time is up: mcts wins."),
        (600, "4 resign y", "You resigned: mcts wins."),
    ],
)
@pytest.mark.parametrize("timer", [True, False])
def test_a_clock_is_kept(monkeypatch, capsys, base, words, line, timer):
    """Also where no timer ends the wait: then a move that comes too late does not count."""
    limits = []

    @contextmanager
    def limited(seconds):
        limits.append(seconds)
        yield
        if timer and seconds < 0.05:
            raise TimeUp

    monkeypatch.setattr(terminal, "PAUSE", 0)
    monkeypatch.setattr(terminal, "time_limit", limited)
    monkeypatch.setattr(session, "_judge", lambda *_: None)
    clock = Clock(base, 0)
    one = terminal.TerminalGame(Session(GAMES["connect4"], "mcts:sims=2", 1, 3, clock=clock))
    one.words = Slow(words, 0.05)
    monkeypatch.setattr(one, "_again", lambda: False)
    one.run()
    assert line in capsys.readouterr().out
    assert 0 <= limits[0] <= base
    assert limits == sorted(limits, reverse=True)


def test_the_clock_of_an_unfinished_game_goes_on(run):
    run("play", "connect4", "-o", "random", "--time", "1+0", lines="4 quit")
    base, increment, yours, theirs = saved("connect4").clock
    shown = Clock(base, increment, {1: yours, -1: theirs})
    assert (base, increment) == (60, 0)
    assert 0 < yours < 60
    assert 0 < theirs < 60
    again = run("play", "connect4-1", lines="quit").stdout
    assert f"R You (Red)  {shown.text(1)}\n" in again


def test_a_game_that_is_over_is_not_kept_while_it_teaches(play, monkeypatch):
    """Else it could be gone on with, and teach twice, if the program ended there."""
    kept = []
    monkeypatch.setattr(Session, "finish", lambda self: kept.append(len(saves.listed())))
    play("4 resign y n")
    assert kept == [0]


def test_an_opponent_that_resigns(play, monkeypatch):
    def resigns(self):
        self.end = End.OPPONENT_RESIGNED
        return True

    monkeypatch.setattr(Session, "resigns", resigns)
    assert "mcts resigns: you win." in play("4 n")


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
    ("interactive", "pace", "rated", "clock", "waits"),
    [
        (True, None, True, None, terminal.PACE),
        (True, None, False, None, 0.7),
        (True, 0.0, True, None, 0.0),
        (True, 2.0, False, None, 2.0),
        (False, None, True, None, 0.0),
        (False, 2.0, True, None, 2.0),
        (True, None, True, Clock(600, 0), "clock"),
    ],
)
def test_the_pace_of_opponents(monkeypatch, interactive, pace, rated, clock, waits):
    """The mean is handed to the model of people's times, which has tests of its own."""
    monkeypatch.setattr(session, "_judge", lambda game, opponent: None)
    monkeypatch.setattr(terminal, "seconds_to_move", lambda mean, *_: mean)
    monkeypatch.setattr(terminal, "mean_with_clock", lambda *_: "clock")
    spec = "human:elo=1500" if rated else "random"
    one = terminal.TerminalGame(Session(GAMES["chess"], spec, 1, 3, pace=pace, clock=clock))
    one.words = Scripted("")
    one.words.interactive = interactive
    one.session.push(one.session.legal[0])
    one.session.push(one.session.legal[0])
    assert one._wait(20) == waits


def test_evenmatch_is_called_so(run):
    """The adjective and the player are told apart."""
    output = run("play", "connect4", "-o", "even:sims=2,looks=1", lines="4 quit").stdout
    assert "Y Evenmatch (Yellow)" in output
    assert "\nEvenmatch plays " in output
    assert not re.search(r"\beven (plays|is|wins|\()", output)
    assert saved("connect4").opponent == "even:sims=2,looks=1", "the spec stays"


def test_how_even_it_stands_is_told_once_both_have_moved(run):
    output = run("play", "connect4", "-o", "even:sims=2,looks=1", lines="moves 4 quit").stdout
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


def test_ctrl_c_after_the_end_saves_nothing(play, monkeypatch, state):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal.TerminalGame, "_again", interrupted)
    with pytest.raises(KeyboardInterrupt):
        play("4 resign y")
    assert not saves.listed()


def test_a_forced_pass_is_told(play, monkeypatch):
    """Choose placements so that somebody has to pass, whoever it is."""
    rng = np.random.default_rng(1)
    game = GAMES["othello6"]
    told = ""
    for _ in range(30):
        one = Session(game, "random", 1, int(rng.integers(99)))
        moves = []
        while not one.over:
            if one.forced_pass is None and one.yours:
                moves.append(game.action_text(one.state, int(rng.choice(one.legal))))
                one.push(game.read_action(one.state, moves[-1]))
            elif one.forced_pass is None:
                one.reply()
            else:
                one.push(one.forced_pass)
        monkeypatch.setattr(terminal.secrets, "randbits", lambda bits: 0)
        told = replay(one, moves)
        if told:
            break
    assert " no move after " in told


def replay(finished, moves):
    """Play the moves again through the terminal; return the line that tells a pass."""
    notes = []

    class Listening(terminal.make_screen(True).__class__):
        def note(self, text):
            notes.append(text)

    one = terminal.TerminalGame(
        Session(finished.game, finished.opponent, finished.side, finished.seed)
    )
    one.words = Scripted(" ".join(moves))
    one.screen = Listening(lambda text: None)
    one.run()
    assert one.session.actions == finished.actions
    return next((note for note in notes if note.endswith(": pass")), "")


def test_the_colour_screen(play, monkeypatch):
    class Even:
        def evaluate(self, states, request=None):
            return type("E", (), {"values": np.zeros(len(states), np.float32)})

    monkeypatch.setattr(session, "_judge", lambda game, opponent: Even())
    console = Console(record=True, width=90, color_system="truecolor", force_terminal=True)
    play("x d3 moves resign y n", game="othello", screen=ColourScreen(console, redraw=True))
    text = console.export_text()
    for words in (
        "Othello   move 1", " ●  You  Black    2", " ●  mcts White    2", "━ mcts", "even",
        "type a square a1 to h8", "last move", "Legal moves: ", "mcts is thinking",
        "You resigned: mcts wins.", "How even it was",
        "Even (chances 40% to 60%) in 2 of 2 positions", "Your chances on average: 50%",
    ):  # fmt: skip
        assert words in text, words


def test_a_narrow_terminal(play):
    console = Console(record=True, width=40, color_system="truecolor", force_terminal=True)
    play("quit", game="othello", screen=ColourScreen(console, redraw=False))
    assert max(len(line) for line in console.export_text().split("\n")) <= 40


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_in_a_terminal(state):
    import pty

    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "PYTHONUTF8": "1", "NO_COLOR": ""}
    command = [sys.executable, "-m", "evenmatch", "play", "connect4", "-o", "mcts:sims=2"]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
        env=environment, preexec_fn=_control_terminal,
    )  # fmt: skip
    os.close(follower)
    seen = _read_until(leader, "Your move")
    time.sleep(1)  # what is typed while readline takes over the terminal can get lost
    os.write(leader, b"4\n")
    seen += _read_until(leader, "Your move")
    os.write(leader, b"\x03")
    seen += _read_until(leader, "play connect4-1", again=b"\x03")
    assert process.wait(60) == 130
    assert len(saved("connect4").actions) == 2
    assert "▗" in seen


def _control_terminal():
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored below a shell's background jobs

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read_until(leader, words, again=b""):
    """Read until ``words`` come; type ``again`` after every 3 seconds of silence, 40 at most."""
    seen, silent = b"", 0
    while words.encode() not in seen:
        if not select.select([leader], [], [], 3)[0]:
            silent += 1
            assert silent < 40, f"the program hangs after {seen.decode()}"
            os.write(leader, again)
            continue
        try:
            seen += os.read(leader, 4096)
        except OSError:
            break
    assert words in seen.decode(errors="replace"), seen.decode(errors="replace")
    return seen.decode(errors="replace")
