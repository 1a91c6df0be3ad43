"""What dynamic_z keeps of z, on the smallest searches."""

import numpy as np
import pytest

from evenmatch_lab.wu2019 import dynamic_z


def quiet(done, total):
    """No progress bar."""


def test_inter_game_keeps_z_after_every_game(monkeypatch):
    monkeypatch.setattr(dynamic_z, "PAPER_ROUNDS", 2)
    row = dynamic_z.measure_inter(-2.0, 4, 4, 2, quiet, {})
    assert {count: sum(one["pairs"]) for count, one in row["after"].items()} == {"2": 2, "4": 4}
    assert [len(series) for series in row["z"]] == [4, 4]
    for series in row["z"]:  # steps 0.375 r^t, against the result
        assert abs(series[0]) in (0.0, pytest.approx(0.375))
        assert abs(series[1] - series[0]) in (0.0, pytest.approx(0.375 * 0.95, abs=1e-3))


def test_the_interval_of_an_average_z_takes_series_as_units():
    """Student's t with one degree of freedom for two series, however many games they have."""
    z = np.array([[1.0] * 50, [2.0] * 50])
    mean, (low, high) = dynamic_z.mean_z(z)
    assert mean == 1.5
    assert high - mean == pytest.approx(12.706 * 0.5, rel=1e-3)
    assert mean - low == pytest.approx(high - mean)


def test_intra_game_keeps_z_at_the_end():
    rows = dynamic_z.measure_intra(4, 4, 0.2, quiet, {})["opponents"]
    for one in rows.values():
        assert sum(one["pairs"]) == 2
        low, high = one["z_interval"]
        assert one["z"] != 0
        assert low < one["z"] < high
        assert 0 < one["std"] <= 1.7  # no further than all its steps together


def test_without_adjustment_the_same_openings_are_played():
    rows = dynamic_z.measure_without(4, 4, quiet, {})["opponents"]
    assert list(rows) == [str(z) for z in dynamic_z.OPPONENTS]
    assert all(sum(one["pairs"]) == 2 for one in rows.values())
