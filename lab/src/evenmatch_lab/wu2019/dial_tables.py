"""Tables of the page of ``z_dial``: Elo by z, by threshold ratio, and of the n best moves."""

import math

from evenmatch_lab.shared.intervals import elo_text, number_text, quantiles
from evenmatch_lab.shared.opponents import both, distinct_text
from evenmatch_lab.wu2019.dial import Dial
from evenmatch_lab.wu2019.dial_fits import e_norm_logistic, elo_by_z, elo_logistic, fit_text
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, WEAK, Z
from evenmatch_lab.wu2019.prediction import PAPER_ELO, PAPER_RATES, errors

#: Wu et al. 2019, table 2: H.
PAPER_H = {0.02: 4.385, 0.05: 5.369, 0.1: 6.243, 0.25: 6.244, 0.5: 3.292}


def table_1(dial: Dial) -> list[str]:
    """Set Elo by z beside the paper's."""
    lines = [
        "## Table 1: Elo by z, R_th = 0.1",
        "",
        "| z | win rate, paper | win rate, ours (draws half) | drawn | Elo above z = 0, paper "
        "| Elo, ours | distinct games |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    even = PAPER_ELO[Z.index(0.0)]
    for z, rate, elo in zip(Z, PAPER_RATES, PAPER_ELO, strict=True):
        mine = ["", ""] if dial.is_opponent(z) else ["-", "-"]
        distinct = ""
        if z in dial.points:
            row = dial.points[z]
            score = both(row)
            mine = [f"{score.fraction:.1%}", f"{score.draws / score.games:.1%}"]
            distinct = row["distinct"]
        lines.append(
            f"| {z:g} | {rate}% | {' | '.join(mine)} | {elo - even:+d} | {point_text(dial, z)} | "
            f"{distinct} |"
        )
    return lines


def point_text(dial: Dial, z: float) -> str:
    """Write a point's Elo; - if it is not there."""
    if dial.is_opponent(z):
        return "itself"
    if z not in dial.points:
        return "-"
    return elo_text(dial.elo(z), dial.elo_interval(z))


def threshold_lines(by_ratio: list[Dial]) -> list[str]:
    """Write figure 2 as a table."""
    lines = [
        "## Figure 2: Elo by z and threshold ratio",
        "",
        f"| z | {' | '.join(f'R_th = {dial.candidates.r_th:g}' for dial in by_ratio)} |",
        f"|---:|{'---:|' * len(by_ratio)}",
    ]
    for z in Z:
        cells = [point_text(dial, z) for dial in by_ratio]
        lines.append(f"| {z:g} | {' | '.join(cells)} |")
    distinct = [f"{dial.candidates.r_th:g}: {distinct_text(dial.played)}" for dial in by_ratio]
    return [*lines, "", f"By R_th, {'; '.join(distinct)}."]


def table_2(by_ratio: list[Dial]) -> list[str]:
    """Write H by threshold ratio, and the fits of each."""
    lines = [
        "## Table 2: H by threshold ratio",
        "",
        "| R_th | paper: H | ours: H | E_norm(-inf) | Elo(inf) - Elo(-inf) | Elo(2) - Elo(-2) "
        "| candidates | positions |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    fits = [
        "| R_th | left out of the fits | linear error | logistic error, Elo | ... E_norm "
        "| eq. 15 error |",
        "|---:|---|---:|---|---|---:|",
    ]
    for dial in by_ratio:
        lines.append(threshold_line(dial))
        fits.append(fits_line(dial))
    return [*lines, "", *fits]


def threshold_line(dial: Dial) -> str:
    """Write a threshold's line of table 2."""
    r_th = dial.candidates.r_th
    h = number_text(*dial.h()) if dial.e_norm(-INF) else "-"
    low, high = quantiles(dial.lowest_drawn())
    return (
        f"| {r_th:g} | {PAPER_H.get(r_th, '-')} | {h} | {dial.e_norm(-INF):.2f} ({low:.2f} to "
        f"{high:.2f}) | {elo_text(*dial.gap(INF, -INF))} | {elo_text(*dial.gap(2.0, -2.0))} | "
        f"{dial.mean('candidates'):.2f} | {dial.positions.sum()} |"
    )


def fits_line(dial: Dial) -> str:
    """Write what fits there are to a threshold's points."""
    elo = dial.bounded(LINEAR)
    out = ", ".join(f"{z:g}" for z in dial.points if not math.isfinite(dial.elo(z))) or "none"
    cells = [f"{dial.candidates.r_th:g}", out]
    cells.append(f"{elo_by_z(dial).error:.1f}" if len(elo) > 2 else "-")
    if dial.has_ends and len(elo) > 2:
        cells += [fit_text(elo_logistic(dial)), fit_text(e_norm_logistic(dial))]
        cells.append(f"{errors(dial.bounded(Z), dial.shape()).pinned:.1f}")
    else:
        cells += ["no end of the curve"] * 2 + ["-"]
    return f"| {' | '.join(cells)} |"


def top_lines(tops: list[Dial], usual: list[Dial]) -> list[str]:
    """Set the n best moves (Sephton et al. 2015) beside the threshold ratio."""
    rows = sorted(tops, key=lambda dial: dial.candidates.top) + usual
    zs = [z for z in Z if tops and z in tops[0].points]
    lines = [
        "## The n best moves in place of a threshold ratio",
        "",
        "Sephton et al. 2015 choose among the n most visited moves; R_th is 0 then. *Weak* is the "
        f"share of positions with a candidate that has less than {WEAK:g} of the most visits; with "
        "R_th = 0.1 there is none.",
        "",
        f"| candidates | mean number | weak | E_norm(-inf) | "
        f"{' | '.join(f'Elo, z = {z:g}' for z in zs)} | distinct |",
        f"|---|---:|---:|---:|{'---:|' * (len(zs) + 1)}",
    ]
    for dial in rows:
        r_th, top = dial.candidates
        cells = [
            f"top {top}" if top else f"R_th = {r_th:g}",
            f"{dial.mean('candidates'):.2f}",
            f"{dial.mean('weak'):.0%}",
            f"{dial.e_norm(-INF):.2f}",
            *(point_text(dial, z) for z in zs),
            distinct_text(dial.played).removesuffix(" games are distinct"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    shares = [f"{dial.mean('weak'):.0%} (n = {dial.candidates.top})" for dial in rows[: len(tops)]]
    lines += [
        "",
        f"With the n best moves a weak one may be played in {', '.join(shares)} of positions: "
        "where few moves are good, a fixed number takes in others.",
    ]
    return lines if tops else []
