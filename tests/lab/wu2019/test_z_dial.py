"""The parts of z_dial."""

import re
from collections import Counter

import pytest

from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch_lab.wu2019 import z_dial
from evenmatch_lab.wu2019.dial_games import Z


def test_every_threshold_has_all_points_once():
    found: dict[float, Counter] = {}
    for key, part in z_dial.parts(quick=False).items():
        if key.startswith("R_th"):
            found.setdefault(part.settings["r_th"], Counter()).update([part.settings["z"]])
    assert set(found) == {0.1, *z_dial.SIZES["othello"].thresholds}
    for r_th, points in found.items():
        elsewhere = "0.0" if r_th == 0.1 else "inf"  # itself, or the player of R_th = 0.1
        assert points == Counter(str(z) for z in Z if str(z) != elsewhere)


def test_the_papers_threshold_comes_first_with_its_number_of_games():
    first = next(iter(z_dial.parts(quick=False).values())).settings
    assert (first["r_th"], first["games"]) == (0.1, 250)


def test_settings_name_both_players():
    parts = z_dial.parts(quick=False)
    opponent = "softmax:z=0.0,r_th=0.1,top=0,sims=200"
    met = parts["R_th = 0.25, z = -1"].settings["players"]
    assert met == ["softmax:z=-1.0,r_th=0.25,top=0,sims=200", opponent]
    assert parts["step, z = 1 to 0"].settings["players"][1] == opponent


def test_go_on_9x9_has_the_parts_of_othello_on_its_own_board():
    othello, go9 = z_dial.parts(quick=False), z_dial.parts(quick=False, game_id="go9")
    assert len(go9) == len(othello)
    for (key, part), (other, same) in zip(go9.items(), othello.items(), strict=True):
        assert key.replace("200 simulations", "400 simulations") == other
        assert part.settings["game"] == "go9"
        assert part.settings["network"] == digest_of(shipped_path("go9"))
        halved = [
            re.sub(r"sims=\d+", lambda n: f"sims={int(n[0][5:]) * 2}", spec)
            for spec in part.settings["players"]
        ]
        assert halved == same.settings["players"]
        assert "game" not in same.settings  # results of before there was Go stay valid


@pytest.mark.parametrize("quick", [False, True])
def test_go_on_19x19_has_table_1(quick):
    parts = z_dial.parts(quick, game_id="go")
    assert {"R_th = 0.1, z = 2", "R_th = 0.1, z = -2", "R_th = 0.1, z = inf"} <= set(parts)
    assert all(key.startswith("R_th = 0.1") for key in parts)
