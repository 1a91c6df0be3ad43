"""What dynamic_z keeps of z, on the smallest searches."""

import numpy as np
import pytest

from evenmatch_lab.wu2019 import dynamic_z


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


def test_the_interval_of_an_average_z_takes_series_as_units():
    """Student's t with one degree of freedom for two series, however many games they have."""
    z = np.array([[1.0] * 50, [2.0] * 50])
    mean, (low, high) = dynamic_z.series_mean(z)
    assert mean == 1.5
    assert high - mean == pytest.approx(12.706 * 0.5, rel=1e-3)
    assert mean - low == pytest.approx(high - mean)


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
