"""What can be typed in a game in the terminal, and what the screen shows then."""

import os
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console
from scripted_terminal import Scripted, saved

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.screen import Screen
from evenmatch.games import GAMES
from evenmatch.play import session
from evenmatch.play.session import Session
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
        given = name not in ("draw", "score")
        assert (f"\n  {name} " in output) == given, "no draws and no points here"
    assert "Nobody agrees on a draw in Connect Four." in output
    assert saved("connect4").marks == ("retry", "")


def test_help_stays_a_column_on_a_narrow_terminal(play, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    output = play("help quit")
    assert "\n  save     save the game now (it is\n           saved after every move" in output


def test_resigning_is_asked_about_once(play):
    output = play("4 resign n resign x resign yes n")
    assert output.count("You resigned") == 1


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

    class Listening(Screen):
        def note(self, text):
            notes.append(text)

    one = terminal.TerminalGame(
        Session(finished.game, finished.opponent, finished.side, finished.seed),
        words=Scripted(" ".join(moves)),
        screen=Listening(None),
    )
    one.run()
    assert one.session.actions == finished.actions
    return next((note for note in notes if note.endswith(": pass")), "")


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
