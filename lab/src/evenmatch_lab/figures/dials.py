"""Figures of the index z of Wu et al. 2019, of those parts that are done."""

import numpy as np

from evenmatch.strength.analysis import linear_fit
from evenmatch_lab.figures.texts import table, whole
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.intervals import elo_text
from evenmatch_lab.wu2019.dial import Dial, dials
from evenmatch_lab.wu2019.dial_fits import LEAST, elo_by_z, fewer_points
from evenmatch_lab.wu2019.dial_games import LINEAR, USUAL, Z
from evenmatch_lab.wu2019.dynamic_z import (
    LATE,
    OPPONENTS,
    PAPER_INTER,
    PAPER_ROUNDS,
    inter_rows,
    series_mean,
)
from evenmatch_lab.wu2019.prediction import PAPER_ELO

STRONG, WEAK = 2.0, -2.0  #: z, between which Elo is told


def z_dial(rows: Results) -> dict[str, str]:
    """Elo between z = 2 and z = -2, and how straight the dial is as soon as points say it."""
    dial = dials(rows, f"R_th = {USUAL.r_th:g}")[0]
    gap, interval = dial.gap(STRONG, WEAK)
    theirs = dict(zip(Z, PAPER_ELO, strict=True))
    paper = f"{theirs[STRONG] - theirs[WEAK]:+}"
    lines = [["Elo between z = 2 and z = -2", elo_text(gap, interval), paper]]
    straight = "how straight the dial is, has not been measured yet"
    if len(dial.bounded(LINEAR)) >= LEAST:
        lines += straight_lines(dial, theirs)
        straight = f"{elo_by_z(dial).error:.0f} Elo off a straight line{fewer_points(dial)}"
    return {
        "span": whole(gap) if np.isfinite(gap) else elo_text(gap, interval),
        "straight": straight,
        "table": table(["", "ours", "paper"], lines),
    }


def straight_lines(dial: Dial, theirs: dict[float, int]) -> list[list[str]]:
    """Return the lines of a straight line's fit to Elo, ours and the paper's."""
    ours = elo_by_z(dial)
    paper = linear_fit(np.array(LINEAR), np.array([theirs[z] for z in LINEAR]))
    return [
        [f"linear regression error, Elo{fewer_points(dial)}", f"{ours.error:.1f}", "47.95"],
        ["Elo of a step of 1 in z", *(f"{fit.parameters[0]:.0f}" for fit in (ours, paper))],
    ]


def dynamic_z(rows: Results) -> dict[str, str]:
    """Games won and average z against opponents of fixed z, with adjustment between games."""
    found = inter_rows(rows)
    if not found:
        raise LookupError("no series is done")
    papers = {z: (PAPER_INTER["rate"][i], PAPER_INTER["z"][i]) for i, z in enumerate(OPPONENTS)}
    won, average, late = [], [], []
    for opponent, row in found.items():
        points, z = (np.array(row[key])[:, :PAPER_ROUNDS] for key in ("points", "z"))
        rate, paper_z = papers[opponent]
        won.append(f"{points.mean():.1%} ({rate})")
        average.append(f"{z.mean():.2f} ({paper_z})")
        mean, (low, high) = series_mean(z[:, LATE:])
        late.append(f"{mean:.2f} ± {(high - low) / 2:.2f}")
    lines = [
        ["games won, draws half (paper)", *won],
        ["average z (paper)", *average],
        [f"... from game {LATE + 1} on (95%)", *late],
    ]
    return {"table": table(["opponent's z", *(f"{own:g}" for own in found)], lines)}
