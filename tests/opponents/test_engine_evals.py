"""Evaluations by an engine: a small one that counts pieces, written here."""

import os
import subprocess
import sys

import chess
import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.opponents import engine_evals
from evenmatch.opponents.engine_evals import (
    MATED,
    PAWN,
    EngineEvals,
    EngineFailedError,
    counts_pawns_anew,
    engine_there,
)

CHESS = get_game("chess")

#: Counts the pieces of the side to move; finds mates in one; tells what it was told.
ENGINE = """
import os
import sys
import chess
board = chess.Board()

def mates(move):
    board.push(move)
    over = board.is_checkmate()
    board.pop()
    return over

for line in sys.stdin:
    words = line.split()
    with open(sys.argv[1], "a") as file:
        file.write(line)
    if words[:1] == ["uci"]:
        print("id name", sys.argv[2])
        print("uciok", flush=True)
    elif words[:1] == ["isready"] and "frail" in sys.argv:
        sys.exit(1)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:2] == ["position", "startpos"]:
        board = chess.Board()
    elif words[:2] == ["position", "fen"]:
        board = chess.Board(" ".join(words[2:8]))
    elif words[:1] == ["go"]:
        if "die" in sys.argv:
            sys.exit(1)
        if "hang" in sys.argv:
            continue
        own, other = (board.occupied_co[side].bit_count() for side in (board.turn, not board.turn))
        score = f"cp {100 * (own - other)}"
        if any(mates(move) for move in list(board.legal_moves)):
            score = "mate 1"
        move = next(iter(board.legal_moves)).uci()
        if "closes" in sys.argv:
            os.close(1)
            continue
        if "mute" not in sys.argv:
            print(f"info depth 1 score {score} nodes 1 pv {move}")
        print("bestmove", move, flush=True)
    elif words[:1] == ["quit"]:
        break
"""


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "engine.py").write_text(ENGINE)
    return f"{sys.executable} {tmp_path}/engine.py {tmp_path}/told"


def states_of(*moves: str, fen: str = chess.STARTING_FEN):
    """The states after each move of a game."""
    board, states = chess.Board(fen), []
    for move in moves:
        board.push_san(move)
        states.append(CHESS.from_fen(board.fen()))
    return np.stack(states)


def test_evaluations_are_white_s_in_the_records_centipawns(engine, tmp_path):
    """By hand: White takes a pawn, Black takes it back; the fool's mate is found and played."""
    games = [states_of("e4", "d5", "exd5", "Qxd5"), states_of("f3", "e5", "g4", "Qh4")]
    with EngineEvals(f"{engine} newer", nodes=7) as evaluate:
        taken, mate = evaluate(games)
    assert taken.tolist() == [0, 0, 100 * PAWN, 0]
    assert mate.tolist() == [0, 0, 1 - MATED, -MATED]
    told = (tmp_path / "told").read_text().splitlines()
    assert told.count("go nodes 7") == 7, "a position that is over is not asked about"
    assert told.count("ucinewgame") >= 2


def test_older_versions_count_pawns_as_the_records_do(engine):
    with EngineEvals(f"{engine} 'Stockfish 14.1'", nodes=1) as evaluate:
        (taken,) = evaluate([states_of("e4", "d5", "exd5")])
    assert taken.tolist() == [0, 0, 100]
    assert [counts_pawns_anew(x) for x in ("Stockfish 15.1", "Stockfish 9", "x", "Fish 17")] == [
        True, False, True, True,
    ]  # fmt: skip


def test_games_are_told_in_order_whoever_evaluates_them(engine, monkeypatch):
    monkeypatch.setattr(engine_evals, "core_count", lambda: 3)
    games = [states_of(*["e4", "d5", "exd5", "Qxd5"][: 1 + n % 4]) for n in range(7)]
    heard = []
    with EngineEvals(f"{engine} x", nodes=1, progress=lambda *told: heard.append(told)) as evaluate:
        told = evaluate(games)
    assert [len(one) for one in told] == [1, 2, 3, 4, 1, 2, 3]
    assert all(one[2] == 100 * PAWN for one in told if len(one) > 2)
    assert heard == [(n, 7) for n in range(1, 8)]


def test_an_engine_that_fails_is_named(engine):
    with (
        EngineEvals(f"{engine} Frail die", nodes=1) as evaluate,
        pytest.raises(
            EngineFailedError, match=r"Frail failed .*; judge moves without it: --no-engine"
        ),
    ):
        evaluate([states_of("e4")])


def test_an_engine_that_does_not_answer_is_not_waited_for(engine, monkeypatch):
    monkeypatch.setattr(engine_evals, "PATIENCE", 0.05)
    with (
        EngineEvals(f"{engine} Slow hang", nodes=1) as evaluate,
        pytest.raises(EngineFailedError, match=r"Slow failed .no answer in time."),
    ):
        evaluate([states_of("e4")])


@pytest.mark.parametrize(
    ("word", "why"), [("mute", "it sent no score"), ("frail", "engine|it ended")]
)
def test_an_engine_that_tells_nothing_or_dies_between_questions(engine, word, why):
    with (
        EngineEvals(f"{engine} Odd {word}", nodes=1) as evaluate,
        pytest.raises(EngineFailedError, match=rf"Odd failed .({why})"),
    ):
        evaluate([states_of("e4", "e5")] * 4)


def test_a_program_ends_though_an_engine_closed_its_output(engine):
    """Its thread waited for the end of a pipe that had ended before."""
    program = f"""
import chess.engine
from evenmatch.opponents import engine_evals
engine_evals.PATIENCE = 0.1
from test_engine_evals import states_of
try:
    with engine_evals.EngineEvals({f"{engine} Odd closes"!r}, nodes=1) as evaluate:
        evaluate([states_of("e4")])
except engine_evals.EngineFailedError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
        env=environment,
    )  # fmt: skip
    assert done.stdout.startswith("Odd failed"), done.stderr


def test_what_is_no_engine():
    assert not engine_there("no-such-engine-here")
    with pytest.raises(UsageError, match="cannot start the engine"):
        EngineEvals("true", nodes=1)
