"""The index z against GNU Go's levels, from made-up games."""

import pytest
from parts_of_a_dial import row

from evenmatch_lab.wu2019 import z_levels
from evenmatch_lab.wu2019.dial_games import INF


def results(fractions):
    """Return the parts of a level by the fractions of pairs won at each z."""
    settings = {"game": "go9", "level": 1, "simulations": 200, "games": 80}
    return {
        f"go9, z = {z:g}, GNU Go 1": {
            "settings": settings | {"z": str(z), "openings": 4, "seed": 12},
            "program": "GNU Go 3.8",
            "point": row(fraction),
        }
        for z, fraction in fractions.items()
    }


def test_every_point_meets_every_level():
    parts = z_levels.parts(quick=False)
    for game_id, size in z_levels.SIZES.items():
        met = [
            (float(x.settings["z"]), x.settings["level"])
            for x in parts.values()
            if x.settings["game"] == game_id
        ]
        assert sorted(met) == sorted((z, level) for z in size.zs for level in size.levels)


def test_the_span_is_the_difference_of_two_elos():
    """30 of 40 pairs won are +190.8 Elo, 10 of them -190.8."""
    last = z_levels.page(results({2.0: 0.75, -2.0: 0.25}))[-1].splitlines()[-1]
    assert float(last.split("|")[2].split()[0]) == pytest.approx(381.7, abs=1)


def test_a_point_that_wins_all_has_a_bound_and_no_span():
    text = "\n".join(z_levels.page(results({INF: 1.0, 2.0: 1.0, -2.0: 0.5})))
    assert "| 1 | unknown: one has a bound alone |" in text
    assert "| inf | 100.0% (" in text
    assert "above +" in text
