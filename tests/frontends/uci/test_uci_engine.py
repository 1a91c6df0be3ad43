"""The conversation with a chess program: each line is answered, each go with one legal move."""

import io
import os
import random
import subprocess
import sys

import chess
import chess.engine
import pytest
from numba import njit
from talk import MATE, is_legal

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


def test_says_who_it_is(talk):
    talk.hear("uci")
    assert talk.said[0].startswith("id name evenmatch")
    assert talk.said[-1] == "uciok"
    assert any(line.startswith("option name UCI_Elo type spin") for line in talk.said)


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
    assert "outside 700 to 2500" in talk.said[-1]
    assert talk.best() == []
    talk.hear("stop")
    assert len(talk.best()) == 1
    talk.hear("go nodes 20")
    talk.engine.close()
    assert any(" multipv 2 " in line for line in talk.said)


def test_a_byte_order_mark_is_passed_over():
    said = subprocess.run(
        [sys.executable, "-m", "evenmatch", "uci"],
        input=b"\xef\xbb\xbfuci\nquit\n",
        capture_output=True,
        check=True,
    )
    assert said.stdout.splitlines()[-1] == b"uciok"
    assert b"info string" not in said.stdout


@pytest.mark.parametrize("limit", ["false", "true"])
def test_drawn_games_go_on(talk, limit):
    words = "g1f3 g8f6 f3g1 f6g8 " * 2
    talk.hear(f"setoption name UCI_LimitStrength value {limit}")
    assert is_legal(talk.answer(f"position startpos moves {words}", "go nodes 10"))
    dead = "8/8/8/4k3/8/8/8/4K3 w - - 0 1"
    assert is_legal(talk.answer(f"position fen {dead}", "go nodes 10"), fen=dead)


@pytest.mark.parametrize(
    ("fen", "note"),
    [
        ("2k5/8/3K4/1p6/p7/P7/1B6/8 b KQkq - 0 1", "castling rights KQkq are dropped"),
        ("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w HBhb - 0 1", "Chess960 is not supported"),
        ("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1", "Chess960 is not supported"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6",
            "the en passant square e6 is dropped",
        ),
    ],
)
def test_what_a_fen_cannot_mean_is_told_once_and_there_is_a_move(talk, fen, note):
    talk.hear(f"position fen {fen}")
    (told,) = talk.said
    assert told.startswith(f"info string {note}")
    move = talk.answer("go nodes 5")
    assert is_legal(move, fen=" ".join(fen.split()[:2]))
    talk.hear(f"position fen {fen} moves {move}")
    assert talk.said == []


def test_a_refused_position_has_no_move(talk):
    """One of the position before would be taken for one of this."""
    talk.hear("position startpos moves e2e4")
    assert talk.answer("position startpos moves e2e5", "go nodes 10") == "(none)"
    assert is_legal(talk.answer("position startpos moves e2e4", "go nodes 10"), ["e2e4"])
    talk.hear("position fen nonsense", "ucinewgame")
    assert is_legal(talk.answer("go nodes 10"))


def test_what_go_passes_over_is_told(talk):
    talk.hear("position startpos", "go nodes 1 nowhere movetime abc", "go nodes 1 searchmoves a2a5")
    talk.engine.close()
    notes = [line for line in talk.said if line.startswith("info string")]
    assert notes[0] == "info string passed over in go: 'nowhere movetime abc'"
    assert notes[1].startswith("info string none of searchmoves can be played")
    assert len(notes) == 2


def test_mate_and_stalemate_have_no_move(talk):
    talk.hear(MATE, "go nodes 10", "position fen 7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", "go nodes 9")
    talk.engine.close()
    assert [line for line in talk.said if "score" in line or "bestmove" in line] == [
        "info depth 0 score mate 0", "bestmove (none)",
        "info depth 0 score cp 0", "bestmove (none)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("position fen nonsense", "cannot read 'nonsense' as a FEN"),
        ("position startpos moves e2e5", "move 1: 'e2e5' is not legal"),
        ("setoption name UCI_Elo value 9", "outside 700 to 2500"),
        ("setoption name Nothing value 9", "no option 'Nothing'"),
        ("hello there", "cannot read 'hello there'"),
    ],
)
def test_bad_lines_get_one_line(talk, line, message):
    talk.hear("position startpos moves e2e4", line)
    (said,) = talk.said
    assert said.startswith("info string")
    assert message in said
    talk.said.clear()
    if line.startswith("position"):
        assert talk.answer("go nodes 5") == "(none)"
    else:
        assert is_legal(talk.answer("go nodes 5"), ["e2e4"])  # the position is as it was


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
    for notes in (["info string compiling chess; this takes a minute or two, once"], []):
        monkeypatch.setattr(sys, "stdin", io.StringIO("isready\nisready\nquit\n"))
        serve({})
        assert capsys.readouterr().out.splitlines() == [*notes, "readyok", "readyok"]


def test_random_lines_leave_it_responsive(talk):
    """Words of the interface in any order: nothing is lost, every go gets its bestmove."""
    rng, goes = random.Random(7), 0
    words = VOCABULARY.split()
    for _ in range(4_000):
        line = " ".join(rng.choices(words, k=rng.randint(1, 5)))
        first = next((w for w in line.split() if w in COMMANDS), None)
        goes += first == "go"
        assert talk.engine.handle(line)
    talk.hear("stop")
    assert len(talk.best()) == goes > 20
    talk.hear("position startpos", "isready")
    assert talk.said[-1] == "readyok"


def test_bytes_that_are_no_text_are_survived(tmp_path):
    """Names of files may hold any."""
    lines = b"setoption name WeightsFile value caf\xe9.onnx\ngo nodes 1\nquit\n"
    said = subprocess.run(
        [sys.executable, "-m", "evenmatch", "uci"],
        input=lines,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        cwd=tmp_path,
    )
    assert said.returncode == 0, said.stderr
    assert b"caf\xe9.onnx" in said.stdout
    assert b"bestmove" in said.stdout


def test_python_chess_plays_a_game_with_it(weights):
    command = [sys.executable, "-m", "evenmatch", "uci"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        engine.configure({"WeightsFile": str(weights), "UCI_Elo": 1800})
        board = chess.Board()
        for ply in range(8):
            engine.configure({"UCI_LimitStrength": ply % 4 > 1})
            board.push(engine.play(board, chess.engine.Limit(nodes=30)).move)
        engine.configure({"UCI_LimitStrength": False})
        infos = engine.analyse(board, chess.engine.Limit(nodes=50), multipv=2)
        assert len(infos) == 2
        assert infos[0]["pv"][0] in board.legal_moves
