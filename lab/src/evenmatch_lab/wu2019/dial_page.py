"""The page of ``z_dial``: our tables beside the paper's, and its figures."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evenmatch.ratings import Interval
from evenmatch.strength.analysis import ELO_PER_NAT, Fit, linear_fit, logistic_fit
from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.opponents import both, distinct_text, pairs_of
from evenmatch_lab.wu2019.dial import Dial, curve, dials, elo_text, number_text, quantiles
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, POWERS, USUAL, WEAK, Z
from evenmatch_lab.wu2019.foretold import (
    PAPER_ELO,
    Errors,
    added_up,
    at_own_positions,
    by_chance,
    errors,
    paper_elo,
    paper_shape,
    powered,
)

#: Wu et al. 2019, table 1: win rate in percent; table 2: H.
PAPER_RATES = (97.6, 94.4, 92.4, 91.2, 71.6, 50.0, 35.6, 21.6, 13.2, 12.4, 7.2)
PAPER_H = {0.02: 4.385, 0.05: 5.369, 0.1: 6.243, 0.25: 6.244, 0.5: 3.292}
PAPER_GAMES = 250
#: The mean error of eq. 15 and of the logistic fit to E_norm, as the paper has them.
PAPER_EQ15, PAPER_E_NORM = 40.45, "10.51, b0 -0.05, b1 1.17"
STEPS_TO = (2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # the weaker of each step
NO_DIAL = {"r_th": -1.0, "top": 0}  # settings of points with opponents of their own
BEFORE_OPENINGS = 98.6  # the error of eq. 15 here, 250 games a point without openings, seed 5


def plot(results: Results, path: Path) -> None:
    """Draw figures 1 and 2, 3, and 4."""
    by_ratio = sorted(dials(results, "R_th"), key=lambda dial: dial.candidates)
    for axes in figure(path, 3, height=4.2, width=13):
        for dial in by_ratio:
            draw_points(axes[0], dial)
        axes[0].set(title="figures 1, 2: Elo by z", xlabel="z", ylabel="Elo against z = 0")
        axes[0].legend(title="R_th", frameon=False, fontsize=8)
        ratios = [dial.candidates.r_th for dial in by_ratio]
        axes[1].plot(ratios, [dial.mean("candidates") for dial in by_ratio], "o-")
        axes[1].set(title="figure 3: candidates", xlabel="R_th", ylabel="moves to choose among")
        for dial in by_ratio:
            if dial.candidates == USUAL:
                draw_e_norm(axes[2], dial)
        for axis in axes:
            axis.grid(alpha=0.3)


def draw_points(axis, dial: Dial) -> None:
    """Draw Elo by z with 95% intervals; points with a bound alone as its arrow."""
    elo = dial.bounded(LINEAR)
    ends = np.array([dial.elo_interval(z) for z in elo]).reshape(-1, 2)
    values = np.array(list(elo.values()))
    reach = np.clip(np.abs(ends.T - values), 0, 1000)  # an end may be without bound
    bars = axis.errorbar(
        list(elo), values, reach, fmt="o-", ms=3, lw=1, capsize=2, label=f"{dial.candidates.r_th:g}"
    )
    color = bars.lines[0].get_color()
    for z in dial.points:
        if abs(z) <= 2 and z not in elo:
            low, high = dial.elo_interval(z)
            bound, way = (high, -100) if dial.elo(z) < 0 else (low, 100)
            axis.annotate(
                "", (z, bound + way), (z, bound), arrowprops={"arrowstyle": "->", "color": color}
            )
            axis.plot([z], [bound], "_", color=color)


def draw_e_norm(axis, dial: Dial) -> None:
    """Draw E_norm, and the points by eq. 15."""
    axis.plot(*curve(dial), label="E_norm")
    axis.set(title="figure 4: E_norm, R_th = 0.1", xlabel="z", ylabel="E_norm")
    if dial.has_ends:
        inside = dial.bounded(LINEAR)
        scale = ELO_PER_NAT * dial.h()[0]
        off = {z: (elo - dial.elo(INF)) / scale for z, elo in inside.items()}
        reach = [np.ptp(dial.elo_interval(z)) / 2 / scale for z in inside]
        axis.errorbar(
            list(off), list(off.values()), reach, fmt="o", ms=3, capsize=2, label="Elo / H"
        )
    axis.legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write the tables of those parts that are done."""
    by_ratio = sorted(dials(results, "R_th"), key=lambda dial: dial.candidates)
    usual = [dial for dial in by_ratio if dial.candidates == USUAL]
    lines = []
    for dial in usual:
        lines += [*opening_lines(dial, by_ratio), "", *table_1(dial), "", *fit_lines(dial)]
    lines += ["", *threshold_lines(by_ratio), "", *table_2(by_ratio)]
    for dial in usual:
        if complete(dial):
            lines += ["", *eq_15_lines(dial, results)]
    lines += ["", *top_lines(dials(results, "top"), usual)]
    for dial in usual:
        if complete(dial):
            lines += ["", *verdict_lines(dial, by_ratio)]
    return lines


def complete(dial: Dial) -> bool:
    """Whether there are the points that eq. 15 needs, and those that the span does."""
    inside = dial.bounded(LINEAR)
    return dial.has_ends and len(inside) > 2 and {2.0, -2.0} <= set(inside)


def opening_lines(dial: Dial, by_ratio: list[Dial]) -> list[str]:
    """Say what was played."""
    settings = dial.settings
    fewest = min(other.settings["games"] for other in by_ratio)
    return [
        f"Othello 8x8 in place of Go, {settings['simulations']} simulations a move (the most "
        f"visited move has {dial.mean('most_visits'):.0f} on average, the paper's about 259), "
        f"{settings['games']} games a point at R_th = 0.1 as in the paper and {fewest} elsewhere, "
        f"seed {settings['seed']}. Every two games start from the same {settings['openings']} "
        "random plies, with either side; the paper has no openings. Elo is that of the score "
        "against z = 0, R_th = 0.1, draws as half. Intervals are 95%: of an Elo by pairs of games "
        "from one opening, of what several points say by drawing openings again (2,000 times, for "
        "all points at once). A point without any win or draw has a bound in place of an Elo; no "
        f"fit uses it. {distinct_text(dial.played)} at R_th = 0.1.",
    ]


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
        mine = ["", ""] if dial.itself(z) else ["-", "-"]
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
    if dial.itself(z):
        return "itself"
    if z not in dial.points:
        return "-"
    return elo_text(dial.elo(z), dial.elo_interval(z))


def fit_lines(dial: Dial) -> list[str]:
    """Say how straight the dial is, and how near to what the visits foretell."""
    if not {2.0, -2.0} <= set(dial.bounded(LINEAR)):
        return ["Too few points with an Elo for a fit."]
    line = elo_by_z(dial)
    lines = [
        f"- Span over z in [-2, 2]: {elo_text(*dial.gap(2.0, -2.0))} Elo (paper 830).",
        f"- Linear regression error: {line.error:.1f} Elo (paper 47.95), slope "
        f"{line.parameters[0]:.0f} Elo per z (paper 238, by the same fit to its table).",
    ]
    if dial.has_ends:
        lines += [
            f"- Logistic regression of Elo: error {fit_text(elo_logistic(dial))} (paper 26.00, b0 "
            "-0.25, b1 1.16).",
            f"- Logistic regression of E_norm, in Elo by H: error {fit_text(e_norm_logistic(dial))}"
            f" (paper {PAPER_E_NORM}).",
            f"- H: {number_text(*dial.h())} (paper 6.243).",
            f"- Elo as E_norm and H foretell it (eq. 15): mean error "
            f"{errors(dial.bounded(Z), dial.shape()).pinned:.1f} Elo (paper {PAPER_EQ15}).",
        ]
    return lines


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
        if set(dial.points) >= {INF, 2.0, -2.0, -INF}:
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


def eq_15_lines(dial: Dial, results: Results) -> list[str]:
    """Say by experiment what the error of eq. 15 is due to."""
    lines = [
        "## Why eq. 15 errs",
        "",
        "Eq. 15 draws a curve through the Elo of z = inf and z = -inf. *Signed* is the mean of Elo "
        "less that curve, z in [-2, 2]; *ends fitted* is the mean error where both ends of the "
        "curve are fitted to the points between them. *By chance* is what these would be (mean, "
        "and 95% below) if eq. 15 were exact and every point played as many games.",
        "",
        "| what | z compared | signed | mean error | by chance | ends fitted | by chance |",
        "|---|---:|---:|---:|---:|---:|---:|",
        paper_line(),
    ]
    elo, shape = dial.bounded(Z), dial.shape()
    gap, games = dial.elo(INF) - dial.elo(-INF), dial.settings["games"]
    chance = by_chance(shape, gap, games, list(elo))
    lines.append(error_line("ours, as the paper", errors(elo, shape), len(elo) - 2, chance))
    own = at_own_positions(dial)
    lines.append(error_line("E_norm over each point's own games", errors(elo, own), len(own)))
    for power in POWERS:
        what = f"mean of R_i^{power:g} in place of eq. 3"
        lines.append(error_line(what, errors(elo, powered(dial, power)), len(elo) - 2))
    for more in dials(results, ""):
        if (
            more.candidates == USUAL
            and more.settings["simulations"] != dial.settings["simulations"]
        ):
            lines += more_lines(more, elo, shape)
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
    chance = by_chance(shape, float(PAPER_ELO[0] - PAPER_ELO[-1]), PAPER_GAMES)
    found = errors(paper_elo(), shape)
    return error_line(f"paper's table 1 (it says {PAPER_EQ15})", found, 9, chance)


def more_lines(more: Dial, elo: dict[float, float], shape: dict[float, float]) -> list[str]:
    """Compare with a longer search, at its points; and the usual one at the same."""
    found = more.bounded(Z)
    if not complete(more):
        return []
    same = {z: x for z, x in elo.items() if z in found}
    chance = by_chance(more.shape(), found[INF] - found[-INF], more.settings["games"], list(found))
    what = f"{more.settings['simulations']} simulations ({more.mean('most_visits'):.0f} visits)"
    return [
        error_line("ours, at the z below alone", errors(same, shape), len(same) - 2),
        error_line(what, errors(found, more.shape()), len(found) - 2, chance),
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
    # Each step is the strength of a player against its own opponent, as a dial's points are.
    drawn = Dial({z: part | {"settings": NO_DIAL} for z, part in steps.items()})
    low, high = quantiles(np.sum([drawn.elo_drawn(z) for z in steps], axis=0))
    return [
        line,
        "",
        f"From z = inf to -inf it is {gap:.0f} Elo by games against z = 0, and "
        f"{found[INF] - found[-INF]:.0f} ({low:.0f} to {high:.0f}) by the sum of six steps "
        f"({distinct_text(rows.values())}). By step, from the z named to the next: "
        f"{'; '.join(texts)}.",
    ]


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


def verdict_lines(dial: Dial, by_ratio: list[Dial]) -> list[str]:
    """Say what agrees with the paper, what does not, and why."""
    elo, shape = dial.bounded(Z), dial.shape()
    found, published = errors(elo, shape), errors(paper_elo(), paper_shape())
    gap = dial.elo(INF) - dial.elo(-INF)
    chance = by_chance(shape, gap, dial.settings["games"], list(elo))
    beyond = (chance[:, 1] >= found.pinned).mean()
    agrees = [
        f"{d.candidates.r_th:g}"
        for d in by_ratio
        if d.candidates.r_th in PAPER_H and holds(d.h(), PAPER_H[d.candidates.r_th])
    ]
    differs = [
        f"{d.candidates.r_th:g}"
        for d in by_ratio
        if d.candidates.r_th in PAPER_H and f"{d.candidates.r_th:g}" not in agrees
    ]
    return [
        "## What agrees, what does not, and why",
        "",
        f"From z = 2 to -2 the dial spans {elo_text(*dial.gap(2.0, -2.0))} Elo (paper 830), "
        f"{elo_by_z(dial).error:.0f} Elo off a straight line (47.95). E_norm has the paper's form: "
        f"a logistic curve with error {fit_text(e_norm_logistic(dial))} (paper {PAPER_E_NORM}). "
        f"The interval of H holds the paper's value at R_th {', '.join(agrees) or '-'}, and not at "
        f"{', '.join(differs) or '-'}.",
        "",
        f"Eq. 15 errs by {found.pinned:.1f} Elo (paper {PAPER_EQ15}; {BEFORE_OPENINGS} here "
        "without openings, by the same number of games). If it were exact, "
        f"{dial.settings['games']} games a point would show {chance[:, 1].mean():.0f} Elo on "
        f"average, and an error as large as ours in {beyond:.1%} of experiments. The paper's is no "
        "larger than what chance alone makes of its 250 games a point. The points between lie "
        f"{found.signed:+.0f} Elo from the curve on average ({published.signed:+.0f} in the paper, "
        "by the logistic curve of its E_norm). Such a shift of the whole curve is the error of its "
        "two ends, z = inf and -inf. Fitting both ends to the points between "
        f"leaves {found.free:.0f} Elo ({published.free:.0f} in the paper; by chance "
        f"{chance[:, 2].mean():.0f}). " + cause(dial, found),
    ]


def holds(value: tuple[float, Interval], other: float) -> bool:
    """Whether an interval holds another number."""
    low, high = value[1]
    return low <= other <= high


def cause(dial: Dial, found: Errors) -> str:
    """Say which mean of R_i over moves is nearest to the games."""
    elo = dial.bounded(Z)
    by_power = {power: errors(elo, powered(dial, power)).pinned for power in POWERS}
    best = min(by_power, key=lambda power: by_power[power])
    if best < 0 and by_power[best] < found.pinned:
        return (
            f"A mean that the worst moves decide, of R_i^{best:g}, brings the error to "
            f"{by_power[best]:.0f} Elo: eq. 3 lets good moves make up for bad ones, and in a game "
            "one blunder is enough to lose."
        )
    return (
        "No other mean over moves comes nearer to the games than eq. 3's by much (the best, of "
        f"R_i^{best:g}, errs by {by_power[best]:.0f} Elo)."
    )
