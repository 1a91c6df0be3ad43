"""What z_dial counts, on the smallest searches."""

import itertools
import math

from evenmatch_lab.wu2019 import z_dial


def quiet(done, total):
    """No progress bar."""


def test_points_are_counted_for_the_dial_and_candidates_by_the_threshold():
    used = (math.inf, 0.0, -math.inf)
    row = z_dial.measure(0.5, used, 8, 6, quiet, {})
    assert [point["z"] for point in row["points"]] == ["inf", "0.0", "-inf"]
    assert all(sum(point["score"]) == 6 for point in row["points"])
    assert row["positions"] > 50  # those of z = 0 alone: six games of some 29 moves
    assert 1 <= row["candidates"] <= 8
    rising = row["e_norm"]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(rising))
    assert row["e_norm_lowest"] <= rising[0] <= rising[-1] <= 0


def test_the_baseline_against_itself_has_no_elo_to_find():
    row = z_dial.measure(0.1, (0.0,), 4, 2, quiet, {})
    assert row["points"][0]["elo"] == [0.0, 0.0, 0.0]


def test_the_span_has_the_interval_of_a_difference():
    ends = {"2.0": [500.0, 400.0, 600.0], "-2.0": [-300.0, -375.0, -225.0]}
    row = {"points": [{"z": z, "elo": elo} for z, elo in ends.items()]}
    assert z_dial.span_text(row) == "800 (675 to 925)"
    row["points"][0]["elo"][2] = None
    assert z_dial.span_text(row) == "without bound"
