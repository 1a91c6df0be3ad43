"""The page of points lost, from results made by hand."""

import numpy as np
import pytest
from random_go_games import random_go_dataset

from evenmatch.errors import UsageError
from evenmatch_lab.ours import point_loss


def results(stronger=1.0):
    """Two bands of 60 moves of 20 people each: the weaker loses 3 points, give or take 1."""
    gives = np.tile([-1.0, 0.0, 1.0], 20)
    return {
        "ogs": {
            "settings": {"visits": 50, "most": 15, "bands": [2150, 2650, 3050]},
            "written": "kyu",
            "losses": [*(3.0 + gives), *(stronger + gives)],
            "bands_of": [2] * 60 + [1] * 60,
            "people": [*np.repeat(np.arange(20), 3), *np.repeat(np.arange(20, 40), 3)],
            "plies": [0, 70, 200] * 40,
        }
    }


def test_large_losses_are_counted():
    (_, weak), (_, strong) = point_loss.by_band(results(stronger=4.5)["ogs"]).values()
    assert weak.large.mean == 0
    assert strong.large.mean == pytest.approx(1 / 3)


def test_phases_are_those_of_the_plies():
    one = point_loss.by_band(results()["ogs"])["9k-5k"][1]
    cells = point_loss.cells_of("9k-5k", one)
    assert [cell.split(" ")[0] for cell in cells[4:]] == ["2.00", "3.00", "4.00"]


def test_what_it_does_not_read(tmp_path):
    data = random_go_dataset(tmp_path / "ogs").folder
    with pytest.raises(UsageError, match="leave out --net"):
        point_loss.parts(True, [data], [tmp_path])
    (part,) = point_loss.parts(True, [data], []).values()
    assert part.settings["moves"] == 4
