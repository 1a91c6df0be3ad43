"""Games in the terminal are saved after every move, and gone on with."""

import pytest
from rich.console import Console
from scripted_terminal import game_named, saved, unfinished, whole_game

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.screen import Screen
from evenmatch.play.saved import YOU
from evenmatch.play.session import Session
from evenmatch.profiles import KeptGame, Profile


@pytest.mark.parametrize("side", ["first", "second"])
def test_whole_games_resumed_before_every_move(run, state, side):
    output = whole_game(run, "othello6", side, 4)
    assert any(words in output for words in ("You win, ", "random wins, ", "A draw, "))
    assert not unfinished()  # a finished game is not kept


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
    assert "the game is saved; continue with: evenmatch play othello-1)" in line
    before = saved("othello")
    assert (before.opponent, before.seed, len(before.actions)) == ("mcts:sims=5", 9, 2)
    result = run("play", "othello", "--resume", lines="board quit")
    assert result.exit_code == 0
    assert "The game is saved; continue with: evenmatch play othello-1" in result.stdout
    assert saved("othello") == before


def test_every_unfinished_game_is_kept(run, refused):
    for move in "1234":
        refused("play", "connect4", "-o", "random", lines=move)
    table = run("play", "--saved").stdout
    assert [f"connect4-{n}" in table for n in (1, 2, 3, 4, 5)] == [True] * 4 + [False]
    for number, move in enumerate("1234", start=1):
        assert game_named(f"connect4-{number}").actions[0] == int(move) - 1
    assert run("play", "connect4-2", lines="resign").exit_code == 0
    assert unfinished() == ["connect4-4", "connect4-3", "connect4-1"]
    assert "You continue connect4-4." in run("play", "--resume", lines="quit").stdout
    assert run("play", "--delete", "CONNECT4-3").stdout == "Deleted connect4-3.\n"
    assert "There is connect4-1" not in run("play", "--delete", "connect4-3").stdout
    assert unfinished() == ["connect4-4", "connect4-1"]


def test_unfinished_games_of_others_are_not_yours(run):
    told = "1 unfinished game of Connect Four"
    begin = ("play", "connect4", "-o", "random", "--as", "red")
    run(*begin, "--name", "Ada", lines="4 quit")
    assert told not in run(*begin, lines="quit").stdout
    assert told in run(*begin, "--name", "ADA", lines="quit").stdout


def test_resume_goes_on_with_your_own_game_alone(run, refused):
    """Who gives no name is not given Ada's game: its result would be booked on Ada."""
    run("play", "connect4", "-o", "random", "--as", "red", "--name", "Ada", lines="4 quit")
    for game in ((), ("connect4",)):
        line = refused("play", *game, "--resume", lines="resign")
        assert line.startswith("error: you have no unfinished game")
        assert line.endswith("there is connect4-1 (--name Ada)\n")
    assert "no unfinished game" in refused("play", "--resume", "--name", "Bo", lines="resign")
    assert not Profile().games.finished("Ada")
    run("play", "connect4", "-o", "random", "--as", "red", lines="3 quit")
    run("play", "connect4-1", "--name", "Ada", lines="1 quit")  # the latest of all is Ada's again
    assert "You continue connect4-2." in run("play", "--resume", lines="resign").stdout
    assert len(Profile().games.finished(YOU)) == 1
    whose = "You continue connect4-1, Ada's game: its result is Ada's."
    assert whose in run("play", "connect4-1", lines="quit").stdout
    assert whose in run("play", "--resume", "--name", "ADA", lines="resign").stdout
    assert len(Profile().games.finished("Ada")) == 1


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


def test_a_game_of_no_moves_says_how_to_start_it_again(refused):
    refused("play", "chess", "-o", "random", lines="e4")
    options = ("--as", "white", "--name", "Ada B", "--time", "5+3", "--play-on")
    line = refused("play", "chess", "-o", "mcts:sims=2", *options, lines="e9")
    command = "evenmatch play chess --opponent mcts:sims=2 --as white --name 'Ada B' --time 5+3"
    assert f"start again with: {command} --play-on)" in line


def test_a_save_failure_stays_on_the_screen_until_a_save_succeeds(play, monkeypatch, capsys):
    written, fails = KeptGame.write, [True]

    def write(self, game):
        if fails[0]:
            raise OSError(28, "No space left on device")
        written(self, game)

    def mend(self):
        fails[0] = False
        return False

    monkeypatch.setattr(KeptGame, "write", write)
    monkeypatch.setitem(terminal.COMMANDS, "moves", mend)
    console = Console(record=True, width=200, color_system="truecolor", force_terminal=True)
    play("4 3 2 board save moves save board 1 quit", screen=Screen(console, redraw=True))
    screens = console.export_text().split("Connect Four   move ")
    shown = ["the disk is full" in text.partition("undo  hint")[0] for text in screens[1:]]
    saved_at = next(i for i, text in enumerate(screens) if "Saved as connect4-1 in " in text)
    assert shown[0] is False, "before the first move"
    assert sum(shown) >= 4
    assert not any(shown[saved_at:])
    assert all(shown[i] for i in range(3, saved_at - 1))
    assert "not saved" in screens[saved_at - 1] or "disk is full" in screens[saved_at]
    assert saved("connect4").actions[0] == 3


def test_a_game_that_is_over_teaches_and_ends_in_one_step(play, monkeypatch):
    """Whatever happens meanwhile it is either finished and has taught, or goes on, unlearned."""
    seen, teaches, games = [], Session.finish, Profile().games

    def dies(self):
        teaches(self)
        seen.append([games.is_open(one.name) for one in games.unfinished()])
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "finish", dies)
    with pytest.raises(KeyboardInterrupt):
        play("4 resign y n")
    assert seen == [[True]], "nobody else may go on with it"
    assert unfinished() == ["connect4-1"]
    assert Profile().games.finished(YOU) == []
    monkeypatch.setattr(Session, "finish", teaches)
    play("4 resign y n")
    assert unfinished() == ["connect4-1"]
    assert len(Profile().games.finished(YOU)) == 1
