"""Figure 3: scores by rank and ply."""

import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.errors import UsageError
from evenmatch_lab.chen2025 import score_curves


def row(strong, weak):
    """Two ranks whose means by step are given, each within 0.1."""

    def curve(means):
        return {str(step): [x, x - 0.1, x + 0.1, 9] for step, x in enumerate(means)}

    settings = {"sides": 9}
    return {"curves": {"9d": curve(strong), "1d": curve(weak)}, "settings": settings}


def test_the_page_says_where_ranks_part():
    text = " ".join(score_curves.page({"kgs": row([0.0, 0.5, 1.5], [0.1, 0.35, 0.5])}))
    assert "| 9d | 0.00 ± 0.10 | 0.50 ± 0.10 | 1.50 ± 0.10 |" in text
    assert "the outer ranks, 9d and 1d, are -0.10 apart in the first 20 plies" in text
    assert "1.00 at plies 41 to 60, the largest distance by the estimates" in text
    assert "do not meet at 1 of 3 steps, first in plies 41 to 60." in text
    assert "the stronger has the higher score in 2 of 3 cases" in text


def test_ranks_that_never_part():
    text = score_curves.finding(score_curves.curves_of(row([0.0, 0.1], [0.0, 0.1])))
    assert "Their intervals meet at every step." in text


def test_a_rank_without_people_is_left_out():
    empty = row([0.0], [])
    assert score_curves.finding(score_curves.curves_of(empty)).startswith("too few people")


def test_scores_are_measured(tmp_path, monkeypatch):
    """By the definition, of one rank and the first plies."""
    network = random_network(tmp_path / "n.onnx", ("lichess-rapid",), strength=2 + 8)
    monkeypatch.setattr(
        score_curves, "shipped_fitted", lambda _: type("F", (), {"network": network})
    )
    monkeypatch.setattr(score_curves, "LEAST_PEOPLE", 1)
    dataset = random_dataset(tmp_path, games=40, shares=(0, 0, 0, 1))
    (part,) = score_curves.parts(True, [dataset.folder], []).values()
    result = part.run(lambda *_: None, {}) | {"settings": part.settings}
    curves = score_curves.curves_of(result)
    assert len(curves) == 8
    assert any(curves.values())
    for own in curves.values():
        for point in own.values():
            assert point.low <= point.mean <= point.high
    score_curves.plot({"x": result}, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    with pytest.raises(UsageError, match="leave out --net"):
        score_curves.parts(True, [dataset.folder], [network])
