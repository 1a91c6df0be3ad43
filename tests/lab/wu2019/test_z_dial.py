"""The parts of z_dial."""

from collections import Counter

from evenmatch_lab.wu2019 import z_dial
from evenmatch_lab.wu2019.dial_games import Z


def test_every_threshold_has_all_points_once():
    found: dict[float, Counter] = {}
    for key, part in z_dial.parts(quick=False).items():
        if key.startswith("R_th"):
            found.setdefault(part.settings["r_th"], Counter()).update(part.settings["z"])
    assert set(found) == set(z_dial.THRESHOLDS)
    for points in found.values():
        assert points == Counter(map(str, Z))


def test_the_papers_threshold_comes_first_with_its_number_of_games():
    first = next(iter(z_dial.parts(quick=False).values())).settings
    assert (first["r_th"], first["games"]) == (0.1, 250)
