"""The page of ``z_dial``: tables 1 and 2 of Wu et al. 2019 beside ours, and figures 1 to 4."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch_lab.pages import table
from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.intervals import elo_text, number_text, quantiles
from evenmatch_lab.shared.opponents import both, distinct_share, pairs_of
from evenmatch_lab.wu2019.analysis import ELO_PER_NAT
from evenmatch_lab.wu2019.dial import Dial, curve, dials, elo_of_draws, openings_drawn
from evenmatch_lab.wu2019.dial_fits import (
    complete,
    e_norm_logistic,
    elo_by_z,
    elo_logistic,
    fit_rows,
    fit_text,
)
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, POWERS, USUAL, Z
from evenmatch_lab.wu2019.prediction import (
    PAPER_ELO,
    PAPER_EQ15,
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
STEPS_TO = (2.0, 1.0, 0.0, -1.0, -2.0, -INF)  # the weaker of each step


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
        lines += [settings_table(dial, by_ratio), "", "## Table 1: Elo by z, R_th = 0.1", ""]
        lines.append(table_1(dial))
        if rows := fit_rows(dial):
            lines += ["", table(["", "ours", "paper"], rows)]
    if len(by_ratio) > 1:
        lines += ["", "## Figure 2: Elo by z and threshold ratio", "", threshold_table(by_ratio)]
    spanned = [dial for dial in by_ratio if set(dial.points) >= {INF, 2.0, -2.0, -INF}]
    if spanned:
        lines += ["", "## Table 2: H by threshold ratio", "", *table_2(spanned)]
    for dial in usual:
        if complete(dial):
            lines += ["", "## Why eq. 15 errs", "", *eq_15_tables(dial, results)]
    if tops := dials(results, "top"):
        lines += ["", "## The n best moves in place of a threshold ratio", ""]
        lines.append(top_table(tops, usual))
    return lines


def settings_table(dial: Dial, by_ratio: list[Dial]) -> str:
    """Write what was played."""
    settings = dial.settings
    parts = [part["settings"] for other in by_ratio for part in other.parts.values()]
    counts = sorted({part["games"] for part in parts if part["r_th"] != settings["r_th"]})
    rows = [
        ["simulations per move", settings["simulations"], "-"],
        ["visits of the most visited move", f"{dial.mean('most_visits'):.0f}", "about 259"],
        ["games per point at R_th = 0.1", settings["games"], PAPER_GAMES],
        ["games per point at other thresholds", " or ".join(map(str, counts)) or "-", "-"],
        ["random plies of openings", settings["openings"], "none"],
        ["seed", settings["seed"], "-"],
        ["distinct games at R_th = 0.1", distinct_share(dial.played), "-"],
    ]
    return table(["", "ours", "paper"], rows)


def table_1(dial: Dial) -> str:
    """Set Elo by z beside the paper's."""
    rows, even = [], PAPER_ELO[Z.index(0.0)]
    for z, rate, elo in zip(Z, PAPER_RATES, PAPER_ELO, strict=True):
        mine, distinct = ["", ""] if dial.is_opponent(z) else ["-", "-"], ""
        if z in dial.points:
            row = dial.points[z]
            score = both(row)
            mine = [f"{score.fraction:.1%}", f"{score.draws / score.games:.1%}"]
            distinct = row["distinct"]
        rows.append(
            [f"{z:g}", f"{rate}%", *mine, f"{elo - even:+d}", point_text(dial, z), distinct]
        )
    heads = ["z", "win rate, paper", "win rate, ours (draws half)", "drawn"]
    heads += ["Elo above z = 0, paper", "Elo, ours (95%)", "distinct games"]
    return table(heads, rows, left=())


def point_text(dial: Dial, z: float) -> str:
    """Write a point's Elo; - if it is not there."""
    if dial.is_opponent(z):
        return "itself"
    if z not in dial.points:
        return "-"
    return elo_text(dial.elo(z), dial.elo_interval(z))


def threshold_table(by_ratio: list[Dial]) -> str:
    """Write figure 2 as a table."""
    rows = [[f"{z:g}", *(point_text(dial, z) for dial in by_ratio)] for z in Z]
    rows.append(["distinct games", *(distinct_share(dial.played) for dial in by_ratio)])
    heads = ["z", *(f"R_th = {dial.candidates.r_th:g}" for dial in by_ratio)]
    return table(heads, rows, left=())


def table_2(by_ratio: list[Dial]) -> list[str]:
    """Write H by threshold ratio, and the fits of each."""
    heads = ["R_th", "paper: H", "ours: H", "E_norm(-inf)", "Elo(inf) - Elo(-inf)"]
    heads += ["Elo(2) - Elo(-2)", "candidates", "positions"]
    fits = ["R_th", "left out of the fits", "linear error", "logistic error, Elo", "... E_norm"]
    return [
        table(heads, map(threshold_cells, by_ratio), left=()),
        "",
        table([*fits, "eq. 15 error"], map(fits_cells, by_ratio), left=(1, 3, 4)),
    ]


def threshold_cells(dial: Dial) -> list[str]:
    """Return a threshold's cells of table 2."""
    r_th = dial.candidates.r_th
    low, high = quantiles(dial.lowest_drawn())
    return [
        f"{r_th:g}",
        str(PAPER_H.get(r_th, "-")),
        number_text(*dial.h()) if dial.e_norm(-INF) else "-",
        f"{dial.e_norm(-INF):.2f} ({low:.2f} to {high:.2f})",
        elo_text(*dial.gap(INF, -INF)),
        elo_text(*dial.gap(2.0, -2.0)),
        f"{dial.mean('candidates'):.2f}",
        str(dial.positions.sum()),
    ]


def fits_cells(dial: Dial) -> list[str]:
    """Return what fits there are to a threshold's points."""
    elo = dial.bounded(LINEAR)
    out = ", ".join(f"{z:g}" for z in dial.points if not math.isfinite(dial.elo(z))) or "none"
    cells = [f"{dial.candidates.r_th:g}", out]
    cells.append(f"{elo_by_z(dial).error:.1f}" if len(elo) > 2 else "-")
    if dial.has_ends and len(elo) > 2:
        cells += [fit_text(elo_logistic(dial)), fit_text(e_norm_logistic(dial))]
        return [*cells, f"{errors(dial.bounded(Z), dial.shape()).pinned:.1f}"]
    return [*cells, "no end of the curve", "no end of the curve", "-"]


def top_table(tops: list[Dial], usual: list[Dial]) -> str:
    """Set the n best moves (Sephton et al. 2015) beside the threshold ratio."""
    zs, rows = [z for z in Z if z in tops[0].points], []
    for dial in sorted(tops, key=lambda dial: dial.candidates.top) + usual:
        r_th, top = dial.candidates
        rows.append(
            [
                f"top {top}" if top else f"R_th = {r_th:g}",
                f"{dial.mean('candidates'):.2f}",
                f"{dial.mean('weak'):.0%}",
                f"{dial.e_norm(-INF):.2f}",
                *(point_text(dial, z) for z in zs),
                distinct_share(dial.played),
            ]
        )
    heads = ["candidates", "mean number", "weak", "E_norm(-inf)"]
    return table([*heads, *(f"Elo, z = {z:g}" for z in zs), "distinct"], rows)


# -- eq. 15 ----------------------------------------------------------------------------------------


def eq_15_tables(dial: Dial, results: Results) -> list[str]:
    """Write by experiment what the error of eq. 15 is due to."""
    elo, shape = dial.bounded(Z), dial.shape()
    gap = dial.elo(INF) - dial.elo(-INF)
    chance = by_chance(shape, gap, pairs_by_z(dial))
    own = at_own_positions(dial)
    published = f"paper's table 1 (it says {PAPER_EQ15})"
    rows = [
        error_cells(published, errors(paper_elo(), paper_shape()), 9, paper_chance()),
        error_cells("ours, as the paper", errors(elo, shape), len(elo) - 2, chance),
        error_cells("E_norm over each point's own games", errors(elo, own), len(own)),
    ]
    for power in POWERS:
        what = f"mean of R_i^{power:g} in place of eq. 3"
        rows.append(error_cells(what, errors(elo, powered(dial, power)), len(elo) - 2))
    for longer in dials(results, ""):
        simulations = longer.settings["simulations"]
        if longer.candidates == USUAL and simulations != dial.settings["simulations"]:
            rows += longer_rows(longer, elo, shape)
    steps = steps_of(results)
    if steps:
        found = added_up({z: pairs_of(row).elo for z, row in steps.items()})
        rows.append(error_cells("each point meets the next", errors(found, shape), len(found) - 2))
    heads = [
        "what",
        "z compared",
        "signed",
        "mean error",
        "by chance: mean, 95%",
        "as large by chance",
    ]
    heads += ["ends fitted", "by chance: mean, 95%", "as large by chance"]
    lines = [table(heads, rows), "", table(["", "error, Elo", "against eq. 3"], mean_rows(dial))]
    return [*lines, "", *steps_tables(steps, gap)] if steps else lines


def error_cells(what: str, found: Errors, points: int, chance: NDArray | None = None) -> list[str]:
    """Return errors, what chance alone would make of them, and how often as much."""
    by: dict[int, list[str]] = {1: ["-", "-"], 2: ["-", "-"]}
    for i, seen in ((1, found.pinned), (2, found.free)):
        if chance is not None:
            drawn = chance[:, i]
            by[i] = [f"{drawn.mean():.1f}, {np.quantile(drawn, 0.95):.1f}"]
            by[i].append(f"{(drawn >= seen).mean():.1%}")
    return [
        *(what, str(points), f"{found.signed:+.1f}"),
        *(f"{found.pinned:.1f}", *by[1], f"{found.free:.1f}", *by[2]),
    ]


def paper_chance() -> NDArray[np.float64]:
    """Return the errors that chance alone makes of the paper's games; ``by_chance``."""
    return by_chance(paper_shape(), float(PAPER_ELO[0] - PAPER_ELO[-1]), paper_games())


def longer_rows(longer: Dial, elo: Mapping[float, float], shape: Mapping) -> list[list[str]]:
    """Compare with a longer search, at its points; and the usual one at the same."""
    found = longer.bounded(Z)
    if not complete(longer):
        return []
    same = {z: x for z, x in elo.items() if z in found}
    chance = by_chance(longer.shape(), found[INF] - found[-INF], pairs_by_z(longer))
    what = f"{longer.settings['simulations']} simulations ({longer.mean('most_visits'):.0f} visits)"
    return [
        error_cells("ours, at the z below alone", errors(same, shape), len(same) - 2),
        error_cells(what, errors(found, longer.shape()), len(found) - 2, chance),
    ]


def steps_of(results: Results) -> dict[float, dict]:
    """Return the rows in which each point meets the next; {} unless all are done and bounded."""
    found = [part for key, part in results.items() if key.startswith("step")]
    if {float(part["settings"]["lower"]) for part in found} != set(STEPS_TO):
        return {}
    steps = {float(part["settings"]["z"]): part["point"] for part in found}
    return steps if all(math.isfinite(pairs_of(row).elo) for row in steps.values()) else {}


def steps_tables(steps: Mapping[float, dict], gap: float) -> Iterable[str]:
    """Write the Elo of each step between neighbours, and of their sum beside games with z = 0."""
    openings = openings_drawn(len(next(iter(steps.values()))["halves"]))
    drawn = [elo_of_draws(openings, row["halves"]) for row in steps.values()]  # all from the same
    with np.errstate(invalid="ignore"):  # of infinite steps either way nothing is known
        low, high = quantiles(np.sum(drawn, axis=0))
    total = sum(pairs_of(row).elo for row in steps.values())
    rows = [
        [f"{z:g} to {lower:g}", elo_text(pairs_of(row).elo, pairs_of(row).elo_interval())]
        for (z, row), lower in zip(steps.items(), STEPS_TO, strict=True)
    ]
    rows.append(["sum of the steps", f"{total:.0f} ({low:.0f} to {high:.0f})"])
    rows.append(["inf to -inf, by games against z = 0", f"{gap:.0f}"])
    rows.append(["distinct games of the steps", distinct_share(steps.values())])
    yield table(["z", "Elo (95%)"], rows)


def mean_rows(dial: Dial) -> list[list[str]]:
    """Return which means over moves come nearer to the games than eq. 3's.

    Each interval leaves out 5% divided by the number of means tried.
    """
    elo, usual = dial.bounded(Z), errors_drawn(dial, dial.shape())[:, 1]
    own, rows = errors(elo, dial.shape()).pinned, []
    for power in POWERS:
        shape = powered(dial, power)
        with np.errstate(invalid="ignore"):
            drawn = errors_drawn(dial, shape)[:, 1] - usual
        low, high = quantiles(drawn, 1 - 0.05 / len(POWERS))
        off = errors(elo, shape).pinned
        word = "nearer" if high < 0 else "farther" if low > 0 else "undecided"
        change = f"{off - own:+.1f} ({low:+.1f} to {high:+.1f}), {word}"
        rows.append([f"mean of R_i^{power:g}", f"{off:.1f}", change])
    return rows
