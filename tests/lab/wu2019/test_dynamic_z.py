"""What dynamic_z keeps of z, on the smallest searches."""

import numpy as np
import pytest

from evenmatch_lab.wu2019 import dynamic_z
from evenmatch_lab.wu2019.dial_games import GAME


def quiet(done, total):
    """No progress bar."""


def test_inter_game_keeps_z_after_every_game(monkeypatch):
    monkeypatch.setattr(dynamic_z, "PAPER_ROUNDS", 2)
    row = dynamic_z.measure_inter(GAME, -2.0, 4, 4, 2, quiet, {})
    assert {count: sum(one["pairs"]) for count, one in row["after"].items()} == {"2": 2, "4": 4}
    assert [len(series) for series in row["z"]] == [4, 4]
    for z, points in zip(row["z"], row["points"], strict=True):
        results = 2 * np.array(points) - 1
        steps = 0.375 * 0.95 ** np.arange(4)
        assert z == pytest.approx(-np.cumsum(steps * results), abs=1e-3)  # against the result


def test_steps_have_come_down_to_the_least_where_z_counts_as_settled():
    steps = dynamic_z.FIRST * dynamic_z.FACTOR ** np.arange(dynamic_z.LATE + 1)
    assert steps[-1] <= dynamic_z.FLOOR < steps[-2]


def series(z):
    """Return the row of two series of 100 games that come to ``z`` after a beginning at 0."""
    ends = np.array([0.9, 1.1]) * z
    way = np.minimum(np.arange(100) / 40, 1)
    won = {"first": [50, 50, 0], "second": [50, 50, 0], "pairs": [25, 0, 50, 0, 25]}
    return {
        "settings": {"z": z, "repeats": 2, "simulations": 8, "seed": 6, "openings": 6},
        "after": {"100": won | {"distinct": 200}},
        "points": [[0.0, 1.0] * 50, [1.0, 0.0] * 50],
        "z": (ends[:, None] * way).tolist(),
    }


def test_steps_within_a_game_shrink_to_none():
    assert dynamic_z.warmths(6, 12) == pytest.approx([1 / 2, 1 / 3, 1 / 6])


def test_settings_name_who_meets_whom_and_by_which_steps():
    parts = dynamic_z.parts(quick=False)
    assert parts["without"].settings["opponents"][0] == "softmax:z=2.0,r_th=0.1,sims=100"
    met = parts["inter-game, 1.0"].settings
    assert met["player"] == "inter:delta=0.375,r=0.95,floor=0.03,r_th=0.1,sims=100"
    assert met["opponent"] == "softmax:z=1.0,r_th=0.1,sims=100"
    assert "delta=0.9,epsilon=0.1,cool=42" in parts["intra-game, 0.9"].settings["player"]


def test_the_interval_of_an_average_z_takes_series_as_units():
    """Student's t with one degree of freedom for two series, however many games they have."""
    z = np.array([[1.0] * 50, [2.0] * 50])
    mean, (low, high) = dynamic_z.series_mean(z)
    assert mean == 1.5
    assert high - mean == pytest.approx(12.706 * 0.5, rel=1e-3)
    assert mean - low == pytest.approx(high - mean)


def test_intra_game_keeps_z_at_the_end():
    rows = dynamic_z.measure_intra(GAME, 4, 4, 0.2, quiet, {})["opponents"]
    for one in rows.values():
        assert sum(one["pairs"]) == 2
        low, high = one["z_interval"]
        assert one["z"] != 0
        assert low < one["z"] < high
        assert 0 < one["std"] <= 1.7  # no further than all its steps together


def test_without_adjustment_the_same_openings_are_played():
    rows = dynamic_z.measure_without(GAME, 4, 4, quiet, {})["opponents"]
    assert list(rows) == [str(z) for z in dynamic_z.OPPONENTS]
    assert all(sum(one["pairs"]) == 2 for one in rows.values())


def test_go_fades_out_by_its_board_and_on_19x19_by_the_papers_move():
    """0.65 of 81 cells are 53 plies; of 361, 235, more than the paper's 150."""
    assert (dynamic_z.cool_down("go9"), dynamic_z.cool_down("go")) == (53, 150)
    met = dynamic_z.parts(quick=False, game_id="go9")["intra-game, 0.65"].settings
    assert (met["game"], "cool=53" in met["player"]) == ("go9", True)


def test_on_go_one_first_step_goes_as_far_as_the_papers():
    """Added up over the first player's moves, to a tenth of what 0.2 adds up to in the paper."""
    longest = dynamic_z.SIZES["go9"].steps[-1]
    here = longest * sum(dynamic_z.warmths(4, dynamic_z.cool_down("go9")))
    there = 0.2 * sum(dynamic_z.warmths(0, dynamic_z.PAPER_COOL_DOWN))
    assert here == pytest.approx(there, rel=0.1)
