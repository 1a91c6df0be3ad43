"""Strength scores by rank and ply (figure 3)."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.games import get_game
from evenmatch.progress import ignore
from evenmatch_lab.chen2025 import score_curves


def row(strong, weak):
    """Two ranks whose means by step are given, each within 0.1."""

    def curve(means):
        return {str(step): [x, x - 0.1, x + 0.1, 9] for step, x in enumerate(means)}

    return {"curves": {"9d": curve(strong), "1d": curve(weak)}}


def test_where_ranks_part():
    text = "\n".join(score_curves.page({"kgs": row([0.0, 0.5, 1.5], [0.1, 0.35, 0.5])}))
    assert (
        "| kgs | 9d and 1d | -0.10 | 1.00 at plies 41 to 60 | "
        "1 of 3 steps, first from ply 41 | 2 of 3 cases |"
    ) in text
    assert "| 9d | 0.00 ± 0.10 | 0.50 ± 0.10 | 1.50 ± 0.10 |" in text
    alike = score_curves.curves_of(row([0.0, 0.1], [0.0, 0.1]))
    assert score_curves.parting(alike)[3] == "0 of 2 steps"


def test_scores_are_means_over_the_moves_of_people(monkeypatch):
    """By hand: two people of the lowest rank, with Black's and White's moves 8 to 11 of a side."""
    chess = get_game("chess")
    scores = np.array([1, 2, 3, 4, 5, 6, 7, 8.0])
    moves = SimpleNamespace(
        places=np.array([8, 9, 10, 11, 8, 9, 10, 11]),
        counts=np.array([4, 4]),
        columns={score_curves.STRENGTH: np.stack([scores, 100 + scores], 1)},
    )
    rated = SimpleNamespace(
        moves=moves,
        sides=SimpleNamespace(sides=np.array([0, 1])),
        players=np.array([7, 9]),
        labels=np.array([1, 1]),
    )
    opened = SimpleNamespace(codec=SimpleNamespace(game=chess))
    for name, made in {
        "Dataset": SimpleNamespace(open=lambda folder: opened),
        "NetworkEvaluator": lambda path, game: SimpleNamespace(card=None),
        "NetworkScorer": lambda net: net,
        "ranks_of": lambda scale, card: Ranks(),
        "rate": lambda *given: {"query": rated},
        "LEAST_PEOPLE": 2,
    }.items():
        monkeypatch.setattr(score_curves, name, made)
    found = score_curves.measure(Path("lichess-rapid"), Path("none"), 4, ignore, {})
    curves = score_curves.curves_of(found)
    lowest = Ranks().name(1)
    # plies 16, 18 and 17, 19 are in the first step, 20, 22 and 21, 23 in the second
    assert {step: point.mean for step, point in curves[lowest].items()} == {0: 3.5, 1: 5.5}
    assert all(point.people == 2 for point in curves[lowest].values())
    assert not any(own for rank, own in curves.items() if rank != lowest)
    assert found["moves"] == 8


def test_networks_are_refused():
    with pytest.raises(UsageError, match="leave out --net"):
        score_curves.parts(True, [], [Path("x.onnx")])
