"""Figures of the index z of Wu et al. 2019."""

import numpy as np

from evenmatch.strength.analysis import linear_fit
from evenmatch_lab.figures.texts import table, whole
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.opponents import both, pairs_of
from evenmatch_lab.wu2019.dial import dials
from evenmatch_lab.wu2019.dial_games import LINEAR, USUAL, Z
from evenmatch_lab.wu2019.dial_page import elo_by_z
from evenmatch_lab.wu2019.dynamic_z import (
    LATE,
    OPPONENTS,
    PAPER_INTER,
    PAPER_ROUNDS,
    inter_rows,
    mean_z,
)
from evenmatch_lab.wu2019.foretold import PAPER_ELO

STRONG, WEAK = 2.0, -2.0  #: z, between which Elo is told


def z_dial(rows: Results) -> dict[str, str]:
    """Elo between z = 2 and z = -2, and how straight the dial is."""
    dial = dials(rows, f"R_th = {USUAL.r_th:g}")[0]
    gap, (low, high) = dial.gap(STRONG, WEAK)
    theirs = dict(zip(Z, PAPER_ELO, strict=True))
    ours, paper = (
        elo_by_z(dial),
        linear_fit(np.array(LINEAR), np.array([theirs[z] for z in LINEAR])),
    )
    span = f"{whole(gap)} ({whole(low)} to {whole(high)})"
    lines = [
        ["Elo between z = 2 and z = -2", span, f"{theirs[STRONG] - theirs[WEAK]}"],
        ["linear regression error, Elo", f"{ours.error:.1f}", "47.95"],
        ["Elo of a step of 1 in z", *(f"{fit.parameters[0]:.0f}" for fit in (ours, paper))],
    ]
    return {
        "span": whole(gap),
        "error": f"{ours.error:.0f}",
        "games": str(dial.settings["games"]),
        "openings": str(dial.settings["openings"]),
        "table": table(["", "ours", "paper"], lines),
    }


def dynamic_z(rows: Results) -> dict[str, str]:
    """Games won and average z against opponents of fixed z, with adjustment between games."""
    found = inter_rows(rows)
    series = [found[z] for z in OPPONENTS]
    played = [row["after"][str(PAPER_ROUNDS)] for row in series]
    z = [np.array(row["z"])[:, :PAPER_ROUNDS] for row in series]  # [series, games]
    papers = PAPER_INTER["rate"], PAPER_INTER["z"]
    won = [f"{both(x).fraction:.1%} ({p})" for x, p in zip(played, papers[0], strict=True)]
    average = [f"{x.mean():.2f} ({p})" for x, p in zip(z, papers[1], strict=True)]
    lines = [
        ["games won, draws half (paper)", *won],
        ["average z (paper)", *average],
        [f"... from game {LATE + 1} on", *(f"{x[:, LATE:].mean():.2f}" for x in z)],
    ]
    halves = [(high - low) / 2 for low, high in (pairs_of(row).interval() for row in played)]
    second = [mean_z(x[:, PAPER_ROUNDS // 2 :])[0] for x in z]
    short = [abs(own) - abs(x.mean()) for own, x in zip(OPPONENTS, z, strict=True)]
    return {
        "table": table(["opponent's z", *(f"{own:g}" for own in OPPONENTS)], lines),
        "games": str(both(played[0]).games),
        "half": f"{100 * max(halves):.1f}",
        "short": f"{max(short[0], short[-1]):.1f}",
        "second.first": f"{second[0]:.2f}",
        "second.last": f"{second[-1]:.2f}",
    }
