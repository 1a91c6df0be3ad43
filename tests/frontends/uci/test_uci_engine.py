"""The conversation with a chess program: each line is answered, each go with one legal move."""

import doctest
import io
import os
import random
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest
from numba import njit
from talk import is_legal

from evenmatch.frontends.uci import serve

VOCABULARY = (
    "go stop position startpos fen moves e2e4 e7e5 x infinite ponder nodes 1 3 depth movetime "
    "wtime btime searchmoves ucinewgame ponderhit setoption name value UCI_Elo 1500 MultiPV "
    "UCI_LimitStrength true false 8/8/8/4k3/8/8/8/4K3 w - 0 debug on register later"
)

COMMANDS = {
    "uci",
    "isready",
    *["ucinewgame", "setoption", "position", "go", "stop", "ponderhit", "debug", "register"],
}


def conversations():
    """By title: lines, each with what is sent."""
    text = Path(__file__).with_name("conversations.txt").read_text("utf-8")
    for block in text.split("\n\n")[1:]:
        title, _, lines = block.partition("\n")
        pairs = [pair.partition("\n") for pair in lines.removeprefix("> ").split("\n> ")]
        yield pytest.param(pairs, id=title.removeprefix("# "))


@pytest.mark.parametrize("pairs", list(conversations()))
def test_conversations(talk, pairs):
    check = doctest.OutputChecker().check_output
    for line, _, wanted in pairs:
        talk.said.clear()
        talk.hear(line)
        talk.engine.close()  # which waits for a search
        said = "\n".join(talk.said)
        assert check(wanted.strip(), said, doctest.ELLIPSIS), f"{line}: {said}"


@pytest.mark.parametrize(
    "go", ["go nodes 40", "go movetime 5", "go wtime 20 btime 20", "go depth 2"]
)
def test_moves_are_legal_however_they_are_asked_for(talk, go):
    moves = ["e2e4", "c7c5", "g1f3"]
    assert is_legal(talk.answer(f"position startpos moves {' '.join(moves)}", go), moves)


def test_infinite_ends_with_stop(talk):
    talk.hear("position startpos", "go infinite", "isready")
    assert "readyok" in talk.said
    assert talk.best() == []
    talk.hear("stop")
    assert len(talk.best()) == 1
    talk.hear("stop")
    assert talk.best() == []


@pytest.mark.parametrize("limit", ["false", "true"])
def test_pondering_is_told_after_ponderhit(talk, limit):
    talk.hear(f"setoption name UCI_LimitStrength value {limit}", "position startpos moves e2e4")
    talk.hear("go ponder wtime 10 btime 10")
    assert talk.best() == []
    talk.hear("ponderhit")
    talk.engine.search.join()
    ((_, move, *_),) = talk.best()
    assert is_legal(move, ["e2e4"])


def test_options_wait_for_the_end_of_a_search(talk):
    """A move that nobody asked for would be played."""
    talk.hear("position startpos", "go infinite", "setoption name MultiPV value 2")
    talk.hear("setoption name UCI_Elo value 9")
    assert "outside 450 to 2450" in talk.said[-1]
    assert talk.best() == []
    talk.hear("stop")
    assert len(talk.best()) == 1
    talk.hear("go nodes 20")
    talk.engine.close()
    assert any(" multipv 2 " in line for line in talk.said)


@pytest.mark.parametrize("limit", ["false", "true"])
def test_drawn_games_go_on(talk, limit):
    words = "g1f3 g8f6 f3g1 f6g8 " * 2
    talk.hear(f"setoption name UCI_LimitStrength value {limit}")
    assert is_legal(talk.answer(f"position startpos moves {words}", "go nodes 10"))
    dead = "8/8/8/4k3/8/8/8/4K3 w - - 0 1"
    assert is_legal(talk.answer(f"position fen {dead}", "go nodes 10"), fen=dead)


def test_bad_weights_are_told_and_other_weights_mend_it(talk, weights):
    talk.hear("setoption name WeightsFile value /nowhere.onnx", "isready")
    assert talk.said[-1] == "readyok"
    assert "error" in talk.said[-2]
    assert "playing by the shipped weights" in talk.said[-2]
    talk.said.clear()
    assert is_legal(talk.answer("position startpos", "go nodes 5"))
    talk.hear(f"setoption name WeightsFile value {weights}")
    assert is_legal(talk.answer("go nodes 5"))
    assert not any("error" in line for line in talk.said)


def test_compiling_is_told_when_it_begins(monkeypatch, capsys):
    """A person would think that the program hangs."""
    again = njit(lambda number: number + 1)
    monkeypatch.setattr(
        "evenmatch.frontends.uci.thinking.ChessThinker.ready", lambda self: again(1)
    )
    for notes in (["info string compiling chess; this takes about a minute, once"], []):
        monkeypatch.setattr(sys, "stdin", io.StringIO("isready\nisready\nquit\n"))
        serve({})
        assert capsys.readouterr().out.splitlines() == [*notes, "readyok", "readyok"]


def test_random_lines_leave_it_responsive(talk):
    """Words of the interface in any order: nothing is lost, every go gets its bestmove."""
    rng, goes = random.Random(7), 0
    words = VOCABULARY.split()
    for _ in range(2_000):
        line = " ".join(rng.choices(words, k=rng.randint(1, 5)))
        first = next((w for w in line.split() if w in COMMANDS), None)
        goes += first == "go"
        assert talk.engine.handle(line)
    talk.hear("stop")
    assert len(talk.best()) == goes > 20
    talk.hear("position startpos", "isready")
    assert talk.said[-1] == "readyok"


def test_bytes_that_are_no_text_are_survived(tmp_path):
    """Names of files may hold any; a byte-order mark is passed over."""
    lines = b"\xef\xbb\xbfuci\nsetoption name WeightsFile value caf\xe9.onnx\ngo nodes 1\nquit\n"
    said = subprocess.run(
        [sys.executable, "-m", "evenmatch", "uci"],
        input=lines,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        cwd=tmp_path,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(b"id name evenmatch")
    assert b"uciok" in said.stdout
    assert b"caf\xe9.onnx" in said.stdout
    assert b"bestmove" in said.stdout


def test_python_chess_plays_a_game_with_it(weights):
    """And reads all options, lines and scores."""
    command = [sys.executable, "-m", "evenmatch", "uci"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        assert {option.type for option in engine.options.values()} == {
            "check", "spin", "combo", "string", "button",
        }  # fmt: skip
        assert engine.options["UCI_Elo"].min == 450
        assert engine.options["Method"].var == ["pikl", "human", "se", "sa", "ace"]
        engine.configure({"WeightsFile": str(weights), "UCI_Elo": 1800})
        board = chess.Board()
        for ply in range(8):
            engine.configure({"UCI_LimitStrength": ply % 4 > 1})
            board.push(engine.play(board, chess.engine.Limit(nodes=30)).move)
        engine.configure({"UCI_LimitStrength": False, "UCI_ShowWDL": True})
        infos = engine.analyse(board, chess.engine.Limit(nodes=50), multipv=2)
        assert len(infos) == 2
        assert infos[0]["score"].relative >= infos[1]["score"].relative
        for info in infos:
            assert sum(info["wdl"].relative) == 1000
            position = board.copy()
            for move in info["pv"]:
                position.push(position.parse_uci(move.uci()))  # which is legal, then
