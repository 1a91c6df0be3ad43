"""What dynamic_z keeps of z, on the smallest searches."""

import pytest

from evenmatch_lab.wu2019 import dynamic_z


def quiet(done, total):
    """No progress bar."""


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
