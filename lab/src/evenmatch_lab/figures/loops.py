"""Figures of levels and opponents on people and players that nobody knows."""

import numpy as np

from evenmatch_lab.ours import closed_loop as loop
from evenmatch_lab.ours import self_estimate as looks
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.imbalances import drawn_mean


def closed_loop(rows: Results) -> dict[str, str]:
    """The mean of |W - L| by way, with its 95% interval, of the stand-ins that were met."""
    return {
        way: drawn_mean({name: row["row"] for name, row in found.items()}).text()
        for way, found in loop.by_way(rows).items()
        if way in loop.AIMS
    }


def self_estimate(rows: Results) -> dict[str, str]:
    """How far players look from the rating asked for, on average over ratings."""
    figures = {}
    for name, some in looks.by_player(rows).items():
        off = [looks.looks(row)[0] - row["settings"]["asked"] for row in some]
        figures[name] = f"{np.abs(off).mean():.0f}"
    return figures
