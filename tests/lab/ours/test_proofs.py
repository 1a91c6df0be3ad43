"""What proofs add: the puzzles that are mates, the endings drawn, and who wins them."""

import json

import numpy as np
import pytest
from test_puzzle_ratings import BACK_RANK, LADDER, QUEEN, TWO_MATES

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.chess.moves import QUEEN_, ROOK_
from evenmatch.progress import ignore
from evenmatch.records.chess.puzzles import Puzzle
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import proofs
from evenmatch_lab.runner import run

CHESS = get_game("chess")
FORK = Puzzle("4k3/8/8/8/8/3q4/8/R3K2R b KQ - 0 30", ("d3d7", "a1a8"), 500)  # check, no mate


def test_mates_by_their_moves():
    found = proofs.mates_of([LADDER, FORK, TWO_MATES, QUEEN, BACK_RANK])
    assert found == {1: [TWO_MATES, QUEEN], 2: [BACK_RANK], 3: []}


def test_endings_are_won_by_white():
    ending = proofs.draw_ending(ROOK_, 30, seed=1)
    assert (CHESS.to_play(ending.states) == 1).all()
    assert not CHESS.outcome(ending.states)[0].any()
    assert ((ending.best % 2 == 1) & (ending.best < 32)).all()
    assert len(np.unique(ending.states[:, :4], axis=0)) == 30


@pytest.mark.parametrize("piece", [QUEEN_, ROOK_])
def test_with_proofs_every_ending_is_won_in_the_fewest_moves(piece):
    spec = "alphazero:sims=1,solve=on"
    assert proofs.measure_ending(spec, piece, 5, ignore, {}) == {"won": 5, "extra": 0}


def test_who_does_not_win():
    found = proofs.measure_ending("random", QUEEN_, 3, ignore, {})
    assert found == {"won": 0, "extra": None}


def test_a_small_run(tmp_path, monkeypatch):
    """One player of each kind with few simulations; the page has all lines."""
    monkeypatch.setattr(
        proofs,
        "PLAYERS",
        {name: spec.replace("100", "2") for name, spec in proofs.PLAYERS.items()},
    )
    path = tmp_path / "puzzles.csv"
    rows = [f"{one.fen},{' '.join(one.moves)},{one.rating}" for one in (LADDER, QUEEN, BACK_RANK)]
    path.write_text("\n".join(["fen,moves,rating", *rows]) + "\n")
    page = run(get_experiment("proofs"), tmp_path, quick=True, data=[path])
    text = page.read_text()
    for line in ("| mate in 1 |", "| mate in 2 |", "| rook |", "A search with proofs against one"):
        assert line in text
    results = json.loads((tmp_path / "proofs_quick.json").read_text())["parts"]
    assert results["mate in 1: with proofs"]["solved"] == 1


def test_no_puzzles():
    with pytest.raises(UsageError, match="--data"):
        proofs.parts(True, [], [])
