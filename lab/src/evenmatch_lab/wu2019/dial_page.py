"""The page of ``z_dial``: our tables beside the paper's, and its figures."""

from pathlib import Path

import numpy as np

from evenmatch.strength.analysis import ELO_PER_NAT
from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.opponents import distinct_text
from evenmatch_lab.wu2019.dial import DRAWS, Dial, curve, dials
from evenmatch_lab.wu2019.dial_eq_15 import eq_15_lines
from evenmatch_lab.wu2019.dial_fits import complete, fit_lines
from evenmatch_lab.wu2019.dial_games import INF, LINEAR, USUAL, game_of, in_place_of_go
from evenmatch_lab.wu2019.dial_tables import table_1, table_2, threshold_lines, top_lines
from evenmatch_lab.wu2019.dial_verdicts import verdict_lines
from evenmatch_lab.wu2019.prediction import PAPER_GAMES


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


def opening_lines(dial: Dial, by_ratio: list[Dial]) -> list[str]:
    """Say what was played."""
    settings = dial.settings
    parts = [part["settings"] for other in by_ratio for part in other.parts.values()]
    counts = sorted({part["games"] for part in parts if part["r_th"] != settings["r_th"]})
    each = " or ".join(map(str, counts))
    elsewhere = f", {each} at other thresholds" if counts else ""
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
