"""Curves fitted to a dial: how straight Elo is by z, and how near to a logistic curve."""

import numpy as np

from evenmatch.strength.analysis import Fit, linear_fit, logistic_fit
from evenmatch_lab.shared.intervals import elo_text, number_text
from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, Z
from evenmatch_lab.wu2019.prediction import PAPER_EQ15, errors

#: The mean error of the logistic fit to E_norm, as the paper has it.
PAPER_E_NORM = 10.51
LEAST = 5  # points of LINEAR by which a line is fitted


def complete(dial: Dial) -> bool:
    """Whether there are the points that eq. 15 needs, and those that the span does."""
    inside = dial.bounded(LINEAR)
    return dial.has_ends and len(inside) >= LEAST and {2.0, -2.0} <= set(inside)


def fit_lines(dial: Dial) -> list[str]:
    """Say how straight the dial is, and how near to what the visits predict."""
    if not {2.0, -2.0} <= set(dial.points):
        return ["z = 2 and z = -2 are not both played yet."]
    lines = [f"- Span over z in [-2, 2]: {elo_text(*dial.gap(2.0, -2.0))} Elo (paper 830)."]
    fitted = dial.bounded(LINEAR)
    if len(fitted) >= LEAST:
        line = elo_by_z(dial)
        lines.append(
            f"- Linear regression error: {line.error:.1f} Elo{fewer_points(dial)} (paper 47.95), "
            f"slope {line.parameters[0]:.0f} Elo per z (paper 238, by the same fit to its table)."
        )
    if complete(dial):
        lines += [
            f"- Logistic regression of Elo: error {fit_text(elo_logistic(dial))} (paper 26.00, b0 "
            "-0.25, b1 1.16).",
            f"- Logistic regression of E_norm, in Elo by H: error {fit_text(e_norm_logistic(dial))}"
            f" (paper {PAPER_E_NORM}, b0 -0.05, b1 1.17).",
            f"- H: {number_text(*dial.h())} (paper 6.243).",
            f"- Elo as E_norm and H predict it (eq. 15): mean error "
            f"{errors(dial.bounded(Z), dial.shape()).pinned:.1f} Elo (paper {PAPER_EQ15}).",
        ]
    return lines


def fewer_points(dial: Dial) -> str:
    """Say how many points in [-2, 2] have an Elo, if not all have."""
    there = len(dial.bounded(LINEAR))
    return "" if there == len(LINEAR) else f" by {there} of {len(LINEAR)} points"


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
