"""What z_dial and dynamic_z count, on the smallest searches."""

import itertools
import math

import pytest

from evenmatch.experiments import dynamic_z, z_dial


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


def test_inter_game_keeps_z_after_every_game():
    row = dynamic_z.measure_inter(4, 3, 2, quiet, {})["opponents"]
    assert list(row) == [str(z) for z in dynamic_z.OPPONENTS]
    for one in row.values():
        assert sum(one["score"]) == 3 * 2
        assert [len(series) for series in one["z"]] == [3, 3]
        for series in one["z"]:  # steps 0.375 r^t, against the result
            assert abs(series[0]) in (0.0, pytest.approx(0.375))
            assert abs(series[1] - series[0]) in (0.0, pytest.approx(0.375 * 0.95, abs=1e-4))


def test_intra_game_keeps_z_at_the_end():
    row = dynamic_z.measure_intra(4, 3, 0.2, quiet, {})["opponents"]
    for one in row.values():
        assert sum(one["score"]) == 3
        assert one["z"] != 0
        assert one["std"] >= 0
