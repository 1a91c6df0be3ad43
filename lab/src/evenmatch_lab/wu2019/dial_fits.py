"""Curves fitted to a dial: how straight Elo is by z, and how near to a logistic curve."""

import numpy as np

from evenmatch_lab.shared.intervals import elo_text, number_text
from evenmatch_lab.wu2019.analysis import Fit, linear_fit, logistic_fit
from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z
from evenmatch_lab.wu2019.prediction import PAPER_EQ15, errors

#: The mean error of the logistic fit to E_norm, as the paper has it.
PAPER_E_NORM = 10.51
LOGISTIC = "26.00 Elo, b0 -0.25, b1 1.16"  #: the paper's
LOGISTIC_E = f"{PAPER_E_NORM} Elo, b0 -0.05, b1 1.17"
LEAST = 5  # points of LINEAR by which a line is fitted


def complete(dial: Dial) -> bool:
    """Whether there are the points that eq. 15 needs, and those that the span does."""
    inside = dial.bounded(LINEAR)
    return dial.has_ends and len(inside) >= LEAST and {2.0, -2.0} <= set(inside)


def fit_rows(dial: Dial) -> list[list[str]]:
    """Return how straight the dial is, and how near to what the visits predict, by the paper's."""
    if not {2.0, -2.0} <= set(dial.points):
        return []
    rows = [["Elo from z = -2 to 2 (95%)", elo_text(*dial.gap(2.0, -2.0)), "830"]]
    fitted = dial.bounded(LINEAR)
    if len(fitted) >= LEAST:
        line, points = elo_by_z(dial), f"points of {len(LINEAR)} with an Elo"
        rows += [
            [points, str(len(fitted)), str(len(LINEAR))],
            ["linear regression: error, Elo", f"{line.error:.1f}", "47.95"],
            ["linear regression: slope, Elo a z", f"{line.parameters[0]:.0f}", "238"],
        ]
    if complete(dial):
        pinned = errors(dial.bounded(Z), dial.shape()).pinned
        rows += [
            ["logistic regression of Elo", fit_text(elo_logistic(dial)), LOGISTIC],
            ["logistic regression of E_norm, by H", fit_text(e_norm_logistic(dial)), LOGISTIC_E],
            ["H (95%)", number_text(*dial.h()), "6.243"],
            ["Elo by E_norm and H (eq. 15): mean error", f"{pinned:.1f}", str(PAPER_EQ15)],
        ]
    return rows


def elo_by_z(dial: Dial) -> Fit:
    """Fit a line to the Elo of the points in [-2, 2] that have one."""
    elo = dial.bounded(LINEAR)
    return linear_fit(np.array(list(elo)), np.array(list(elo.values())))


def elo_logistic(dial: Dial) -> Fit:
    """Fit a logistic curve between the ends to the same."""
    elo = dial.bounded(LINEAR)
    return logistic_fit(
        np.array(list(elo)), np.array(list(elo.values())), dial.elo(-INF), dial.elo(INF)
    )


def e_norm_logistic(dial: Dial) -> Fit:
    """Fit a logistic curve to E_norm in Elo, H E_norm(z), at the nine z of the paper."""
    gap = dial.elo(-INF) - dial.elo(INF)
    values = np.array([gap * share for share in dial.shape().values()])
    return logistic_fit(np.array(LINEAR), values, gap, 0.0)


def fit_text(fit: Fit) -> str:
    """Write a logistic fit."""
    return f"{fit.error:.1f} Elo, b0 {fit.parameters[0]:.2f}, b1 {fit.parameters[1]:.2f}"
