"""The dial against GNU Go's levels, from made-up games."""

from evenmatch_lab.wu2019 import z_levels


def test_every_point_meets_every_level():
    parts = z_levels.parts(quick=False)
    for game_id, size in z_levels.SIZES.items():
        met = [
            (float(x.settings["z"]), x.settings["level"])
            for x in parts.values()
            if x.settings["game"] == game_id
        ]
        assert sorted(met) == sorted((z, level) for z in size.zs for level in size.levels)
