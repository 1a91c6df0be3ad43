import json
import os
import signal
import stat
import subprocess
import sys
import time
from datetime import date

import chess
import chess.pgn
import numpy as np
import pytest
from sgf_reading import sgf_games

from evenmatch.app import match_records as records
from evenmatch.app.match_records import Record
from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.play import arena
from evenmatch.play.arena import play_match
from evenmatch.records.codec import codec_for

GAME, SPECS = GAMES["connect4"], ("random", "mcts:sims=1")
MATCH = ("match", "random", "random", "-g", "connect4", "-n", "4")


@pytest.fixture(scope="module")
def games():
    return play_match(*SPECS, GAME, 4, seed=1).games


def moves_in(path):
    return [json.loads(line)["moves"] for line in path.read_text().splitlines()]


def test_one_line_a_game(tmp_path, games):
    path = tmp_path / "games.jsonl"
    Record(path, GAME, SPECS).save(games)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["first"] for line in lines] == [SPECS[0], SPECS[1]] * 2
    assert [len(line["moves"]) for line in lines] == [len(played.actions) for played in games]
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


def test_permissions_stay_when_a_file_is_replaced(tmp_path, games):
    path = tmp_path / "games.jsonl"
    path.touch(0o640)
    path.chmod(0o640)
    Record(path, GAME, SPECS, overwrite=True).save(games)
    assert len(moves_in(path)) == 4
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path, games, there):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "games.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    if there:
        target.write_text("old")
        with pytest.raises(UsageError, match=r"link\.jsonl exists"):
            Record(link, GAME, SPECS)
    Record(link, GAME, SPECS, overwrite=there).save(games)
    assert link.is_symlink()
    assert len(moves_in(target)) == 4


def test_what_is_no_regular_file_is_refused_before_a_game(refused, tmp_path, monkeypatch):
    monkeypatch.setattr("evenmatch.play.arena.play_match", None)  # not to be called
    pipe, loop = tmp_path / "pipe", tmp_path / "loop"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    for path in ("", tmp_path, pipe, loop, tmp_path / "nowhere" / "x", "/dev/null/x"):
        assert "choose another --record" in refused(*MATCH, "--record", str(path)), path
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_disk_is_one_line_and_the_result_is_shown(run, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records, "replace_file", full)
    result = run(*MATCH, "--openings", "2", "--json", "--record", str(tmp_path / "games"))
    assert result.exit_code == 2
    assert json.loads(result.stdout)["games"] == 4
    assert result.stderr.count("\n") == 1
    assert "No space left on device" in result.stderr
    with pytest.raises(UsageError, match="choose another --record"):
        Record(tmp_path / "games", GAME, SPECS).save([])


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C comes when this many games have ended."""

    def after(ended):
        settle = arena._Games.settle

        def settle_and_stop(table):
            settle(table)
            if len(table.pairings) - len(table.active) >= ended:
                raise KeyboardInterrupt

        monkeypatch.setattr(arena._Games, "settle", settle_and_stop)

    return after


@pytest.fixture(scope="module")
def of_chess():
    return play_match(*SPECS, GAMES["chess"], 3, seed=1, openings=4).games


@pytest.mark.parametrize("name", ["games.pgn", "games", "games.PGN"])
def test_chess_is_recorded_as_pgn(of_chess, tmp_path, name):
    """python-chess reads what the JSON lines say, and so does our own reader."""
    lines, path = tmp_path / "games.json", tmp_path / name
    for file in (lines, path):
        Record(file, GAMES["chess"], SPECS, openings=4).save(of_chess)
    wanted = [json.loads(line) for line in lines.read_text().splitlines()]
    ours = list(codec_for("chess").games(path))
    with path.open() as text:
        for number, line in enumerate(wanted):
            game = chess.pgn.read_game(text)
            assert not game.errors
            assert [node.san() for node in game.mainline()] == line["moves"]
            day = game.headers.pop("Date")
            assert abs((date.today() - date(*map(int, day.split(".")))).days) <= 1
            result = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[line["result"]]
            assert dict(game.headers) == {
                "Event": "evenmatch match", "Site": "?", "Round": str(number + 1),
                "White": line["first"], "Black": line["second"], "Result": result,
            }  # fmt: skip
            assert ours[number].players == (line["first"], line["second"])
            assert len(ours[number].moves) == len(line["moves"])
            assert ours[number].result == line["result"]
            assert np.flatnonzero(ours[number].aided).tolist() == [0, 1, 2, 3]
        assert chess.pgn.read_game(text) is None
    assert len(ours) == len(wanted) == 3


@pytest.mark.parametrize("name", ["games.sgf", "games"])
def test_go_is_recorded_as_sgf(run, tmp_path, name):
    """Our reader, which plays by the rules, reads what the JSON lines say."""
    lines, path = tmp_path / "games.json", tmp_path / name
    match = ("match", "random", "mcts:sims=1", "-g", "go9", "-n", "2", "--openings", "2")
    for file in (lines, path):
        assert run(*match, "--record", str(file)).exit_code == 0
    games = list(sgf_games(path))
    for line, game in zip(map(json.loads, lines.read_text().splitlines()), games, strict=True):
        assert [GAMES["go9"].action_text(None, move) for _, move in game.moves] == line["moves"]
        assert game.players == (line["first"], line["second"])
        assert game.result[0] == {1: "B", -1: "W"}[line["result"]], "komi is 7, and no area is even"
        assert float(game.result[2:]) > 0
    assert path.read_text().count("[%evenmatch given") == 4


def test_what_exists_is_not_overwritten(run, refused, tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    match = (*MATCH, "--record", str(path))
    with monkeypatch.context() as patched:
        patched.setattr("evenmatch.play.arena.play_match", None)  # not to be called
        told = refused(*match)
    assert told == f"error: {path} exists; choose another --record, or add --overwrite\n"
    assert path.read_text() == "old"
    assert run(*match, "--overwrite").exit_code == 0
    assert len(moves_in(path)) == 4


def test_what_pgn_cannot_hold(refused, tmp_path, monkeypatch):
    monkeypatch.setattr("evenmatch.play.arena.play_match", None)  # not to be called
    told = refused(*MATCH, "--record", str(tmp_path / "games.pgn"))
    assert "cannot hold Connect Four: PGN is for chess; choose a --record that ends in" in told
    for name, game, held in (("a.sgf", "chess", "chess"), ("a.pgn", "go9", "chess")):
        told = refused("match", "random", "random", "-g", game, "--record", str(tmp_path / name))
        assert f"is for {'go9, go13, go' if name == 'a.sgf' else held}; choose" in told
    engine = "engine:cmd=a\tb"
    told = refused("match", "random", engine, "-g", "chess", "--record", str(tmp_path / "games"))
    assert "the PGN tag Black cannot hold" in told
    assert not list(tmp_path.iterdir())


def test_ctrl_c_keeps_the_finished_games(run, tmp_path, interrupted):
    path = tmp_path / "games"
    whole = run(*MATCH, "--seed", "3", "--record", str(path))
    assert whole.exit_code == 0
    every = moves_in(path)
    interrupted(1)
    result = run(*MATCH, "--seed", "3", "--record", str(path), "--overwrite")
    kept = moves_in(path)
    assert 1 <= len(kept) < 4
    assert all(moves in every for moves in kept)
    assert result.exit_code == 130
    assert result.stderr.startswith(f"Interrupted; {len(kept)} finished game")
    assert f" in {path}." in result.stderr
    assert result.stderr.count("\n") == 1


def test_ctrl_c_without_games_leaves_the_file_alone(run, tmp_path, interrupted):
    path = tmp_path / "games"
    path.write_text("old")
    interrupted(0)
    result = run(*MATCH, "--record", str(path), "--overwrite")
    assert (result.exit_code, result.stderr) == (130, "Interrupted; nothing was recorded.\n")
    assert path.read_text() == "old"
    assert run(*MATCH).stderr == "Interrupted; nothing was recorded.\n"


#: An engine that says its number, thinks until it is asked to quit, and outlives its input.
THINKS = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("uci"):
        print("uciok", flush=True)
    elif line.startswith("isready"):
        print("readyok", flush=True)
    elif line.startswith("go"):
        open(sys.argv[1] + ".new", "w").write(str(os.getpid()))
        os.replace(sys.argv[1] + ".new", sys.argv[1])
    elif line.startswith("quit"):
        sys.exit()
time.sleep(300)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals end programs on POSIX alone")
def test_a_match_that_is_terminated_leaves_no_engine(tmp_path):
    script, number = tmp_path / "engine.py", tmp_path / "number"
    script.write_text(THINKS)
    spec = f"engine:cmd={sys.executable} {script} {number},nodes=1"
    match = ["match", spec, "random", "--game", "chess", "--games", "2"]
    command = [sys.executable, "-m", "evenmatch", *match]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not number.exists() and process.poll() is None:
                time.sleep(0.05)
            engine = int(number.read_text())
            process.terminate()
            assert process.wait(60) == -signal.SIGTERM
        finally:
            process.kill()
    assert any(is_gone(engine) for _ in range(600))


def test_a_game_with_an_engine_that_is_quit_ends(tmp_path):
    """The program does not wait for the thread that speaks with the engine."""
    script = tmp_path / "engine.py"
    script.write_text(THINKS)
    spec = f"engine:cmd={sys.executable} {script} {tmp_path}/number,nodes=1"
    play = ["play", "chess", "--opponent", spec, "--as", "white"]
    command = [sys.executable, "-m", "evenmatch", *play]
    own = os.environ | {"EVENMATCH_STATE": str(tmp_path)}
    ended = subprocess.run(
        command, input=b"quit\n", stdout=subprocess.DEVNULL, timeout=100, env=own
    )
    assert ended.returncode == 0


def is_gone(process):
    """Tell whether a process has ended, within a twentieth of a second."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    time.sleep(0.05)
    return False
