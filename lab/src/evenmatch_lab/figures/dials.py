"""Figures of the index z of Wu et al. 2019."""

import numpy as np

from evenmatch.strength.analysis import linear_fit
from evenmatch_lab.figures.texts import span, table
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.opponents import score_of
from evenmatch_lab.wu2019.dynamic_z import PAPER_INTER
from evenmatch_lab.wu2019.z_dial import LINEAR, PAPER_ELO, Z, elo_of, span_text

FIRST = "R_th = 0.1"  #: the threshold ratio of the paper's main table


def z_dial(rows: Results) -> dict[str, str]:
    """Elo between z = 2 and z = -2, and how straight the dial is."""
    elo = elo_of(rows[FIRST])
    theirs = dict(zip(Z, PAPER_ELO, strict=True))
    ours, paper = (
        linear_fit(np.array(LINEAR), np.array([known[z] for z in LINEAR]))
        for known in (elo, theirs)
    )
    spans = span_text(rows[FIRST]), f"{theirs[2.0] - theirs[-2.0]}"
    lines = [
        ["Elo between z = 2 and z = -2", *spans],
        ["linear regression error, Elo", f"{ours.error:.1f}", "47.95"],
        ["Elo of a step of 1 in z", *(f"{fit.parameters[0]:.0f}" for fit in (ours, paper))],
    ]
    return {
        "span": spans[0].partition(" ")[0],
        "error": f"{ours.error:.0f}",
        "games": str(rows[FIRST]["settings"]["games"]),
        "table": table(["", "ours", "paper"], lines),
    }


def dynamic_z(rows: Results) -> dict[str, str]:
    """Games won and average z against opponents of fixed z, with adjustment between games."""
    faced = rows["inter-game"]["opponents"]
    scores = [score_of(row["score"]) for row in faced.values()]
    z = [np.array(row["z"]) for row in faced.values()]  # [repeat, game] of each opponent
    won = [
        f"{score.fraction:.1%} ({paper})"
        for score, paper in zip(scores, PAPER_INTER["rate"], strict=True)
    ]
    average = [f"{x.mean():.2f} ({paper})" for x, paper in zip(z, PAPER_INTER["z"], strict=True)]
    lines = [
        ["games won, draws half (paper)", *won],
        ["average z (paper)", *average],
        ["... from game 21 on", *(f"{x[:, 20:].mean():.2f}" for x in z)],
    ]
    halves = [(high - low) / 2 for low, high in (score.interval() for score in scores)]
    second = [x[:, x.shape[1] // 2 :].mean() for x in z]
    opponents = [float(name) for name in faced]
    short = [abs(own) - abs(x.mean()) for own, x in zip(opponents, z, strict=True)]
    return {
        "table": table(["opponent's z", *(f"{own:g}" for own in opponents)], lines),
        "games": str(scores[0].games),
        "half": f"{100 * max(halves):.1f}",
        "short": f"{max(short[0], short[-1]):.1f}",
        "second.first": f"{second[0]:.2f}",
        "second.last": f"{second[-1]:.2f}",
        "won": span((score.fraction for score in scores), ".0%"),
    }
