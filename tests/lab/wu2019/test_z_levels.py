"""The dial against GNU Go's levels, from made-up games."""

import pytest
from parts_of_a_dial import row

from evenmatch_lab.wu2019 import z_levels
from evenmatch_lab.wu2019.dial_games import INF


def results(fractions, level=1, game_id="go9"):
    """Return the parts of a level by the fractions won at each z."""
    settings = {"game": game_id, "level": level, "simulations": 200, "games": 80}
    return {
        f"{game_id}, z = {z:g}, GNU Go {level}": {
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
    (line,) = [
        x for x in z_levels.page(results({2.0: 0.75, -2.0: 0.25})) if x.startswith("- By level")
    ]
    assert float(line.split("z = 2 is ")[1].split()[0]) == pytest.approx(381.7, abs=1)


def test_a_point_that_wins_everything_has_a_bound_and_no_span():
    text = "\n".join(z_levels.page(results({INF: 1.0, 2.0: 1.0, -2.0: 0.5})))
    assert "an unknown Elo above z = -2" in text
    assert "| inf | 100.0% (" in text
    assert "above +" in text


def test_what_is_not_done_yet_is_left_open(tmp_path):
    some = results({2.0: 0.75}) | results({0.0: 0.5}, level=10)
    text = "\n".join(z_levels.page(some))
    assert "| 2 | 75.0%" in text
    assert text.count("not compared") == 2
    z_levels.plot(some, tmp_path / "z.svg")
    assert "level 10" in (tmp_path / "z.svg").read_text()
