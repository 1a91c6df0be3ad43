"""The page of ``z_dial``: our tables beside the paper's, and its figures."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.strength.analysis import ELO_PER_NAT, Fit, linear_fit, logistic_fit
from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.opponents import both, distinct_text, pairs_of
from evenmatch_lab.wu2019.dial import DRAWS, Dial, curve, dials, elo_of_draws, openings_drawn
from evenmatch_lab.wu2019.dial_games import (
    INF,
    LINEAR,
    POWERS,
    USUAL,
    WEAK,
    Z,
    game_of,
    in_place_of_go,
)
from evenmatch_lab.wu2019.intervals import contains, elo_text, number_text, quantiles
from evenmatch_lab.wu2019.prediction import (
    PAPER_ELO,
    PAPER_GAMES,
    PAPER_RATES,
    Errors,
    added_up,
    at_own_positions,
    by_chance,
    errors,
    errors_drawn,
    pairs_by_z,
    paper_elo,
    paper_games,
    paper_shape,
    powered,
)

#: Wu et al. 2019, table 2: H.
PAPER_H = {0.02: 4.385, 0.05: 5.369, 0.1: 6.243, 0.25: 6.244, 0.5: 3.292}
#: The mean error of eq. 15 and of the logistic fit to E_norm, as the paper has them.
PAPER_EQ15, PAPER_E_NORM = 40.45, 10.51
STEPS_TO = (2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # the weaker of each step
LEAST = 5  # points of LINEAR by which a line is fitted


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
    if len(by_ratio) > 1:
        lines += ["", *threshold_lines(by_ratio)]
    spanned = [dial for dial in by_ratio if set(dial.points) >= {INF, 2.0, -2.0, -INF}]
    if spanned:
        lines += ["", *table_2(spanned)]
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
    return dial.has_ends and len(inside) >= LEAST and {2.0, -2.0} <= set(inside)


def opening_lines(dial: Dial, by_ratio: list[Dial]) -> list[str]:
    """Say what was played."""
    settings = dial.settings
    fewer = {other.settings["games"] for other in by_ratio} - {settings["games"]}
    elsewhere = f", {min(fewer)} at other thresholds" if fewer else ""
    return [
        f"{in_place_of_go(game_of(settings))}, {settings['simulations']} simulations a move (the "
        f"most visited move has {dial.mean('most_visits'):.0f} on average, the paper's about 259), "
        f"{settings['games']} games a point at R_th = 0.1 (paper {PAPER_GAMES}){elsewhere}, seed "
        f"{settings['seed']}. Every two games start from the same {settings['openings']} "
        "random plies, with either side; the paper has no openings. Elo is that of the score "
        "against z = 0, R_th = 0.1, draws as half. Intervals are 95%: of an Elo by pairs of games "
        f"from one opening, of what several points say by drawing openings again ({DRAWS:,} times, "
        "for all points at once). A point without any win or draw has a bound in place of an Elo; "
        f"no fit uses it. {distinct_text(dial.played)} at R_th = 0.1.",
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
    known = [d for d in by_ratio if d.candidates.r_th in PAPER_H and d.e_norm(-INF)]
    agrees = [d for d in known if contains(d.h()[1], PAPER_H[d.candidates.r_th])]
    differs = [d for d in known if d not in agrees]
    return (
        f"From z = 2 to -2 the dial spans {elo_text(gap, interval)} Elo; the interval {spans} the "
        f"paper's 830. It is {elo_by_z(dial).error:.0f} Elo off a straight line"
        f"{fewer_points(dial)} (paper 47.95). E_norm is {fit.error:.1f} Elo off a logistic curve, "
        f"{farther} the paper's {PAPER_E_NORM}. The interval of H holds the paper's value at R_th "
        f"{ratios_text(agrees)}, and not at {ratios_text(differs)}."
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
