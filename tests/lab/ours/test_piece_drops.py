"""What moves drop by captures alone, and how often by the state of the game."""

import json

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.games import get_game
from evenmatch.games.game import random_positions
from evenmatch.records.dataset import NO_EVAL, Dataset
from evenmatch.records.evals import chances
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import piece_drops
from evenmatch_lab.runner import run
from evenmatch_lab.shared.captures import drops, worths

CHESS = get_game("chess")
POINTS = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}


def dropped(fen, move):
    state = CHESS.from_fen(fen)
    return drops(state[None])[0, CHESS.read_action(state, move)]


def balance(board):
    pieces = board.piece_map().values()
    return sum(POINTS[p.piece_type] * (1 if p.color == board.turn else -1) for p in pieces)


def settled(board, low=-99, high=99):
    """Every capture and promotion in turn: slow and obvious but for alpha and beta."""
    best = max(low, balance(board))
    takes = [m for m in board.legal_moves if board.is_capture(m) or m.promotion]
    for move in sorted(takes, key=lambda m: -POINTS[board.piece_type_at(m.to_square) or 6]):
        if best >= high:
            break
        board.push(move)
        best = max(best, -settled(board, -high, -best))
        board.pop()
    return best


@pytest.mark.parametrize(
    ("fen", "move", "points"),
    [
        # a queen goes where a pawn takes it; staying away drops nothing
        ("7k/8/4p3/8/8/8/8/3Q3K w - - 0 1", "d1d5", 9),
        ("7k/8/4p3/8/8/8/8/3Q3K w - - 0 1", "d1d2", 0),
        # a rook could be saved, and is lost whatever one plays
        ("7k/8/8/8/8/8/5b2/K5R1 w - - 0 1", "a1a2", 5),
        ("k7/8/3p4/4R3/8/8/8/r6K w - - 0 1", "h1g2", 0),
        # of a rook and a knight that hang one move saves one, but a check saves both
        ("k7/8/8/3p4/2R1N3/8/8/7K w - - 0 1", "c4c8", 0),
        ("k7/8/8/3p4/2R1N3/8/8/7K w - - 0 1", "c4c1", 3),
        ("k7/8/8/3p4/2R1N3/8/8/7K w - - 0 1", "e4g3", 5),
        # an exchange of equals, and a queen that takes a guarded pawn
        ("k2r4/3r4/8/8/8/8/3R4/K2R4 w - - 0 1", "d2d7", 0),
        ("k7/4p3/3p4/8/8/8/8/K2Q4 w - - 0 1", "d1d6", 8),
        # a queen that could be taken and is not
        ("k7/8/8/3q4/4P3/8/8/K7 w - - 0 1", "a1b1", 10),
        ("k7/8/8/3q4/4P3/8/8/K7 w - - 0 1", "e4d5", 0),
        # a pawn that could promote and does not; a mate that leaves a rook's pawn to be taken
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a1b1", 8),
        ("6k1/5ppp/8/8/8/8/q7/2K1R3 w - - 0 1", "e1e8", 0),
        # en passant
        ("k7/8/8/2pP4/8/8/8/K7 w - c6 0 1", "d5c6", 0),
        ("k7/8/8/2pP4/8/8/8/K7 w - c6 0 1", "a1b1", 1),
    ],
)
def test_drops_by_hand(fen, move, points):
    assert dropped(fen, move) == points


def test_worths_are_those_of_every_capture():
    """Positions of random games against python-chess, with White and Black to move."""
    states = np.concatenate([found[:2] for found in random_positions(CHESS, 2, seed=3)])[:300]
    boards = [chess.Board(CHESS.to_fen(state)) for state in states]
    wanted = [settled(board) for board in boards]
    assert worths(states).tolist() == wanted
    assert np.ptp(wanted) > 9
    assert sum(w != balance(b) for w, b in zip(wanted, boards, strict=True)) > 100


BAND = (1000, 1200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("dropped")
    random_dataset(path, games=12, shares=(0, 0, 0, 1), bands=((1050, 1075),))
    return path / "dataset"


def test_moves_are_drawn_by_the_eval_before_them(folder):
    dataset = Dataset.open(folder)
    found = piece_drops.in_states(dataset, "query", BAND, 10_000)
    wanted = dict.fromkeys(piece_drops.STATES, 0)
    for game in range(len(dataset)):
        for ply, before in enumerate(dataset.evals(game)[:-1].tolist(), start=1):
            if before == NO_EVAL:
                continue
            own = chances(before if ply % 2 == 0 else -before)
            limits = piece_drops.STATES.items()
            wanted[next(state for state, end in limits if own < end)] += 1
    counts = {state: len(moves.states) for state, moves in found.items()}
    assert counts == {state: n for state, n in wanted.items() if n}
    assert len(counts) > 1
    few = piece_drops.in_states(dataset, "query", BAND, 2)
    assert {len(moves.people) for moves in few.values()} == {2}
    for state, moves in few.items():
        rows = found[state].states.tolist()
        assert all(row in rows for row in moves.states.tolist())


def test_what_is_dropped_is_kept_and_written(folder, tmp_path, monkeypatch):
    """A player that drops one of two where people drop none, by hand; and nothing at all."""
    monkeypatch.setattr(piece_drops, "CLASSES", {"beginners": 1000})
    monkeypatch.setattr(piece_drops, "QUICK", (3, 1, None))
    monkeypatch.setattr(piece_drops, "AGENTS", {"human": "human:elo={elo}"})
    state = CHESS.from_fen("7k/8/4p3/8/8/8/8/3Q3K w - - 0 1")
    hangs, stays = (CHESS.read_action(state, move) for move in ("d1d5", "d1d2"))
    moves = piece_drops.DrawnMoves(
        np.stack([state, state]), np.zeros(2, int), np.array([stays, stays]), np.array([3, 8])
    )
    monkeypatch.setattr(piece_drops, "in_states", lambda *_: {"lost": moves, "won": moves})
    answers = iter([[hangs, stays], [stays, stays]])
    monkeypatch.setattr(piece_drops, "chosen", lambda *_: np.array(next(answers)))
    page = run(get_experiment("piece_drops"), tmp_path, quick=True, data=[folder])
    results = json.loads(page.with_suffix(".json").read_text())["parts"]
    assert results["beginners: people"]["states"]["lost"]["movers"] == [3, 8]
    assert results["beginners: human"]["states"]["lost"] == {"at": [0], "points": [9]}
    lines = page.read_text().splitlines()
    rows = [line for line in lines if line.startswith("| beginners | ")]
    half = "50.00 ± 635.31"  # of two people: Student's t with one degree of freedom is 12.7
    assert rows[0] == f"| beginners | lost | 2 | none of 2 | {half} (+{half}) |"
    assert rows[1] == "| beginners | won | 2 | none of 2 | none of 2 |"
    assert len(rows) == 2 * len(piece_drops.POINTS)
    assert (tmp_path / "piece_drops_quick.svg").exists()
