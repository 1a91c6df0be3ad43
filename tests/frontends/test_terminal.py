import os
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from evenmatch.frontends import saves, session, terminal
from evenmatch.frontends.colour import ColourScreen
from evenmatch.frontends.session import Session
from evenmatch.games import GAMES

FIRST_COLUMNS = " ".join("1234567" * 6)


class Scripted:
    """A person who types these words."""

    interactive = True

    def __init__(self, words):
        self._words = iter(words.split())

    def next(self, prompt):
        return next(self._words, None)

    def forget(self):
        pass


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
    result = run("play", game, "-o", "random", "--as", side, "-s", "1", lines="moves")
    for _ in range(100):
        if result.exit_code == 0:
            return result.stdout
        assert "input ended in the middle of the game" in result.stderr
        legal = result.stdout.rpartition("Legal moves: ")[2].split("\n")[0].split()
        result = run("play", game, "--resume", lines=f"{rng.choice(legal)} moves")
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("side", ["first", "second"])
def test_whole_games_resumed_before_every_move(run, state, side):
    output = whole_game(run, "othello6", side, 4)
    assert any(words in output for words in ("You win, ", "random wins, ", "A draw, "))
    assert not list(state.iterdir())  # a finished game is not kept


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
    assert "evenmatch play othello --resume" in line
    before = saves.read("othello")
    assert (before.opponent, before.seed, len(before.actions)) == ("mcts:sims=5", 9, 2)
    result = run("play", "othello", "--resume", lines="board quit")
    assert result.exit_code == 0
    assert "evenmatch play othello --resume" in result.stdout
    assert saves.read("othello") == before


def test_an_empty_pipe_keeps_an_older_game(refused):
    refused("play", "connect4", "-o", "random", lines="4")
    before = saves.read("connect4")
    refused("play", "connect4", "-o", "random", lines="")
    assert saves.read("connect4") == before


def test_save_before_a_move_keeps_an_older_game(run, refused):
    refused("play", "connect4", "-o", "random", lines="4")
    before = saves.read("connect4")
    result = run("play", "connect4", "-o", "random", lines="save resign")
    assert "Not saved: an unfinished game is kept" in result.stdout
    assert saves.read("connect4") == before


def test_start_from_moves(run, refused):
    result = run("play", "connect4", "-o", "random", "--moves", "4 4 4 4", lines="quit")
    assert len(saves.read("connect4").actions) == 4
    assert result.exit_code == 0
    assert "cannot read 'd9'" in refused("play", "othello", "-o", "random", "--moves", "d3 d9")


@pytest.mark.parametrize("move", ["x", "8", "4 4 4 4 4 4 4 4"])
def test_a_bad_move_in_a_pipe_ends_the_game_and_keeps_it(refused, move):
    line = refused("play", "connect4", "-o", "mcts:sims=200", "--moves", "4 4 4 4 4 4", lines=move)
    assert "type a column" in line or "not legal here; legal moves: 1 2 3 5 6 7" in line
    assert "the game is saved" in line
    assert saves.read("connect4").actions[:6] == (3,) * 6


@pytest.mark.parametrize(
    "options", [["--as", "second"], ["-o", "mcts1"], ["-s", "8"], ["--moves", "4"]], ids=str
)
def test_resume_another_game_than_asked(refused, options):
    refused("play", "connect4", "-o", "random", "-s", "7", lines="4")
    line = refused("play", "connect4", "--resume", *options)
    assert "or --resume" in line


def test_a_folder_that_cannot_be_written(run, monkeypatch):
    monkeypatch.setenv("EVENMATCH_STATE", "/dev/null/state")
    result = run("play", "connect4", "-o", "random", "-s", "2", lines="4 4 4 4")
    assert result.exit_code == 0
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("warning: the game cannot be saved in /dev/null/state")
    left = run("play", "connect4", "-o", "random", lines="4")
    assert left.exit_code == 2
    assert "the game could not be saved" in left.stderr.split("\n")[1]


def test_resign(run, state):
    result = run("play", "othello", "-o", "random", lines="resign")
    assert result.exit_code == 0
    assert "You resigned: random wins." in result.stdout
    assert not state.exists() or not list(state.iterdir())


def test_giving_up_at_once_leaves_an_older_game_alone(run, refused):
    refused("play", "connect4", "-o", "random", lines="4")
    before = saves.read("connect4")
    assert run("play", "connect4", "-o", "random", lines="resign").exit_code == 0
    assert saves.read("connect4") == before
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
    assert result.stdout.splitlines()[-2] == ending, "and then how even it was"
    assert ("You play Qh4#\n" in result.stdout) == ("checkmate" in ending)
    assert not saves.path_of("chess").exists()
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


def test_ratings_that_nothing_was_set_to_are_told(run):
    told = "Opponents are set to people of 1100 to 2500; 800 is a guess."
    assert told in run("play", "chess", "--elo", "800", lines="resign").stdout
    assert "a guess" not in run("play", "chess", "--elo", "1100", lines="resign").stdout


def test_the_option_that_differs_is_named(run):
    run("play", "chess", "-o", "random", lines="e4")
    result = run("play", "chess", "--elo", "1500", "--resume")
    assert "is against random; leave out --elo or --resume" in result.stderr


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
    assert len(saves.read("chess").actions) == 7 + 6 * 2


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
    line = refused("play", "chess", "-o", "mcts:sims=2", lines="e9")
    assert "start again with: evenmatch play chess -o mcts:sims=2)" in line


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
    assert len(saves.read("connect4").actions) >= 6
    assert "The game is saved" in output


def test_commands(play, monkeypatch):
    monkeypatch.setattr(Session, "hint", lambda self: 3)
    output = play("undo 4 undo hint moves help board save quit")
    assert "no move of yours to take back" in output
    assert "Full strength plays 4." in output
    assert "Legal moves: 1 2 3 4 5 6 7" in output
    assert "Saved in " in output
    for name in terminal.COMMANDS:
        assert f"\n  {name} " in output
    assert saves.read("connect4").actions == ()


def test_help_stays_a_column_on_a_narrow_terminal(play, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    output = play("help quit")
    assert "\n  save     save the game now (it is\n           saved after every move" in output


def test_a_game_in_any_case_is_saved_under_its_id(refused):
    refused("play", "Connect4", "-o", "random", lines="4")
    assert saves.read("connect4").game == "connect4"


def test_a_long_move_is_repeated_in_part(refused):
    line = refused("play", "connect4", "-o", "random", lines="x" * 5000)
    assert "'xxxxx" in line
    assert "…' as a move" in line
    assert "x" * 40 not in line


def test_the_end_of_input_is_quitting(play):
    assert "The game is saved" in play("4")


def test_a_rematch_swaps_sides(play):
    output = play("resign y resign n")
    assert output.count("You resigned") == 2
    assert "R You (Red)" in output
    assert "Y You (Yellow)" in output


def test_ctrl_c_after_the_end_saves_nothing(play, monkeypatch, state):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal.TerminalGame, "_again", interrupted)
    with pytest.raises(KeyboardInterrupt):
        play("4 resign")
    assert not list(state.iterdir())


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
        def evaluate(self, states, head_dropout=None, seeds=None):
            return type("E", (), {"values": np.zeros(len(states), np.float32)})

    monkeypatch.setattr(session, "_judge", lambda game, opponent: Even())
    console = Console(record=True, width=90, color_system="truecolor", force_terminal=True)
    play("x d3 moves resign n", game="othello", screen=ColourScreen(console, redraw=True))
    text = console.export_text()
    for words in (
        "Othello   move 1", " ●  You  Black    2", " ●  mcts White    2", "━ mcts", "even",
        "type a square a1 to h8", "last move", "Legal moves: ", "mcts is thinking",
        "You resigned: mcts wins.", "How even it was", "even in 2 of 2 positions",
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
    seen += _read_until(leader, "--resume", again=b"\x03")
    assert process.wait(60) == 130
    assert len(saves.read("connect4").actions) == 2
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
