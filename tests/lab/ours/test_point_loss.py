"""The page of points lost, from results made by hand."""

import numpy as np
import pytest

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
