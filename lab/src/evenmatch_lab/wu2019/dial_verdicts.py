"""What agrees with the paper, what does not, and why: the end of the page of ``z_dial``."""

import numpy as np

from evenmatch_lab.shared.intervals import contains, elo_text, quantiles
from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_eq_15 import paper_chance
from evenmatch_lab.wu2019.dial_fits import PAPER_E_NORM, e_norm_logistic, elo_by_z, fewer_points
from evenmatch_lab.wu2019.dial_games import INF, POWERS, Z
from evenmatch_lab.wu2019.dial_tables import PAPER_H
from evenmatch_lab.wu2019.prediction import (
    PAPER_EQ15,
    PAPER_GAMES,
    by_chance,
    errors,
    errors_drawn,
    pairs_by_z,
    paper_elo,
    paper_shape,
    powered,
)


def verdict_lines(dial: Dial, by_ratio: list[Dial]) -> list[str]:
    """Say what agrees with the paper, what does not, and why."""
    return [
        "## What agrees, what does not, and why",
        "",
        dial_verdict(dial, by_ratio),
        "",
        eq_15_verdict(dial),
        "",
        *mean_lines(dial),
    ]


def dial_verdict(dial: Dial, by_ratio: list[Dial]) -> str:
    """Compare span, straightness, the form of E_norm, and H."""
    gap, interval = dial.gap(2.0, -2.0)
    spans = "holds" if contains(interval, 830) else "leaves out"
    fit = e_norm_logistic(dial)
    farther = "farther than" if fit.error > PAPER_E_NORM else "no farther than"
    known = [d for d in by_ratio if d.candidates.r_th in PAPER_H and d.has_ends and d.e_norm(-INF)]
    found = [(d, d.h()[1]) for d in known]
    agrees = [d for d, ends in found if contains(ends, PAPER_H[d.candidates.r_th])]
    differs = [d for d in known if d not in agrees]
    empty = [d for d, ends in found if d in agrees and contains(ends, 0)]
    told = [d for d in agrees if d not in empty]
    nothing = f"; at {ratios_text(empty)} it holds 0 too, and says nothing" if empty else ""
    return (
        f"From z = 2 to -2 the dial spans {elo_text(gap, interval)} Elo; the interval {spans} the "
        f"paper's 830. It is {elo_by_z(dial).error:.0f} Elo off a straight line"
        f"{fewer_points(dial)} (paper 47.95). E_norm is {fit.error:.1f} Elo off a logistic curve, "
        f"{farther} the paper's {PAPER_E_NORM}. The interval of H holds the paper's value at R_th "
        f"{ratios_text(told)}, and not at {ratios_text(differs)}{nothing}."
    )


def ratios_text(by_ratio: list[Dial]) -> str:
    """List threshold ratios."""
    return ", ".join(f"{dial.candidates.r_th:g}" for dial in by_ratio) or "none"


def eq_15_verdict(dial: Dial) -> str:
    """Say how much of the error of eq. 15 chance explains, and how much its two ends."""
    elo, shape = dial.bounded(Z), dial.shape()
    found, published = errors(elo, shape), errors(paper_elo(), paper_shape())
    chance = by_chance(shape, elo[INF] - elo[-INF], pairs_by_z(dial))
    beyond = (chance[:, 1] >= found.pinned).mean()
    theirs = (paper_chance()[:, 1] >= PAPER_EQ15).mean()
    left = (chance[:, 2] >= found.free).mean()
    return (
        f"Eq. 15 errs by {found.pinned:.1f} Elo (paper {PAPER_EQ15}). If it were exact, an error "
        f"as large would come in {beyond:.1%} of experiments with as many pairs (the paper's, in "
        f"{theirs:.1%} with its {PAPER_GAMES} games a point), each point drawn alone. The points "
        f"between lie {found.signed:+.0f} Elo from the curve on average ({published.signed:+.0f} "
        "in the paper, by the logistic curve of its E_norm). Where both ends are fitted "
        f"to the points between, {found.free:.0f} Elo are left ({published.free:.0f} in the "
        f"paper); as much would be left in {left:.1%} of experiments."
    )


def mean_lines(dial: Dial) -> list[str]:
    """Say which means over moves come nearer to the games than eq. 3's."""
    elo, usual = dial.bounded(Z), errors_drawn(dial, dial.shape())[:, 1]
    own = errors(elo, dial.shape()).pinned
    lines, nearer = [], []
    for power in POWERS:
        shape = powered(dial, power)
        with np.errstate(invalid="ignore"):
            drawn = errors_drawn(dial, shape)[:, 1] - usual
        low, high = quantiles(drawn, 1 - 0.05 / len(POWERS))
        off = errors(elo, shape).pinned
        if high < 0:
            nearer.append(f"R_i^{power:g}")
        lines.append(
            f"- R_i^{power:g}: errs by {off:.1f} Elo, {off - own:+.1f} ({low:+.1f} to {high:+.1f}) "
            f"against eq. 3: {'nearer' if high < 0 else 'farther' if low > 0 else 'undecided'}."
        )
    return [
        "Eq. 3 takes the mean of ln R_i over moves, by which good moves make up for a blunder. In "
        "its place the power means of R_i: below 0 the worst moves count most, above 0 the best. "
        f"Intervals draw openings again, and leave E_norm as it is; as {len(POWERS)} means are "
        "tried, each interval leaves out 5% divided by as many. Nearer to the games than eq. 3: "
        f"{', '.join(nearer) or 'none is shown to be'}.",
        "",
        *lines,
    ]
