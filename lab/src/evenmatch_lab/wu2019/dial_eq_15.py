"""What the error of eq. 15 is due to: the part of the page of ``z_dial`` that tells."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evenmatch_lab.runner import Results
from evenmatch_lab.shared.intervals import elo_text, quantiles
from evenmatch_lab.shared.opponents import distinct_text, pairs_of
from evenmatch_lab.wu2019.dial import Dial, dials, elo_of_draws, openings_drawn
from evenmatch_lab.wu2019.dial_fits import complete
from evenmatch_lab.wu2019.dial_games import INF, POWERS, USUAL, Z
from evenmatch_lab.wu2019.prediction import (
    PAPER_ELO,
    PAPER_EQ15,
    Errors,
    added_up,
    at_own_positions,
    by_chance,
    errors,
    pairs_by_z,
    paper_elo,
    paper_games,
    paper_shape,
    powered,
)

STEPS_TO = (2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # the weaker of each step


def eq_15_lines(dial: Dial, results: Results) -> list[str]:
    """Say by experiment what the error of eq. 15 is due to."""
    lines = [
        "## Why eq. 15 errs",
        "",
        "Eq. 15 draws a curve through the Elo of z = inf and z = -inf. *Signed* is the mean of Elo "
        "less that curve, z in [-2, 2]; *ends fitted* is the mean error where both ends of the "
        "curve are fitted to the points between them. *By chance*: if eq. 15 were exact and every "
        "point played as often, the error beside it would have this mean, and stay below the "
        "second number in 95% of experiments. What is drawn anew are pairs of games from one "
        "opening, by the probabilities likeliest to give a point's pairs and the curve's mean, of "
        "each point alone; of the paper, games.",
        "",
        "| what | z compared | signed | mean error | by chance | ends fitted | by chance |",
        "|---|---:|---:|---:|---:|---:|---:|",
        paper_line(),
    ]
    elo, shape = dial.bounded(Z), dial.shape()
    gap = dial.elo(INF) - dial.elo(-INF)
    chance = by_chance(shape, gap, pairs_by_z(dial))
    lines.append(error_line("ours, as the paper", errors(elo, shape), len(elo) - 2, chance))
    own = at_own_positions(dial)
    lines.append(error_line("E_norm over each point's own games", errors(elo, own), len(own)))
    for power in POWERS:
        what = f"mean of R_i^{power:g} in place of eq. 3"
        lines.append(error_line(what, errors(elo, powered(dial, power)), len(elo) - 2))
    for longer in dials(results, ""):
        if (
            longer.candidates == USUAL
            and longer.settings["simulations"] != dial.settings["simulations"]
        ):
            lines += longer_lines(longer, elo, shape)
    found = [part for key, part in results.items() if key.startswith("step")]
    steps = {float(part["settings"]["z"]): part for part in found}
    if {float(part["settings"]["lower"]) for part in found} == set(STEPS_TO):
        lines += steps_lines(steps, dial, gap)
    return lines


def error_line(what: str, found: Errors, points: int, chance=None) -> str:
    """Write errors, and what chance alone would make of them."""
    by = ["-", "-"]
    if chance is not None:
        by = [f"{chance[:, i].mean():.1f}, {np.quantile(chance[:, i], 0.95):.1f}" for i in (1, 2)]
    return (
        f"| {what} | {points} | {found.signed:+.1f} | {found.pinned:.1f} | {by[0]} | "
        f"{found.free:.1f} | {by[1]} |"
    )


def paper_line() -> str:
    """Write the paper's errors, from its table 1 and the logistic curve of its E_norm."""
    shape = paper_shape()
    found = errors(paper_elo(), shape)
    return error_line(f"paper's table 1 (it says {PAPER_EQ15})", found, 9, paper_chance())


def paper_chance() -> NDArray[np.float64]:
    """Return the errors that chance alone makes of the paper's games; ``by_chance``."""
    return by_chance(paper_shape(), float(PAPER_ELO[0] - PAPER_ELO[-1]), paper_games())


def longer_lines(longer: Dial, elo: dict[float, float], shape: dict[float, float]) -> list[str]:
    """Compare with a longer search, at its points; and the usual one at the same."""
    found = longer.bounded(Z)
    if not complete(longer):
        return []
    same = {z: x for z, x in elo.items() if z in found}
    chance = by_chance(longer.shape(), found[INF] - found[-INF], pairs_by_z(longer))
    what = f"{longer.settings['simulations']} simulations ({longer.mean('most_visits'):.0f} visits)"
    return [
        error_line("ours, at the z below alone", errors(same, shape), len(same) - 2),
        error_line(what, errors(found, longer.shape()), len(found) - 2, chance),
    ]


def steps_lines(steps: Mapping[float, dict], dial: Dial, gap: float) -> list[str]:
    """Say what Elo is where each point meets the next in place of z = 0."""
    rows = {z: part["point"] for z, part in steps.items()}
    elo = {z: pairs_of(row).elo for z, row in rows.items()}
    if not all(map(math.isfinite, elo.values())):
        return ["", "A step between neighbours was won throughout: its Elo has no bound."]
    found = added_up(elo)
    line = error_line("each point meets the next", errors(found, dial.shape()), len(found) - 2)
    texts = [f"{z:g}: {elo_text(elo[z], pairs_of(row).elo_interval())}" for z, row in rows.items()]
    openings = openings_drawn(len(next(iter(rows.values()))["halves"]))
    drawn = [elo_of_draws(openings, row["halves"]) for row in rows.values()]  # all from the same
    with np.errstate(invalid="ignore"):  # of infinite steps either way nothing is known
        low, high = quantiles(np.sum(drawn, axis=0))
    return [
        line,
        "",
        f"From z = inf to -inf it is {gap:.0f} Elo by games against z = 0, and "
        f"{found[INF] - found[-INF]:.0f} ({low:.0f} to {high:.0f}) by the sum of {len(steps)} "
        f"steps ({distinct_text(rows.values())}). By step, from the z named to the next: "
        f"{'; '.join(texts)}.",
    ]
